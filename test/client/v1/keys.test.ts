import { randomUUID } from 'node:crypto';

import { connect, type ServerConnection } from '../../../client';
import { collect, failureOf } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { pngSource } from '../support/pictures';
import { json, serve, type TestServer } from '../support/server';

const KEY = `marker-${randomUUID()}`;
let service: TestServer;
let elsewhere: TestServer;
let connection: ServerConnection;

beforeEach(async () => {
	elsewhere = await serve(json(200, { name: 'a', prompt_id: 'a', status: 'success', queue_running: [] }));
	service = await serve((request, response) => void response.writeHead(302, { location: `${elsewhere.origin}${request.url}` }).end());
	connection = connect({ interface: 'v1', baseUrl: service.origin, token: KEY, readBudgetMs: 0 });
});
afterEach(async () => {
	await connection.close();
	await Promise.all([service.close(), elsewhere.close()]);
});

const CALLS: Array<[name: string, call: (connection: ServerConnection) => Promise<unknown>]> = [
	['status', ({ jobs }) => jobs.get('a')],
	['list', ({ jobs }) => jobs.list()],
	['workflow', ({ jobs }) => jobs.workflow('a')],
	['prompt', ({ jobs }) => jobs.submit({ graph: quickGraph() }, { retryBudgetMs: 0 })],
	['cancel', ({ jobs }) => jobs.cancel('a')],
	['upload', ({ assets }) => assets.upload(pngSource(Buffer.from('x')), { filePath: 'a.png' })],
	['download', async ({ assets }) => await collect((await assets.download({ url: `${service.origin}/api/view?filename=a` })).bytes)],
	['queue', async ({ control }) => await control?.queue()],
	['interrupt', async ({ control }) => await control?.interrupt()],
	['node_replacements', async ({ control }) => await control?.nodeReplacements()],
	['object_info', async ({ control }) => await control?.nodeDefinitions()],
];

test.each(CALLS)('%s: its own origin gets the key, and neither another one nor an error', async (name, call) => {
	await call(connection).catch((error: unknown) => error);
	expect(service.seen.length).toBeGreaterThan(0);
	for (const { headers, url } of service.seen) {
		expect([headers['x-api-key'], headers.authorization]).toEqual([KEY, undefined]);
		expect(url).not.toContain(KEY);
	}
	// Only the bytes of a file are fetched from another origin. Reads of JSON and every POST stay on their own.
	expect(elsewhere.seen.length).toBe(name === 'download' ? 1 : 0);
	expect(JSON.stringify(elsewhere.seen)).not.toContain(KEY);
	const closed = connect({ interface: 'v1', baseUrl: 'http://127.0.0.1:9', token: KEY, readBudgetMs: 0 });
	const failure = await failureOf(call(closed).then(() => Promise.reject(new Error('none'))));
	expect(JSON.stringify(failure) + String(failure) + String((failure as Error).cause)).not.toContain(KEY);
	await closed.close();
});

test('a link to another origin is fetched without it', async () => {
	await collect((await connection.assets.download({ url: `${elsewhere.origin}/x` })).bytes);
	expect(elsewhere.seen).toHaveLength(1);
	expect(JSON.stringify(elsewhere.seen)).not.toContain(KEY);
});
