/** Plain requests to the sandbox, and the answers that this process receives, held against a description. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { USER_AGENT } from '../../client/transport/userAgent';
import type { Answer, Contract } from './contract';

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

export interface CallOptions {
	/** For the parameters of the path. One that is left out gets an id that nothing has. */
	names?: Record<string, string>;
	query?: Record<string, string>;
	json?: unknown;
	headers?: Record<string, string>;
}

/**
 * Calls an operation. Redirects are not followed.
 * @param base address that the paths of the description come below.
 * @throws Error that names every way in which the answer deviates from the description.
 */
export async function checkedCall(contract: Contract, id: string, base: string, options: CallOptions = {}): Promise<Answer> {
	const { names = {}, query = {}, json, headers } = options;
	const operation = contract.operations.get(id);
	if (operation === undefined) throw new Error(`No operation ${id}`);
	const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? UNKNOWN_ID));
	const search = new URLSearchParams(query).toString();
	const response = await fetch(`${base}${path}${search && `?${search}`}`, {
		method: operation.method,
		redirect: 'manual',
		headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
		body: json === undefined ? null : JSON.stringify(json),
	});
	const answer = { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
	const problems = contract.answerProblems(id, answer);
	if (problems.length === 0) return answer;
	throw new Error(`${id} at ${base}, ${answer.status}: ${problems.join('; ')}\n${answer.body.toString('utf8').slice(0, 2000)}`);
}

/** An answer with the request that it belongs to. */
export interface Received extends Answer {
	origin: string;
	method: string;
	/** Without the query. */
	path: string;
}

interface Exchange {
	request: { origin: string; method: string; path: string; headers: unknown };
	response?: { statusCode: number; headers: Buffer[] };
	chunk?: Buffer;
}

/** Collects the answers to the client's requests of this process, each one when it is complete. */
export function collectAnswers(): { answers: Received[]; stop: () => void } {
	const answers: Received[] = [];
	const open = new Map<Exchange['request'], Received & { chunks: Buffer[] }>();
	const listeners: Record<string, (exchange: Exchange) => void> = {
		headers: ({ request, response = { statusCode: 0, headers: [] } }) => {
			const { origin, method, path } = request;
			if (!String(request.headers).includes(USER_AGENT)) return;
			const headers = new Headers(pairsOf(response.headers.map(String)));
			const received = { origin, method, path: path.replace(/\?.*/, ''), status: response.statusCode, headers };
			open.set(request, { ...received, body: Buffer.alloc(0), chunks: [] });
		},
		bodyChunkReceived: ({ request, chunk = Buffer.alloc(0) }) => open.get(request)?.chunks.push(Buffer.from(chunk)),
		trailers: ({ request }) => {
			const { chunks, ...received } = open.get(request) ?? {};
			if (chunks !== undefined) answers.push({ ...(received as Received), body: Buffer.concat(chunks) });
		},
	};
	const channels = Object.entries(listeners).map(([name, listener]) => [`undici:request:${name}`, listener as () => void] as const);
	channels.forEach(([name, listener]) => subscribe(name, listener));
	return { answers, stop: () => channels.forEach(([name, listener]) => unsubscribe(name, listener)) };
}

function pairsOf(flat: string[]): Array<[string, string]> {
	return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as [string, string]] : []));
}
