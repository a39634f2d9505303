import { randomBytes } from 'node:crypto';

import { type Answer, serve, type TestServer } from '../../client/support/server';
import { bytesOf, type Credential, type InputItem, type NodeResult, type NodeRun, runNode } from '../support/engine';
import { fileItem, uploadRun } from '../support/files';
import { credentialFor, type Way, ways } from '../support/flavours';
import { colorGraph, invertGraph } from '../support/graphs';
import { expectInverted, freshPicture, IMAGE, submissionsTo, uploadsTo } from '../support/inputImages';
import { laterRun } from '../support/retried';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();
let web: TestServer;
let answer: Answer;
beforeAll(async () => {
	web = await serve((request, response) => answer(request, response));
});
afterEach(() => void (web.seen.length = 0));
afterAll(async () => await web.close());

/** The web server sends each file at its path. */
const serving =
	(files: Record<string, Buffer>): Answer =>
	({ url }, response) =>
		void response.end(files[new URL(url, web.origin).pathname]);

const BINARY = { from: 'binary', binaryPropertyName: 'data' };
const fromUrl = (url: string) => ({ from: 'url', url });
const REFERENCE = { from: 'reference', reference: '={{ $json.reference }}' };

interface More extends Partial<Pick<NodeRun, 'asTool' | 'contextData'>> {
	items?: InputItem[];
	options?: object;
}
const runWith = async (credential: Credential, row: object, { options = {}, ...more }: More = {}): Promise<NodeResult> =>
	await runNode(
		runRun(credential, invertGraph(), {
			...more,
			parameters: { files: { values: [{ input: IMAGE, ...row }] }, options: options as never },
		}),
	);

const uploads = () => uploadsTo(sandbox);
const submissions = () => submissionsTo(sandbox);

describe.each(ways)('over %s', (way: Way) => {
	const credential = () => credentialFor(sandbox, way);

	it('takes a file from a URL without a file name, and sends no secret there', async () => {
		const png = await freshPicture();
		answer = serving({ '/pets/tom': png });
		await expectInverted(await runWith(credential(), fromUrl(`${web.origin}/pets/tom?size=1`)), png);
		expect([web.seen.length, uploads().length]).toEqual([1, 1]);
		const { data } = credential();
		const secrets = Object.values(data).filter(
			(value): value is string => typeof value === 'string' && value.length > 12 && !value.startsWith('http'),
		);
		for (const secret of secrets) expect(JSON.stringify(web.seen)).not.toContain(secret);
	});

	it('sends each of two files once for 20 items with any names, and keeps files of the same name apart', async () => {
		const pictures = [await freshPicture(), await freshPicture()] as const;
		const items = Array.from({ length: 20 }, (_, index) => fileItem(pictures[index % 2] as Buffer, `cat-${index % 3}.png`));
		const result = await runWith(credential(), BINARY, { items, options: { concurrency: 8 } });
		for (const index of [0, 1, 18, 19]) await expectInverted(result, pictures[index % 2] as Buffer, index);
		expect([result.outputs[0]?.length, uploads().length, submissions().length]).toEqual([20, 2, 20]);
	});

	it('takes the reference of an upload or an output, and sends no bytes again', async () => {
		const png = await freshPicture();
		const [uploaded] = jsons(await runNode(uploadRun(credential(), [fileItem(png)])));
		const first = await runWith(credential(), REFERENCE, { items: [{ json: { reference: uploaded?.reference as string } }] });
		await expectInverted(first, png);
		sandbox.resetRecords();
		const [made] = jsons(first);
		const second = await runWith(credential(), REFERENCE, { items: [{ json: made ?? {} }] });
		await expectInverted(second, await bytesOf(first.outputs[0]?.[0]));
		expect(uploads()).toEqual([]);
	});
});

it.each(['hosted', 'bare_engine'] as const)('each item takes its file from its own place, and a URL is fetched once (%s)', async (way) => {
	const credential = credentialFor(sandbox, way);
	const [one, other, stored] = [await freshPicture(), await freshPicture(), await freshPicture()];
	const [uploaded] = jsons(await runNode(uploadRun(credential, [fileItem(stored, 'stored.png')])));
	answer = serving({ '/one.png': one, '/other.png': other });
	sandbox.resetRecords();
	const base64 = (png: Buffer) => ({ from: 'base64', base64: `data:text/plain;base64,${png.toString('base64')}` });
	const items = [
		{ json: { from: 'binary' }, files: { data: { content: one, fileName: 'one.png', mimeType: 'image/png' } } },
		{ json: fromUrl(`${web.origin}/other.png`) },
		{ json: { from: 'reference', reference: uploaded?.reference as string } },
		{ json: base64(other) },
		{ json: { from: 'base64', base64: one.toString('base64url') } },
		{ json: fromUrl(`${web.origin}/other.png`) },
		{ json: fromUrl(`${web.origin}/one.png`) },
	];
	const row = {
		from: '={{ $json.from }}',
		binaryPropertyName: 'data',
		url: '={{ $json.url }}',
		reference: '={{ $json.reference }}',
		base64: '={{ $json.base64 }}',
	};
	const result = await runWith(credential, row, { items });
	for (const [index, png] of [one, other, stored, other, one, other, one].entries()) await expectInverted(result, png, index);
	expect([web.seen.length, submissions().length]).toEqual([2, 7]);
});

