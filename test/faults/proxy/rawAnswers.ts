import { STATUS_CODES } from 'node:http';

import type { Exchange, RawAnswer } from '../shapes';

type Headers = Record<string, string | string[]>;

/** The head of an answer, as it goes over the wire. */
export const headOf = (status: number, headers: Headers = {}): string =>
	[
		`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
		...Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`)),
		'\r\n',
	].join('\r\n');

/** A good answer, of a length that it tells; the connection stays. HEAD gets no body. */
export function answer({ socket, method }: Exchange, { status, headers, body }: RawAnswer): void {
	const isBare = method === 'HEAD' || status === 204;
	const length: Headers = status === 204 ? {} : { 'content-length': String(body.length) };
	socket.write(headOf(status, { ...headers, ...length }));
	if (!isBare) socket.write(body);
}

export const jsonAnswer = (status: number, json: unknown, headers: RawAnswer['headers'] = {}): RawAnswer => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	body: Buffer.from(JSON.stringify(json)),
});
