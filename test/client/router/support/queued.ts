import { type ModelRouter, type RouterRequest, type RouterRunOptions } from '../../../../client';
import { failureOf } from '../../support/bytes';
import { json, type Answer } from '../../support/server';
import { until } from '../../../support/until';
import { KEY, refusal } from './answering';

export const SUBMIT = 'POST /v2/models/:provider/:model/requests';
export const STATUS = 'GET /v2/models/:provider/:model/requests/:id/status';
export const CANCEL = 'PUT /v2/models/:provider/:model/requests/:id/cancel';
export const BASE = '/v2/models/lab/open/requests/r%201';

export const state = (status: string, rest: object = {}, headers: Record<string, string> = {}, code = 200): Answer =>
	json(code, { request_id: 'r 1', status, queue_position: null, ...rest }, { 'x-service-request-id': `req-${status}`, ...headers });
export const submitted = (rest: object = {}, headers: Record<string, string> = {}) =>
	state('IN_QUEUE', { queue_position: 3, ...rest }, headers, 201);
export const completed = state('COMPLETED');

export const unavailableFor = (seconds: string) => refusal(503, 'service_unavailable', { headers: { 'retry-after': seconds } });

export const page: Answer = (_request, response) =>
	void response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html>Not found');
export const bare: Answer = (_request, response) =>
	void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');

export const billing = (used: string, spend: string) => ({
	'x-service-credits-used': used,
	'x-service-committed-spend-current': spend,
	'x-service-dropped-params': JSON.stringify([used]),
	'x-service-fallback-provider': used,
});

type Options = Partial<RouterRunOptions> & { onSubmitted?: (request: RouterRequest) => void };
export const queued = async (router: ModelRouter, options: Options = {}) =>
	await router.runQueued('lab/open', { a: 1 }, { idempotencyKey: KEY, maxWaitMs: 60_000, ...options });
export const own = (options: Options = {}) => ({ idempotencyKey: crypto.randomUUID(), ...options });

/** What a call ends with that is stopped once it has come so far. */
export async function stoppedOnce(isSoFar: () => boolean, call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
	const stopping = new AbortController();
	const failing = failureOf(call(stopping.signal));
	await until(isSoFar);
	await new Promise((resolve) => setTimeout(resolve, 20));
	stopping.abort();
	return await failing;
}
