import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../scripts/n8nHost/processes';

export interface Stranger {
	url: string;
	close(): Promise<void>;
}

async function listen(server: Server, scheme: string): Promise<Stranger> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `${scheme}://127.0.0.1:${port}`,
		close: async () => {
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** A web site of somebody else. */
export const webSite = () => listen(createServer(answering(200, 'text/html', '<!doctype html><title>Welcome</title>')), 'http');

/** Another program's interface, with 404s of its own. */
export const otherInterface = () => listen(createServer(answering(404, 'application/json', '{"detail":"Not Found"}')), 'http');

/** A server whose certificate nobody vouches for. */
export function selfSigned(): Promise<Stranger> {
	const pem = readFileSync(join(__dirname, 'selfSigned.pem'));
	return listen(createTlsServer({ key: pem, cert: pem }, answering(404, 'application/json', '{}')), 'https');
}

/** An address where nothing listens. */
export const nobody = async () => `http://127.0.0.1:${await freePort()}`;

function answering(status: number, contentType: string, body: string): RequestListener {
	return (_request, response) => {
		response.writeHead(status, { 'content-type': contentType, connection: 'close' }).end(body);
	};
}
