import { type ApiGraph, type AssetReference, type Job } from '../../../client';
import type { PoolConnection } from '../../../client/connection/connection';
import { PoolFiles } from '../../../client/pool/poolFiles';
import { delay } from '../../../client/async/delay';
import { ServerContact } from '../../../client/contact/serverContact';
import { pixelsOf } from '../../nodes/support/pictures';
import { runFaster } from '../../support/fastClock';
import { PROMPT } from '../engine/support/engine';
import { collect, failureOf } from '../support/bytes';
import { picture, pngSource } from '../support/pictures';
import { ended, usePool } from './support/pool';

const pool = usePool();
runFaster(10);
const UPLOAD = 'POST /api/upload/image';
const VIEW = 'GET /api/view';

let names = 0;
const newName = (): string => `pool-${(names += 1)}.png`;
const loadGraph = (image: AssetReference, [load, save] = ['1', '2']): ApiGraph => ({
	[load]: { class_type: 'LoadImage', inputs: { image } },
	[save]: { class_type: 'SaveImage', inputs: { images: [load, 0], filename_prefix: 'copy' } },
});
const upload = async ({ assets }: Pick<PoolConnection, 'assets'>, filePath = newName(), color = (names * 7_919) % 0xffffff) =>
	await assets.upload(pngSource(await picture(color)), { filePath });
/** Keeps the other engines free, so that the next jobs go to this one. */
async function runAt(nth: number, connection: PoolConnection, graph: ApiGraph): Promise<Job> {
	const busy = [0, 1, 2].filter((one) => one !== nth);
	for (const one of busy) await pool.redefine(one, 'SaveImage', () => undefined);
	return await ended(connection, await connection.jobs.submit({ graph }));
}
const sentImage = (nth: number): unknown => {
	const [request] = pool.engine(nth).requests(PROMPT, 'engine').slice(-1);
	return (JSON.parse(request?.bodyText ?? '{}') as { prompt: ApiGraph }).prompt['1']?.inputs.image;
};

describe('a file', () => {
	test('is uploaded when a server responds again, if all were down', async () => {
		await Promise.all([0, 1, 2].map(async (nth) => await pool.engine(nth).stopEngine()));
		const uploading = upload(pool.open());
		await delay(7_000);
		await pool.engine(2).startEngine();
		expect((await uploading).asset.server).toBe(pool.address(2));
	});

	test('is uploaded to the next server if the first ones refuse it, and the error names each server if all refuse it', async () => {
		for (const nth of [0, 1]) pool.inject(nth, { on: UPLOAD, times: Infinity, answer: { status: 413 } });
		const options = { filePath: newName(), use: 'temp' as const };
		const { asset } = await pool.open().assets.upload(pngSource(await picture(1)), options);
		expect(asset).toMatchObject({ server: pool.address(2), type: 'temp' });
		expect(pool.counts(UPLOAD)).toEqual([1, 1, 1]);
		pool.inject(2, { on: UPLOAD, answer: { status: 403 } });
		expect(await failureOf(upload(pool.open()))).toMatchObject({
			status: 413,
			server: pool.address(0),
			refusals: [
				{ status: 413, server: pool.address(1) },
				{ status: 403, server: pool.address(2) },
			],
		});
	});

	test('is uploaded to the first server, its reference is its address, and its own server uses it by its name', async () => {
		const connection = pool.open();
		const name = newName();
		const { asset } = await upload(connection, `folder/${name}`);
		const reference = connection.assets.reference(asset);
		expect(reference).toBe(`${pool.address(0)}/api/view?filename=${name}&subfolder=folder&type=input`);
		await expect(runAt(0, connection, loadGraph(reference))).resolves.toMatchObject({ status: 'succeeded', server: pool.address(0) });
		expect([asset.server, sentImage(0), pool.counts(UPLOAD), pool.counts(VIEW)]).toEqual([
			pool.address(0),
			`folder/${name}`,
			[1, 0, 0],
			[0, 0, 0],
		]);
	});

	test('is copied once to each other server that uses it, for several jobs at the same time', async () => {
		const connection = pool.open();
		const { asset } = await upload(connection);
		const graph = loadGraph(connection.assets.reference(asset));
		await pool.redefine(0, 'SaveImage', () => undefined);
		pool.engine(0).resetRecords();
		const jobs = await Promise.all([0, 1, 2, 3].map(async () => await ended(connection, await connection.jobs.submit({ graph }))));
		expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'succeeded'));
		expect([pool.counts(PROMPT), pool.counts(UPLOAD), pool.counts(VIEW)]).toEqual([
			[0, 2, 2],
			[0, 1, 1],
			[2, 0, 0],
		]);
		expect(sentImage(1)).toBe(asset.name);
	});

	test('is copied again after a copy failed', async () => {
		const connection = pool.open();
		const graph = loadGraph(connection.assets.reference((await upload(connection)).asset));
		await pool.redefine(0, 'SaveImage', () => undefined);
		await pool.redefine(2, 'SaveImage', () => undefined);
		pool.inject(1, { on: UPLOAD, answer: { status: 413 } });
		expect(await failureOf(connection.jobs.submit({ graph }))).toMatchObject({ status: 413 });
		await expect(connection.jobs.submit({ graph })).resolves.toMatchObject({ server: pool.address(1) });
	});

	test('has its own bytes on the server of a job, although three files on two servers have its name', async () => {
		const connection = pool.open();
		const name = newName();
		const alone = [0, 1].map((nth) => pool.open({ servers: pool.settings(nth) }));
		const files = [
			await upload(alone[0] as PoolConnection, name, 0x010101),
			await upload(alone[0] as PoolConnection, `folder/${name}`, 0x020202),
			await upload(alone[1] as PoolConnection, name, 0x030303),
		];
		const [first, folder, second] = files.map(({ asset }) => connection.assets.reference(asset)) as [string, string, string];
		const graph = { ...loadGraph(first), ...loadGraph(folder, ['3', '4']), ...loadGraph(second, ['5', '6']) };
		const { outputs, server } = await runAt(2, connection, graph);
		expect(server).toBe(pool.address(2));
		const colors: Record<string, number[]> = {};
		for (const { node_id: node, url } of outputs) {
			const { bytes } = await connection.assets.download({ url: String(url) });
			colors[node] = [...(await pixelsOf(await collect(bytes))).subarray(0, 3)];
		}
		expect(colors).toEqual({ 2: [1, 1, 1], 4: [2, 2, 2], 6: [3, 3, 3] });
	});

	test('that a job made is an input by its annotated name on its own server, and copied to another one', async () => {
		const connection = pool.open();
		const { asset } = await upload(connection);
		const job = await runAt(0, connection, loadGraph(connection.assets.reference(asset)));
		const reference = job.outputs[0]?.reference ?? '';
		await connection.jobs.submit({ graph: loadGraph(reference) });
		expect(sentImage(0)).toBe(`${String(job.outputs[0]?.filename ?? job.outputs[0]?.name)} [output]`);
		pool.engine(1).clearFaults();
		await pool.redefine(0, 'SaveImage', () => undefined);
		const next = pool.open();
		const copied = await ended(next, await next.jobs.submit({ graph: loadGraph(reference) }));
		expect([copied.status, copied.server]).toEqual(['succeeded', pool.address(1)]);
	});

	test.each([
		['the address of another server', (address: string) => `${address.replace('127.0.0.1', 'localhost')}/api/view?filename=a.png`],
		['an address without a file', (address: string) => `${address}/api/view?subfolder=x`],
		['another route', (address: string) => `${address}/api/queue?filename=a.png`],
		['a plain text', () => 'http://'],
	])('%s is no reference, and is sent unchanged', async (_name, textOf) => {
		const connection = pool.open();
		const text = textOf(pool.address(0));
		await failureOf(connection.jobs.submit({ graph: loadGraph(text) }));
		expect([sentImage(0), pool.counts(VIEW)]).toEqual([text, [0, 0, 0]]);
	});

	test('the server that has it is down: the error names this server, no job is made, and the others stay in use', async () => {
		const connection = pool.open({ waitMs: 0, servers: pool.settings(0, 1) });
		const graph = loadGraph(connection.assets.reference((await upload(connection)).asset));
		await pool.engine(0).stopEngine();
		const failure = await failureOf(connection.jobs.submit({ graph }));
		expect(failure).toMatchObject({ name: 'ConnectionError', origin: pool.address(0) });
		expect(pool.sent()).toEqual({ prompts: [0, 0, 0], runs: [0, 0, 0] });
		const plain: ApiGraph = { ...graph, 1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 1 } } };
		await connection.jobs.submit({ graph: plain });
		expect(pool.runs()).toEqual([0, 1, 0]);
	});
});

