import { type ApiGraph, type AssetReference, type Job, NoServerError } from '../../../client';
import type { EngineConnection, PoolConnection } from '../../../client/connection';
import { PoolFiles } from '../../../client/pool/files';
import { delay } from '../../../client/transport/delay';
import { ServerContact } from '../../../client/contact/serverContact';
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
const loadGraph = (image: AssetReference): ApiGraph => ({
	1: { class_type: 'LoadImage', inputs: { image } },
	2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'copy' } },
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
	test('is uploaded to the first server, and its reference is its address', async () => {
		const connection = pool.open();
		const name = newName();
		const { asset } = await upload(connection, `folder/${name}`);
		expect(asset.server).toBe(pool.address(0));
		expect(connection.assets.reference(asset)).toBe(`${pool.address(0)}/api/view?filename=${name}&subfolder=folder&type=input`);
		expect(pool.counts(UPLOAD)).toEqual([1, 0, 0]);
	});

	test('is uploaded to the next server if the first one is down', async () => {
		await pool.engine(0).stopEngine();
		expect((await upload(pool.open())).asset.server).toBe(pool.address(1));
	});

	test('is uploaded when a server responds again, if all were down', async () => {
		await Promise.all([0, 1, 2].map(async (nth) => await pool.engine(nth).stopEngine()));
		const uploading = upload(pool.open());
		await delay(7_000);
		await pool.engine(2).startEngine();
		expect((await uploading).asset.server).toBe(pool.address(2));
	});

	test('is uploaded to the next server if the first ones refuse it, and the error names each server if all refuse it', async () => {
		for (const nth of [0, 1]) pool.inject(nth, { on: UPLOAD, times: Infinity, answer: { status: 413 } });
		expect((await upload(pool.open())).asset.server).toBe(pool.address(2));
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

	test('is not uploaded if all servers are down', async () => {
		for (const nth of [0, 1, 2]) await pool.engine(nth).stopEngine();
		expect(await failureOf(upload(pool.open()))).toBeInstanceOf(NoServerError);
	});

	test('is used by its name on its own server, and nothing is copied', async () => {
		const connection = pool.open();
		const name = newName();
		const reference = connection.assets.reference((await upload(connection, `folder/${name}`)).asset);
		await expect(runAt(0, connection, loadGraph(reference))).resolves.toMatchObject({ status: 'succeeded', server: pool.address(0) });
		expect([sentImage(0), pool.counts(UPLOAD), pool.counts(VIEW)]).toEqual([`folder/${name}`, [1, 0, 0], [0, 0, 0]]);
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

	test('two files with the same name and other bytes are both used', async () => {
		const connection = pool.open();
		const name = newName();
		const references = [0x111111, 0x222222].map(async (color) =>
			connection.assets.reference((await upload(connection, name, color)).asset),
		);
		const [first, second] = await Promise.all(references);
		for (const nth of [0, 2]) await pool.redefine(nth, 'SaveImage', () => undefined);
		await connection.jobs.submit({ graph: loadGraph(first ?? '') });
		const one = sentImage(1);
		await connection.jobs.submit({ graph: loadGraph(second ?? '') });
		expect([one, sentImage(1)].sort()).toEqual([name, name.replace('.png', ' (1).png')].sort());
	});

	test('an output of one server is an input on another one', async () => {
		const connection = pool.open();
		const { asset } = await upload(connection);
		const job = await runAt(0, connection, loadGraph(connection.assets.reference(asset)));
		const reference = job.outputs[0]?.reference ?? '';
		pool.engine(1).clearFaults();
		await pool.redefine(0, 'SaveImage', () => undefined);
		const next = pool.open();
		const copied = await ended(next, await next.jobs.submit({ graph: loadGraph(reference) }));
		expect([copied.status, copied.server]).toEqual(['succeeded', pool.address(1)]);
	});

	test('an output is used by its annotated name on its own server', async () => {
		const connection = pool.open();
		const job = await runAt(0, connection, loadGraph(connection.assets.reference((await upload(connection)).asset)));
		await connection.jobs.submit({ graph: loadGraph(job.outputs[0]?.reference ?? '') });
		expect(sentImage(0)).toBe(`${String(job.outputs[0]?.filename ?? job.outputs[0]?.name)} [output]`);
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
		const servers = [0, 1].map((nth) => ({ baseUrl: pool.address(nth), engineUrl: '', wanted: 'engine' as const }));
		const connection = pool.open({ waitMs: 0, servers });
		const graph = loadGraph(connection.assets.reference((await upload(connection)).asset));
		await pool.engine(0).stopEngine();
		const failure = await failureOf(connection.jobs.submit({ graph }));
		expect(failure).toMatchObject({ name: 'ConnectionError', origin: pool.address(0) });
		expect([pool.counts(PROMPT), pool.runs()]).toEqual([
			[0, 0, 0],
			[0, 0, 0],
		]);
		const plain: ApiGraph = { ...graph, 1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 1 } } };
		await connection.jobs.submit({ graph: plain });
		expect(pool.runs()).toEqual([0, 1, 0]);
	});

	test('it no longer exists: the error says so, and no job is made', async () => {
		const graph = loadGraph(`${pool.address(2)}/api/view?filename=gone.png&subfolder=&type=input`);
		expect(await failureOf(pool.submit({}, graph))).toMatchObject({ code: 'not_found', status: 404 });
		expect(pool.counts(PROMPT)).toEqual([0, 0, 0]);
	});
});

