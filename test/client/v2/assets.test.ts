import { until } from '../../support/until';
import { assetRecords, contentHash, IntegrityError, StoppedError, type UploadSource } from '../../../client';
import { chunksOf, collect, failureOf, patterned } from '../support/bytes';
import { imageGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { deadOrigin } from '../support/deadOrigin';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
const UPLOAD = 'POST /api/v2/assets';
const FROM_HASH = 'POST /api/v2/assets/from-hash';
const BY_HASH = 'HEAD /api/v2/assets/by-hash/:hash';

const sourceOf = (bytes: Uint8Array, rest: Partial<UploadSource> = {}): UploadSource => ({
	open: () => chunksOf(bytes),
	sizeBytes: bytes.length,
	contentType: 'application/octet-stream',
	...rest,
});
const fresh = (length = 1_000): Buffer => Buffer.concat([Buffer.from(crypto.randomUUID()), patterned(length)]);
const bodyBytes = (on: string): number[] => harness.sandbox.requests(on).map((request) => request.bodyBytes);

describe.each(['hosted', 'self_hosted'] as const)('upload to %s', (surface) => {
	test('sends the file once, with what describes it before it', async () => {
		const bytes = fresh();
		const { assets } = harness.connect(surface);
		const options = { filePath: 'input/cat ü.bin', tags: ['a', 'b'], expiresInSeconds: 3_600 };
		const { asset, bytesSent } = await assets.upload(sourceOf(bytes), options);
		expect(bytesSent).toBe(bytes.length);
		expect(asset).toMatchObject({
			hash: await contentHash(chunksOf(bytes)),
			size_bytes: bytes.length,
			file_path: 'input/cat ü.bin',
			created_new: true,
		});
		const [request] = harness.sandbox.requests(UPLOAD);
		expect(request?.headers['content-length']).toBe(String(request?.bodyBytes));
		expect(request?.headers['idempotency-key']).toBeUndefined();
		expect(await collect((await assets.download({ url: asset.url, sizeBytes: asset.size_bytes, hash: asset.hash })).bytes)).toEqual(bytes);
	});

	test('a second upload of the same file sends no byte of it', async () => {
		const bytes = fresh(100_000);
		const { assets } = harness.connect(surface);
		const options = { filePath: 'x.bin', skipIfStored: true };
		await expect(assets.upload(sourceOf(bytes), options)).resolves.toMatchObject({ bytesSent: bytes.length });
		harness.sandbox.resetRecords();
		const second = await assets.upload(sourceOf(bytes), options);
		expect(second.bytesSent).toBe(0);
		expect(second.asset.hash).toBe(await contentHash(chunksOf(bytes)));
		expect(bodyBytes(UPLOAD)).toEqual([]);
		expect(bodyBytes(BY_HASH)).toEqual([0]);
		expect(harness.sandbox.requests().reduce((sum, request) => sum + request.bodyBytes, 0)).toBeLessThan(500);
	});
});

test('a file of unknown size is sent in chunks', async () => {
	const bytes = fresh();
	const { bytesSent } = await harness.connect().assets.upload(sourceOf(bytes, { sizeBytes: undefined }), { filePath: 'x' });
	expect(bytesSent).toBe(bytes.length);
	expect(harness.sandbox.requests(UPLOAD)[0]?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
});

test('bytes that vanish after the check are uploaded after all', async () => {
	harness.sandbox.inject({ on: BY_HASH, answer: { status: 200 } });
	const bytes = fresh();
	const { bytesSent } = await harness.connect().assets.upload(sourceOf(bytes), { filePath: 'x', skipIfStored: true });
	expect(bytesSent).toBe(bytes.length);
	expect(harness.sandbox.requests(FROM_HASH)[0]?.status).toBe(404);
});

test('a file that cannot be sent is not opened', async () => {
	const open = jest.fn(() => chunksOf('x'));
	const { assets } = harness.connect('hosted', { baseUrl: await deadOrigin(), readBudgetMs: 0 });
	await expect(assets.upload({ open, contentType: 'text/plain' }, { filePath: 'x' })).rejects.toMatchObject({ trouble: 'refused' });
	expect(open).not.toHaveBeenCalled();
});

test.each([-1, 1])('a file that is %d byte off its size is no upload', async (offset) => {
	const bytes = fresh();
	const source = sourceOf(bytes, { sizeBytes: bytes.length + offset });
	expect(await failureOf(harness.connect().assets.upload(source, { filePath: 'x' }))).toBeInstanceOf(IntegrityError);
});

test('an empty file is a file', async () => {
	await expect(harness.connect('self_hosted').assets.upload(sourceOf(Buffer.alloc(0)), { filePath: 'x' })).resolves.toMatchObject({
		bytesSent: 0,
	});
});

test('a stop ends an upload and closes its source', async () => {
	const controller = new AbortController();
	const closed = jest.fn();
	const source = sourceOf(Buffer.alloc(0), {
		sizeBytes: undefined,
		open: async function* () {
			try {
				for (;;) {
					yield Buffer.alloc(1_024);
					await new Promise((resolve) => setTimeout(resolve, 10));
					if (harness.sandbox.requests(UPLOAD).length > 0) controller.abort();
				}
			} finally {
				closed();
			}
		},
	});
	expect(await failureOf(harness.connect().assets.upload(source, { filePath: 'x', signal: controller.signal }))).toBeInstanceOf(
		StoppedError,
	);
	await until(() => closed.mock.calls.length > 0);
	expect(closed).toHaveBeenCalledTimes(1);
});

test('records are read, minted from a hash, and deleted once', async () => {
	const connection = harness.connect();
	const [assets, records] = [connection.assets, assetRecords(connection)];
	const { asset } = await assets.upload(sourceOf(fresh()), { filePath: 'x' });
	await expect(records.get(String(asset.id))).resolves.toMatchObject({ id: asset.id, hash: asset.hash });
	await expect(records.has(String(asset.hash))).resolves.toBe(true);
	await expect(records.has('blake3:00')).resolves.toBe(false);
	await expect(records.fromHash(String(asset.hash), { filePath: 'other', tags: ['t'] })).resolves.toMatchObject({ hash: asset.hash });
	await records.delete(String(asset.id));
	await expect(records.get(String(asset.id))).rejects.toMatchObject({ status: 404 });
	await expect(records.delete(String(asset.id))).rejects.toMatchObject({ status: 404 });
});

test.each(['hosted', 'self_hosted'] as const)('a reference stands for the file in a graph on %s', async (surface) => {
	const { assets, jobs } = harness.connect(surface);
	const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
	const { asset } = await assets.upload(sourceOf(png, { contentType: 'image/png' }), { filePath: 'dot.png' });
	const job = await jobs.submit({ graph: imageGraph(assets.reference(asset)) });
	expect(job.status).toBe('queued');
});

test('bytes that are not the announced ones', async () => {
	harness.sandbox.inject({ on: 'HEAD /api/v2/assets/by-hash/:hash', answer: { status: 404 } });
	let reads = 0;
	const source = { open: () => chunksOf(reads++ === 0 ? 'before' : 'after!'), contentType: 'text/plain' };
	const failure = await failureOf(harness.connect().assets.upload(source, { filePath: 'x.txt', skipIfStored: true }));
	expect(failure).toMatchObject({ code: 'hash_mismatch', status: 409 });
});
