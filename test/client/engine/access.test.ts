import { connect, type ConnectSettings, waitForJob } from '../../../client';
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
	const { asset } = await connection.assets.upload(pngSource(await picture(0x010203)), { filePath: '.\\a//b.png' });
	expect(asset).toMatchObject({ name: 'b.png', subfolder: 'a' });
	expect(asset.url?.startsWith(`${engine.sandbox.urls.engine}/api/view?`)).toBe(true);
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

test('spaces around the authorization are removed, and one that no header can carry is refused', async () => {
	await expect(engine.connect({ authorization: ` ${SECRET}\n` }).verifyAccess()).resolves.toEqual({
		interface: 'engine',
		version: '0.3.64',
	});
	for (const authorization of ['Basic a\nmarker', 'Basic ☃marker']) {
		expect(() => engine.connect({ authorization })).toThrow(expect.objectContaining({ interface: 'engine', code: 'unauthorized' }));
		expect(() => engine.connect({ authorization })).not.toThrow(/marker/);
	}
});

const ADDED = { authorization: 'Bearer front', 'cf-access-client-id': 'id', 'comfy-user': 'ann_1' };

test.each<[settings: Pick<ConnectSettings, 'interface' | 'token' | 'authorization'>, authorization: string, paths: string[]]>([
	[{ interface: 'engine' }, 'Bearer front', ['/api/view', '/api/interrupt', '/ws']],
	[{ interface: 'engine', token: 'marker-key', authorization: SECRET }, SECRET, ['/api/view', '/api/interrupt', '/ws']],
	[{ interface: 'v2' }, 'Bearer front', ['/api/view']],
	[{ interface: 'v2', token: 'own' }, 'Bearer own', ['/api/view']],
])(
	'with %j, added headers go with every request and WebSocket to the own origin, and to no other one',
	async (settings, authorization, paths) => {
		const storage = await serve((_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'));
		const front = await serve(({ url }, response) => {
			if (url.startsWith('/api/view')) return void response.writeHead(302, { location: `${storage.origin}/file` }).end();
			return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
		});
		const connection = connect({ baseUrl: front.origin, headers: ADDED, ...settings });
		await collect((await connection.assets.download({ url: `${front.origin}/api/view?filename=a.png` })).bytes);
		await connection.control?.interrupt();
		const stop = new AbortController();
		const { feed } = connection;
		if (feed !== undefined) {
			const listener = { onConnect: () => undefined, onEvent: () => undefined };
			await new Promise<void>((resolve) => void feed.follow({ ...listener, onTrouble: () => resolve() }, stop.signal));
		}
		stop.abort();
		await Promise.all([connection.close(), front.close(), storage.close()]);
		expect(front.seen.map(({ url }) => url.split('?')[0])).toEqual(paths);
		for (const { headers } of front.seen) expect(headers).toMatchObject({ ...ADDED, authorization });
		expect(storage.seen).toHaveLength(1);
		for (const name of Object.keys(ADDED)) expect(storage.seen[0]?.headers).not.toHaveProperty(name);
		expect(JSON.stringify([front.seen, storage.seen])).not.toContain('marker-key');
	},
);
