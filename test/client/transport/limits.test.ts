import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { connect, type Connection, UnknownOutcomeError } from '../../../client';
import { FAST, run, useRouterAnswers } from '../router/support/answering';
import { chunksOf, failureOf } from '../support/bytes';
import { type Answer, json, serve, type TestServer } from '../support/server';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();

/** Begins, and never comes to its end. */
const stalled =
	(status: number, headers: Record<string, string>): Answer =>
	(_request, response) =>
		void response.writeHead(status, headers).write('<');

/** A byte now and then, as long as somebody listens. */
const trickling =
	(status: number, contentType: string): Answer =>
	(_request, response) => {
		response.writeHead(status, { 'content-type': contentType }).write('{"a":"');
		const timer = setInterval(() => response.write('a'), 20);
		response.on('close', () => clearInterval(timer));
	};

const closings: Array<Promise<unknown>> = [];
const watched =
	(answer: Answer): Answer =>
	(request, response: ServerResponse) => {
		closings.push(once(response, 'close'));
		return answer(request, response);
	};

describe('D1: an unwanted body that stalls', () => {
	it('D1: a redirect is followed when its body stalls, and its connection is closed', async () => {
		const storage = await server(json(200, { done: true }));
		const service = await server(watched(stalled(302, { location: storage.origin })));
		const response = await client({ origin: service.origin }).request(get(service.origin, { allowsOtherOrigins: true }));
		await expect(response.json()).resolves.toEqual({ done: true });
		await closings.pop();
	});
});

it('a discarded body that is complete costs no connection', async () => {
	const service = await server(
		({ url }, response) =>
			void (url === '/' ? response.writeHead(302, { location: '/b' }).end() : json(200, {})({ url } as never, response)),
	);
	const http = client({ origin: service.origin });
	for (let call = 0; call < 5; call++) await (await http.request(get(service.origin))).json();
	expect(service.connections()).toBeLessThanOrEqual(2);
});

describe('an answer that is read whole and never ends', () => {
	const open: Array<TestServer | Connection> = [];
	afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))));

	/** No silence is too long: only the time of a whole answer counts. */
	async function connected(answer: Answer, requestMs = 200): Promise<{ connection: Connection; origin: string }> {
		const service = await serve(answer);
		const connection = connect({ interface: 'v2', baseUrl: service.origin, readBudgetMs: 0, limits: { requestMs } });
		open.push(connection, service);
		return { connection, origin: service.origin };
	}

	it.each([
		['stalls', stalled(404, { 'content-type': 'text/html' })],
		['trickles', trickling(404, 'text/html')],
	])('D1: a download fails in time when a web page in its place %s', async (_, answer) => {
		const { connection, origin } = await connected(answer);
		expect(await failureOf(connection.assets.download({ url: `${origin}/file` }))).toMatchObject({ trouble: 'timeout' });
	});

	it('D2: an upload fails in time when its answer comes byte by byte', async () => {
		const { connection } = await connected(trickling(201, 'application/json'));
		const source = { contentType: 'text/plain', sizeBytes: 1, open: async () => await Promise.resolve(chunksOf('x')) };
		expect(await failureOf(connection.assets.upload(source, { filePath: 'a.txt' }))).toMatchObject({
			trouble: 'timeout',
			mayHaveArrived: true,
		});
	});

	describe('of a router', () => {
		const router = useRouterAnswers();
		it.each(['application/json', 'image/png'])('D2: Max Wait ends a run whose answer has begun (%s)', async (contentType) => {
			router.answering(trickling(200, contentType));
			const failure = await failureOf(run(router.open({ limits: { ...FAST, requestMs: 200 } }), { maxWaitMs: 300 }));
			expect(failure).toBeInstanceOf(UnknownOutcomeError);
			expect(new Set(router.keys()).size).toBe(1);
		});
	});
});
