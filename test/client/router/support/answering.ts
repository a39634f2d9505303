import { connectRouter, type ModelRouter, type RouterRunOptions, type RouterSettings } from '../../../../client';
import { failureOf } from '../../support/bytes';
import { serve, type Answer, type TestServer } from '../../support/server';

export const KEY = 'key-1';
export const MODEL = 'lab/open';

/** The specification's fifteen, then the four of newer documents; the status each comes with. */
export const BUCKETS: Array<[bucket: string, status: number]> = [
	['invalid_input', 400],
	['content_policy_violation', 400],
	['provider_error', 502],
	['provider_timeout', 504],
	['insufficient_credits', 402],
	['model_not_found', 404],
	['unauthorized', 401],
	['forbidden', 403],
	['concurrency_limit_exceeded', 429],
	['client_disconnected', 499],
	['internal_error', 500],
	['deadline_exceeded', 504],
	['not_enabled', 403],
	['service_unavailable', 503],
	['rate_limited', 429],
	['cancelled', 409],
	['queue_timeout', 504],
	['request_not_found', 404],
	['queue_backlog_full', 429],
];

/** Pauses that would be seconds are milliseconds. */
export const FAST = { pauseScale: 0.01, requestMs: 10_000 };

/** One server and connections to it for the tests of a file; each test says what is answered. */
export function useRouterAnswers() {
	let server: TestServer;
	let turns: Answer[] = [];
	const open: Array<{ close(): Promise<void> }> = [];
	beforeAll(async () => {
		server = await serve(async (request, response) => {
			const answer = turns.length > 1 ? turns.shift() : turns[0];
			await answer?.(request, response);
		});
	});
	beforeEach(() => void server.seen.splice(0));
	afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))));
	afterAll(async () => await server.close());
	const connect = (own: Partial<RouterSettings> = {}): ModelRouter => {
		const credential = { kind: 'apiKey', key: 'test-key' } as const;
		const connection = connectRouter({ baseUrl: server.origin, credential, prefix: '/v2', readBudgetMs: 0, limits: FAST, ...own });
		open.push(connection);
		return connection.router;
	};
	/** A router that answers these in turn, the last one for good. */
	const answering = (...answers: Answer[]): ModelRouter => {
		turns = answers;
		return connect();
	};
	return {
		get server() {
			return server;
		},
		open: connect,
		answering,
		/** What a run makes of an answer. */
		failure: async (answer: Answer) => await failureOf(run(answering(answer))),
		/** The requests of the port, in order: `POST /v2/models/lab/open`. */
		calls: () => server.seen.map(({ method, url }) => `${method} ${url}`),
		keys: () => server.seen.map(({ headers }) => headers['idempotency-key']),
	};
}

/** One run with the key of the tests. */
export const run = async (router: ModelRouter, options: Partial<RouterRunOptions> = {}) =>
	await router.run(MODEL, { prompt: '2024' }, { idempotencyKey: KEY, maxWaitMs: 0, ...options });

/** A refusal as the router writes it, under the request id `req-1`. */
export const refusal =
	(
		status: number,
		bucket: string,
		{ headers = {}, body, vendor = 'service' }: { headers?: Record<string, string>; body?: unknown; vendor?: string } = {},
	): Answer =>
	(_request, response) =>
		void response
			.writeHead(status, {
				'content-type': 'application/json',
				[`x-${vendor}-request-id`]: 'req-1',
				[`x-${vendor}-error-type`]: bucket,
				...headers,
			})
			.end(JSON.stringify(body ?? { detail: `In the words of the router: ${bucket}`, error_type: bucket }));

/** A finished run. */
export const finished =
	(value: unknown = { done: true }, headers: Record<string, string> = {}): Answer =>
	(_request, response) =>
		void response
			.writeHead(200, { 'content-type': 'application/json', 'x-service-request-id': 'req-ok', ...headers })
			.end(JSON.stringify(value));

/** The connection ends in place of an answer. */
export const lost: Answer = (_request, response) => void response.destroy();

/** Half of an answer, under its full length. */
export const cut: Answer = (_request, response) => {
	response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100', 'x-service-request-id': 'req-cut' });
	response.write('{"done":', () => response.destroy());
};
