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

/** The same answer, with its length in its head. */
export const sizedHead = ({ status, headers, body }: RawAnswer, more: Headers = {}): string =>
	headOf(status, { ...headers, ...(status !== 204 && { 'content-length': String(body.length) }), ...more });

/** A good answer; the connection stays. HEAD gets no body. */
export function answer({ socket, method }: Exchange, raw: RawAnswer): void {
	socket.write(sizedHead(raw));
	if (method !== 'HEAD' && raw.status !== 204) socket.write(raw.body);
}

/** The same headers but this one. */
export const without = (headers: Record<string, string>, name: string): Record<string, string> =>
	Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
