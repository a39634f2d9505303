import { connect, waitForJob } from '../../../client';
import { collect } from '../support/bytes';
import { slowGraph } from '../support/graphs';
import { picture, pngSource } from '../support/pictures';
import { serve } from '../support/server';
import { SOCKET, useEngine } from './support/engine';

const MOUNT = '/tools/comfy';
const SECRET = 'Basic Y29tZnk6Y2FuYXJ5';
const engine = useEngine({ engineMount: MOUNT, engineAuthorization: SECRET });

test('an engine below a path that asks for authorization can be used for all operations', async () => {
	const connection = engine.connect({ authorization: SECRET });
	const { asset } = await connection.assets.upload(pngSource(await picture(0x010203)), { filePath: 'a/b.png' });
	expect(asset.url.startsWith(`${engine.sandbox.urls.engine}/api/view?`)).toBe(true);
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(60, 20) });
	const previews: unknown[] = [];
	const { job } = await waitForJob(connection.jobs, job_id, {
		mode: 'live',
		maxWaitMs: 60_000,
		onEvent: (event) => event.kind === 'preview' && previews.push(event),
	});
	expect([job.status, previews.length > 0]).toEqual(['succeeded', true]);
	expect((await collect((await connection.assets.download({ url: String(job.outputs[0]?.url) })).bytes)).length).toBeGreaterThan(0);
	expect(engine.requests(SOCKET)[0]?.url).toBe(`${engine.sandbox.urls.engine}/ws`);
	expect(new Set(engine.sandbox.requests().map(({ headers }) => headers.authorization))).toEqual(new Set([SECRET]));
});

test.each(['', '/', '/api', '/api/'])('an address with %j at its end is accepted', async (end) => {
	const connection = engine.connect({ authorization: SECRET, baseUrl: engine.sandbox.urls.engine + end });
	await expect(connection.verifyAccess()).resolves.toEqual({ interface: 'engine', version: '0.3.64' });
	expect(engine.sandbox.requests().map(({ path }) => path)).toEqual(['/api/system_stats']);
});

test('spaces around the authorization are removed, and one that no header can carry is refused', async () => {
	await engine.connect({ authorization: ` ${SECRET}\n` }).verifyAccess();
	for (const authorization of ['Basic a\nmarker', 'Basic ☃marker']) {
		expect(() => engine.connect({ authorization })).toThrow(expect.objectContaining({ interface: 'engine', code: 'unauthorized' }));
		expect(() => engine.connect({ authorization })).not.toThrow(/marker/);
	}
});

test('an engine gets no key, and another origin gets neither key nor authorization', async () => {
	const storage = await serve((_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'));
	const front = await serve((_request, response) => void response.writeHead(302, { location: `${storage.origin}/file` }).end());
	const connection = connect({ interface: 'engine', baseUrl: front.origin, token: 'marker-key', authorization: SECRET });
	await collect((await connection.assets.download({ url: `${front.origin}/api/view?filename=a.png` })).bytes);
	const stop = new AbortController();
	await new Promise<void>(
		(resolve) =>
			void connection.feed?.follow({ onConnect: () => undefined, onEvent: () => undefined, onTrouble: () => resolve() }, stop.signal),
	);
	stop.abort();
	await Promise.all([connection.close(), front.close(), storage.close()]);
	expect(front.seen.map(({ url }) => url.split('?')[0])).toEqual(['/api/view', '/ws']);
	expect(front.seen[0]?.headers).toMatchObject({ authorization: SECRET });
	expect(storage.seen[0]?.headers.authorization).toBeUndefined();
	expect(JSON.stringify([front.seen, storage.seen])).not.toContain('marker-key');
});

test('added headers go with every request and WebSocket to the own origin, and to no other origin', async () => {
	const storage = await serve((_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'));
	const front = await serve(({ url }, response) => {
		if (url.startsWith('/api/view')) return void response.writeHead(302, { location: `${storage.origin}/file` }).end();
		return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
	});
	const headers = { authorization: 'Bearer front', 'cf-access-client-id': 'id', 'comfy-user': 'ann_1' };
	for (const name of ['engine', 'v2'] as const) {
		const connection = connect({ interface: name, baseUrl: front.origin, headers });
		await collect((await connection.assets.download({ url: `${front.origin}/api/view?filename=a.png` })).bytes);
		await connection.control?.interrupt();
		const stop = new AbortController();
		const listener = { onConnect: () => undefined, onEvent: () => undefined };
		if (connection.feed) {
			await new Promise<void>((resolve) => void connection.feed?.follow({ ...listener, onTrouble: () => resolve() }, stop.signal));
		}
		stop.abort();
		await connection.close();
	}
	await Promise.all([front.close(), storage.close()]);
	expect(front.seen.map(({ url }) => url.split('?')[0])).toEqual(['/api/view', '/api/interrupt', '/ws', '/api/view']);
	for (const request of front.seen) expect(request.headers).toMatchObject(headers);
	for (const request of storage.seen) expect(Object.keys(request.headers)).not.toEqual(expect.arrayContaining(Object.keys(headers)));
	expect(JSON.stringify(storage.seen)).not.toContain('ann_1');
});

test('a token and an authorization of their own override an added authorization', async () => {
	const front = await serve((_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
	const headers = { authorization: 'Bearer front' };
	for (const settings of [
		{ interface: 'engine', authorization: SECRET },
		{ interface: 'v2', token: 'own' },
	] as const) {
		const connection = connect({ baseUrl: front.origin, headers, ...settings });
		await connection.jobs.list().catch(() => undefined);
		await connection.close();
	}
	await front.close();
	expect(new Set(front.seen.map((request) => request.headers.authorization))).toEqual(new Set([SECRET, 'Bearer own']));
});
