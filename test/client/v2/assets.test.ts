import { until } from '../../support/until';
import { IntegrityError, StoppedError, type UploadSource } from '../../../client';
import { chunksOf, failureOf, patterned } from '../support/bytes';
import { useSandbox } from '../support/sandbox';
import { deadOrigin } from '../support/deadOrigin';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const harness = useSandbox();
const UPLOAD = 'POST /api/v2/assets';

const sourceOf = (bytes: Uint8Array, rest: Partial<UploadSource> = {}): UploadSource => ({
	open: () => chunksOf(bytes),
	sizeBytes: bytes.length,
	contentType: 'application/octet-stream',
	...rest,
});
const fresh = (length = 1_000): Buffer => Buffer.concat([Buffer.from(crypto.randomUUID()), patterned(length)]);

test('two uploads of equal content send the bytes once, and each has its own path, tags and lifetime', async () => {
	const { assets } = harness.connect();
	const bytes = fresh();
	const uploads = [
		{ filePath: 'input/one.png', tags: ['red', 'blue'], expiresInSeconds: 600, skipIfStored: true },
		{ filePath: 'input/two.png', tags: ['green', 'gold'], expiresInSeconds: 1_200, skipIfStored: true },
	];
	const results = [];
	for (const options of uploads) results.push(await assets.upload(sourceOf(bytes), options));
	expect(results).toMatchObject([
		{ bytesSent: bytes.length, asset: { file_path: 'input/one.png' } },
		{ bytesSent: 0, asset: { file_path: 'input/two.png' } },
	]);
	expect(results[0]?.asset.hash).toBe(results[1]?.asset.hash);
	expect(results[0]?.asset.id).not.toBe(results[1]?.asset.id);
	const form = harness.sandbox.requests(UPLOAD)[0]?.bodyText ?? '';
	expect([...form.matchAll(/name="(tags|expires_in)"\r\n\r\n(\w+)/g)].map(([, , value]) => value)).toEqual(['red', 'blue', '600']);
	const [fromHash] = harness.sandbox.requests('POST /api/v2/assets/from-hash');
	expect(JSON.parse(fromHash?.bodyText ?? '')).toMatchObject({ tags: ['green', 'gold'], expires_in: 1_200 });
});

test('files of unknown size are sent in chunks, also an empty one', async () => {
	for (const bytes of [fresh(), Buffer.alloc(0)]) {
		const { bytesSent } = await harness.connect().assets.upload(sourceOf(bytes, { sizeBytes: undefined }), { filePath: 'x' });
		expect(bytesSent).toBe(bytes.length);
	}
	for (const { headers } of harness.sandbox.requests(UPLOAD)) expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' });
});

test('a file is not opened when the service cannot be reached', async () => {
	const open = jest.fn(() => chunksOf('x'));
	const { assets } = harness.connect('hosted', { baseUrl: await deadOrigin(), readBudgetMs: 0 });
	await expect(assets.upload({ open, contentType: 'text/plain' }, { filePath: 'x' })).rejects.toMatchObject({ trouble: 'refused' });
	expect(open).not.toHaveBeenCalled();
});

test.each([-1, 1])('an upload fails when the file is %d byte off its announced size', async (offset) => {
	const bytes = fresh();
	const source = sourceOf(bytes, { sizeBytes: bytes.length + offset });
	expect(await failureOf(harness.connect().assets.upload(source, { filePath: 'x' }))).toBeInstanceOf(IntegrityError);
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

test('an upload fails when the file changes between its hash and its bytes', async () => {
	harness.sandbox.inject({ on: 'HEAD /api/v2/assets/by-hash/:hash', answer: { status: 404 } });
	let reads = 0;
	const source = { open: () => chunksOf(reads++ === 0 ? 'before' : 'after!'), contentType: 'text/plain' };
	const failure = await failureOf(harness.connect().assets.upload(source, { filePath: 'x.txt', skipIfStored: true }));
	expect(failure).toMatchObject({ code: 'hash_mismatch', status: 409 });
});

test('a deletion whose response was lost is not repeated, because the second one would report the file as missing', async () => {
	const { assets } = harness.connect();
	const files = [await assets.upload(sourceOf(fresh()), { filePath: 'x' }), await assets.upload(sourceOf(fresh()), { filePath: 'y' })];
	const [first, second] = files.map(({ asset }) => String(asset.id));
	const remove = 'DELETE /api/v2/assets/:id';
	harness.sandbox.inject({ on: remove, fault: { kind: 'drop_after' } });
	expect(await failureOf(assets.records?.delete(String(first)) ?? Promise.resolve())).toMatchObject({ name: 'ConnectionError' });
	await assets.records?.delete(String(second));
	expect(harness.sandbox.requests(remove).map(({ path }) => path.split('/').at(-1))).toEqual([first, second]);
});