it('names a file in Base64 by the type of its first bytes, also for an agent', async () => {
	const base64 = `data:text/plain;base64,${(await freshPicture()).toString('base64')}`;
	const result = await runWith(credentialFor(sandbox), { from: 'base64', base64 }, { asTool: true });
	expect(result.error).toBeUndefined();
	expect(uploads().map(({ bodyText }) => /filename="([^"]*)"/.exec(bodyText)?.[1])).toEqual(['input.png']);
});

it('two files of 5 MiB from n8n’s file storage arrive unchanged', async () => {
	const head = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
	const files = [0, 1].map(() => Buffer.concat([head, randomBytes(5 * 1024 * 1024)]));
	const unused = (id: number) => ({ [id]: { class_type: 'LoadImage', inputs: { image: `${id}.png` } } });
	const run = runRun(
		credentialFor(sandbox),
		{ ...colorGraph(1), ...unused(7), ...unused(8) },
		{
			items: [{ files: { first: { content: files[0]! }, second: { content: files[1]! } } }],
			parameters: {
				files: {
					values: [
						{ input: { mode: 'name', value: '7.image' }, from: 'binary', binaryPropertyName: 'first' },
						{ input: { mode: 'name', value: '8.image' }, from: 'binary', binaryPropertyName: 'second' },
					],
				},
			},
		},
	);
	expect((await runNode(run)).error).toBeUndefined();
	expect(uploads()).toHaveLength(2);
	// The service knows both by the hashes of their bytes.
	const uploaded = await runNode(
		uploadRun(
			credentialFor(sandbox),
			files.map((file) => fileItem(file)),
		),
	);
	expect(jsons(uploaded)).toMatchObject([{ bytes_sent: 0 }, { bytes_sent: 0 }]);
});

describe('an agent', () => {
	it('can pass a URL, and never a file of the item', async () => {
		answer = serving({ '/cat.png': await freshPicture() });
		const result = await runWith(credentialFor(sandbox), fromUrl(`${web.origin}/cat.png`), { asTool: true });
		expect(result.error).toBeUndefined();
		const refused = await runWith(credentialFor(sandbox), BINARY, { asTool: true });
		expect(JSON.stringify(jsons(refused))).toMatch(
			/File 1 \(Picture · image\): an AI agent cannot pass files to a tool\b.*Set From to URL or Reference/,
		);
	});

	it('that calls again with the same workflow and another file gets another job, and with the first file its own job', async () => {
		answer = serving({ '/one.png': await freshPicture(), '/other.png': await freshPicture() });
		const READ = 'GET /api/v2/jobs/:id';
		const call = async (path: string, before?: NodeResult) =>
			await runWith(credentialFor(sandbox), fromUrl(web.origin + path), {
				asTool: true,
				...(before && { contextData: laterRun(before) }),
			});
		sandbox.inject({ on: READ, times: Infinity, answer: { status: 403, code: 'forbidden' } });
		const interrupted = await call('/one.png');
		sandbox.clearFaults();
		const other = await call('/other.png', interrupted);
		const again = await call('/one.png', interrupted);
		expect(jsons(interrupted)).toMatchObject([{ error: expect.any(String), job_id: expect.any(String) }]);
		expect(jsons(other)[0]).toMatchObject({ status: 'succeeded' });
		expect(jsons(other)[0]?.job_id).not.toBe(jsons(interrupted)[0]?.job_id);
		expect(jsons(again)).toMatchObject([{ job_id: jsons(interrupted)[0]?.job_id, status: 'succeeded' }]);
		expect(submissions()).toHaveLength(2);
	});
});

it('a retry of the node sends no bytes that the service already has', async () => {
	const png = await freshPicture();
	sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 500, code: 'upstream_error' }, times: 50 });
	const first = await runWith(credentialFor(sandbox), BINARY, { items: [fileItem(png)], options: { maxWaitMinutes: 0.001 } });
	expect(first.error).toBeDefined();
	sandbox.clearFaults();
	await expectInverted(await runWith(credentialFor(sandbox), BINARY, { items: [fileItem(png)] }), png);
	expect(uploads()).toHaveLength(1);
});
