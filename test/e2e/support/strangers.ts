import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../scripts/n8nHost/processes';

export interface OtherServer {
	url: string;
	close(): Promise<void>;
}

async function listen(server: Server, scheme: string): Promise<OtherServer> {
	server.on('request', (_request, response) => {
		response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<!doctype html><title>Welcome</title>');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
		close: async () => void (await new Promise((resolve) => server.close(resolve))),
	};
}

/** An unrelated web site. */
export const openWebSite = () => listen(createServer(), 'http');

/** The same with a certificate that no authority signed. */
export function openSelfSignedSite(): Promise<OtherServer> {
	const pem = readFileSync(join(__dirname, 'selfSigned.pem'));
	return listen(createTlsServer({ key: pem, cert: pem }), 'https');
}

/** An address where nothing listens. */
export const findUnusedAddress = async () => `http://127.0.0.1:${await freePort()}`;