describe('files of the item', () => {
	test('are placed on the server that runs the job, after it was chosen', async () => {
		const connection = pool.open();
		await pool.redefine(0, 'SaveImage', () => undefined);
		const placed: string[] = [];
		const placeFiles = async (address: string): Promise<ApiGraph> => {
			placed.push(address);
			const member = connection.members?.find((one) => one.address === address);
			const { assets } = (await member?.open()) as EngineConnection;
			const { asset } = await assets.upload(pngSource(await picture(0x334455)), { filePath: newName() });
			return loadGraph(assets.reference(asset));
		};
		const options = { placement: { isAwaited: true, jobsToCome: 0, whenLost: 'report' as const, placeFiles } };
		const job = await connection.jobs.submit({ graph: loadGraph('to-place.png') }, options);
		expect(await ended(connection, job)).toMatchObject({ status: 'succeeded', server: pool.address(1) });
		expect([placed, pool.counts(UPLOAD)]).toEqual([[pool.address(1)], [0, 1, 0]]);
	});

	test('are placed on the next server if the first one refuses the connection', async () => {
		const connection = pool.open();
		pool.inject(0, { on: PROMPT, times: Infinity, answer: { status: 429 } });
		const placed: string[] = [];
		const placeFiles = async (address: string): Promise<ApiGraph> => {
			placed.push(address);
			return await Promise.resolve({
				1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 2 } },
				2: loadGraph('')['2'] as never,
			});
		};
		await connection.jobs.submit(
			{ graph: loadGraph('x.png') },
			{ placement: { isAwaited: true, jobsToCome: 0, whenLost: 'report', placeFiles } },
		);
		expect(placed).toEqual([pool.address(0), pool.address(1)]);
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
		const alone = pool.open({ servers: [{ baseUrl: pool.address(2), engineUrl: '', wanted: 'engine' }] });
		await upload(alone, name);
		expect((await maskOf(pool.open(), name))?.asset.server).toBe(pool.address(2));
	});

	test('no server has the image', async () => {
		expect(await failureOf(maskOf(pool.open(), 'nowhere.png'))).toMatchObject({ code: 'original_not_found' });
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

test.each([0, 1, 2])('an output of server %d is downloaded from there', async (nth) => {
	const connection = pool.open();
	const { outputs } = await ended(connection, await pool.submitTo(nth));
	const { url } = outputs[0] as { url: string };
	const { bytes } = await connection.assets.download({ url });
	expect((await collect(bytes as AsyncIterable<Uint8Array>)).length).toBeGreaterThan(50);
	expect(pool.counts(VIEW)).toEqual([0, 1, 2].map((one) => (one === nth ? 1 : 0)));
});