describe('a mask', () => {
	const maskOf = async ({ assets }: Pick<PoolConnection, 'assets'>, filename: string) =>
		await assets.masks?.upload(pngSource(await picture(0xff0000)), {
			filePath: newName(),
			original: { filename, subfolder: '', type: 'input' },
		});

	test('goes to the server that its image names', async () => {
		const connection = pool.open();
		const name = newName();
		await pool.engine(0).stopEngine();
		const reference = connection.assets.reference((await upload(connection, name)).asset);
		await pool.engine(0).startEngine();
		// Another image of the same name.
		await upload(pool.open(), name, 0x777777);
		expect((await maskOf(pool.open(), String(reference)))?.asset.server).toBe(pool.address(1));
		expect(pool.counts('POST /api/upload/mask')).toEqual([0, 1, 0]);
	});

	test('goes to the server that has an image of this name', async () => {
		const name = newName();
		const alone = pool.open({ servers: pool.settings(2) });
		await upload(alone, name);
		expect((await maskOf(pool.open(), name))?.asset.server).toBe(pool.address(2));
	});

	test('no server has the image', async () => {
		expect(await failureOf(maskOf(pool.open(), 'nowhere.png'))).toMatchObject({ code: 'original_not_found' });
		for (const nth of [0, 1, 2]) pool.inject(nth, { on: VIEW, times: Infinity, answer: { status: 403 } });
		expect(await failureOf(maskOf(pool.open(), 'nowhere.png'))).toMatchObject({ code: 'forbidden', status: 403 });
	});
});

test('a file belongs to the server with the longest matching address', async () => {
	const downloads: string[] = [];
	const at = (address: string) =>
		({ address, open: () => Promise.resolve({ assets: { download: () => Promise.resolve(downloads.push(address)) } }) }) as never;
	const [whole, part] = [at('http://gpu'), at('http://gpu/two')];
	const files = new PoolFiles([whole, part], { contact: new ServerContact(0), closed: new AbortController().signal });
	const url = 'http://gpu/two/api/view?filename=a.png&subfolder=&type=input';
	await files.download({ url });
	expect(downloads).toEqual(['http://gpu/two']);
	expect((await files.localize(loadGraph(url), part, {}))['1']?.inputs.image).toBe('a.png');
});

test('the outputs of two servers are downloaded from their own servers', async () => {
	const connection = pool.open();
	for (const nth of [0, 2]) {
		const { outputs } = await ended(connection, await pool.submitTo(nth));
		const { bytes } = await connection.assets.download({ url: String(outputs[0]?.url) });
		expect((await collect(bytes)).length).toBeGreaterThan(50);
	}
	expect(pool.counts(VIEW)).toEqual([1, 0, 1]);
});
