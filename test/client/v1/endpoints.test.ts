/** The specification's table of v1 endpoints, row by row. */
import { until } from '../../support/until';
import { assetMasks, type Connection, type ServerControl, type Job } from '../../../client';
import { collect } from '../support/bytes';
import { quickGraph, slowGraph } from '../support/graphs';
import { picture, pngSource } from '../support/pictures';
import { useSandbox } from '../support/sandbox';
import { finished } from '../support/v1';

const harness = useSandbox();
const seen = (on: string) => harness.sandbox.requests(on);
const accountOf = ({ control }: Connection): ServerControl => control as ServerControl;
const original = (name: unknown) => ({ filename: String(name), subfolder: '', type: 'input' });

let connection: Connection;
beforeEach(() => {
	connection = harness.connectV1();
});

/** Every call of a row carries the key, and succeeds. */
function expectCalls(on: string, calls = 1): void {
	expect(seen(on).map(({ headers, status }) => [headers['x-api-key'], status])).toEqual(
		Array(calls).fill([harness.sandbox.keys.apiKey, 200]),
	);
}

test('GET /api/object_info', async () => {
	const definitions = await accountOf(connection).nodeDefinitions();
	for (const { input, output } of Object.values(definitions))
		expect([input, output]).toEqual([{ required: expect.any(Object), ...(input as object) }, expect.any(Array)]);
	expect(Object.keys(definitions)).toEqual(expect.arrayContaining(['LoadImage', 'SaveImage']));
	expectCalls('GET /api/object_info');
});

test('POST /api/upload/image', async () => {
	const { asset } = await connection.assets.upload(pngSource(await picture(1)), { filePath: 'a.png', use: 'temp', overwrite: true });
	expect(asset).toMatchObject({ name: expect.stringMatching(/\.png$/), subfolder: '', type: 'temp' });
	expectCalls('POST /api/upload/image');
});

test('POST /api/upload/mask', async () => {
	const { asset } = await connection.assets.upload(pngSource(await picture(2)), { filePath: 'a.png' });
	const mask = await assetMasks(connection).upload(pngSource(await picture(3)), { filePath: 'm.png', original: original(asset.name) });
	expect(mask.asset).toMatchObject({ name: expect.stringMatching(/\.png$/), subfolder: '' });
	expectCalls('POST /api/upload/mask');
});

test('POST /api/prompt', async () => {
	const graph = quickGraph(0x900000);
	const { job_id } = await connection.jobs.submit({ graph, extraData: { api_key_service_org: harness.sandbox.keys.partnerKey } });
	expect(harness.sandbox.job(job_id)).toMatchObject({ graph, account: 'main' });
	expectCalls('POST /api/prompt');
});

test('GET /api/job/{prompt_id}/status', async () => {
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(50, 50) });
	await expect(connection.jobs.get(job_id)).resolves.toMatchObject({ job_id });
	expectCalls(`GET /api/job/${job_id}/status`);
	await connection.jobs.cancel(job_id);
});

test('GET /api/view', async () => {
	const [output] = (await finished(connection, quickGraph(0x900001))).outputs;
	expect(await collect((await connection.assets.download({ url: String(output?.url) })).bytes)).not.toHaveLength(0);
	const [view] = seen('GET /api/view');
	expect(view?.status).toBe(302);
	expect(Object.fromEntries(new URLSearchParams(view?.query))).toEqual({ filename: output?.name, subfolder: '', type: 'output' });
});

test('GET /api/queue', async () => {
	await expect(accountOf(connection).queue()).resolves.toEqual({ running: expect.any(Array), pending: expect.any(Array) });
	expectCalls('GET /api/queue');
});

test.each(['pending', 'running'])('POST /api/queue: a %s job', async (state) => {
	if (state === 'pending') harness.sandbox.configure({ workers: 0 });
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(100, 50) });
	if (state === 'running') await until(() => harness.sandbox.job(job_id)?.status === 'running');
	await expect(accountOf(connection).deleteFromQueue([job_id])).resolves.toEqual({ deleted: [job_id], cleared: false });
	harness.sandbox.configure({ workers: 4 });
	expectCalls('POST /api/queue');
});

test('POST /api/interrupt', async () => {
	await expect(accountOf(connection).interrupt()).resolves.toBeUndefined();
	expectCalls('POST /api/interrupt');
});

test('GET /ws', async () => {
	const job: Job = await connection.jobs.submit({ graph: slowGraph(100, 50) });
	for await (const event of connection.jobs.events(job)) {
		expect(event.kind).toBe('status');
		break;
	}
	const [socket] = seen('GET /ws');
	expect(Object.fromEntries(new URLSearchParams(socket?.query))).toEqual({
		clientId: expect.stringMatching(/^[0-9a-f-]{36}$/),
		token: harness.sandbox.keys.apiKey,
	});
	expect(socket?.status).toBe(101);
	await connection.jobs.cancel(job);
});
