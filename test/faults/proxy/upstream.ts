import { type IncomingMessage, request } from 'node:http';

import type { RawAnswer } from '../shapes';
import type { RequestHead } from './requestHead';

/** Said anew by whoever sends a message on. */
const OF_ONE_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect']);

/** Sends a request to the service, on a connection of its own. @throws the socket's error. */
export const sendOn = async (origin: string, { method, path, headers }: RequestHead, body: Buffer): Promise<IncomingMessage> =>
	await new Promise((resolve, reject) => {
		const kept = Object.entries(headers).filter(([name]) => !OF_ONE_HOP.has(name));
		const length = body.length > 0 || !['GET', 'HEAD'].includes(method) ? { 'content-length': body.length } : {};
		request(origin + path, { method, agent: false, headers: { ...Object.fromEntries(kept), ...length } })
			.on('response', resolve)
			.on('error', reject)
			.end(body);
	});

export function headersOf(answer: IncomingMessage): RawAnswer['headers'] {
	const entries = Object.entries(answer.headers).filter(([name]) => !OF_ONE_HOP.has(name));
	return Object.fromEntries(entries.map(([name, value]) => [name, [value ?? []].flat().join(', ')]));
}

export async function wholeBody(answer: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of answer) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}
