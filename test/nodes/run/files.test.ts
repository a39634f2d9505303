import { type Answer, json, serve, type TestServer } from '../../client/support/server';
import { bytesOf, type Credential, type InputItem, type NodeResult, runNode } from '../support/engine';
import { fileItem, uploadRun } from '../support/files';
import { credentialFor, type Way, ways } from '../support/flavours';
import { colorGraph, invertGraph } from '../support/graphs';
import { expectInverted, freshPicture, IMAGE, submissionsTo, uploadsTo } from '../support/inputImages';
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

const sending =
	(body: Uint8Array | string, headers: Record<string, string> = {}, status = 200): Answer =>
	(_request, response) =>
		void response.writeHead(status, headers).end(body);

const rows = (...values: object[]) => ({ files: { values: values.map((row) => ({ input: IMAGE, ...row })) } });
const BINARY = { from: 'binary', binaryPropertyName: 'data' };
const fromUrl = (url: string) => ({ from: 'url', url });
const fromReference = (reference: unknown) => ({ from: 'reference', reference });
const runWith = async (
	credential: Credential,
	row: object,
	more: { items?: InputItem[]; options?: object; settings?: object; asTool?: boolean } = {},
): Promise<NodeResult> => {
	const { options = {}, ...rest } = more;
	return await runNode(runRun(credential, invertGraph(), { ...rest, parameters: { ...rows(row), options: options as never } }));
};

const uploads = () => uploadsTo(sandbox);
const submissions = () => submissionsTo(sandbox);

describe.each(ways)('over %s', (way: Way) => {
	const credential = () => credentialFor(sandbox, way);

	it('takes a file from a URL without a file name, and sends no secret there', async () => {
		const png = await freshPicture();
		answer = sending(png);
		await expectInverted(await runWith(credential(), fromUrl(`${web.origin}/pets/tom?size=1`)), png);
		expect([web.seen.length, uploads().length]).toEqual([1, 1]);
		const { data } = credential();
		const secrets = Object.values(data).filter(
			(value): value is string => typeof value === 'string' && value.length > 12 && !value.startsWith('http'),
		);
		for (const secret of secrets) expect(JSON.stringify(web.seen)).not.toContain(secret);
	});

	it('sends a file once for 20 items with the same content, whatever its names', async () => {
		const png = await freshPicture();
		const items = Array.from({ length: 20 }, (_, index) => fileItem(png, `cat-${index % 3}.png`));
		const result = await runWith(credential(), BINARY, { items, options: { concurrency: 8 } });
		await expectInverted(result, png, 19);
		expect(result.outputs[0]).toHaveLength(20);
		expect([uploads().length, submissions().length]).toEqual([1, 20]);
	});

	it('fetches and sends a file once for 20 items with the same URL', async () => {
		const png = await freshPicture();
		answer = sending(png);
		const result = await runWith(credential(), fromUrl(`${web.origin}/cat.png`), {
			items: Array.from({ length: 20 }, (_, n) => ({ json: { n } })),
			options: { concurrency: 8 },
		});
		await expectInverted(result, png, 19);
		expect([web.seen.length, uploads().length]).toEqual([1, 1]);
	});

	it('keeps files with the same name and different bytes apart', async () => {
		const [one, other] = [await freshPicture(), await freshPicture()];
		const result = await runWith(credential(), BINARY, { items: [fileItem(one), fileItem(other)], options: { concurrency: 2 } });
		await expectInverted(result, one, 0);
		await expectInverted(result, other, 1);
	});

	it('takes the reference of an upload or an output, and sends no bytes again', async () => {
		const png = await freshPicture();
		const [uploaded] = jsons(await runNode(uploadRun(credential(), [fileItem(png)])));
		const first = await runWith(credential(), fromReference('={{ $json.reference }}'), {
			items: [{ json: { reference: uploaded?.reference as string } }],
		});
		await expectInverted(first, png);
		sandbox.resetRecords();
		const [made] = jsons(first);
		const second = await runWith(credential(), fromReference('={{ $json.reference }}'), { items: [{ json: made ?? {} }] });
		await expectInverted(second, await bytesOf(first.outputs[0]?.[0]));
		expect(uploads()).toEqual([]);
	});

	it('takes a file from a URL as an AI tool, and never from the item', async () => {
		const png = await freshPicture();
		answer = sending(png);
		const result = await runWith(credential(), fromUrl(`${web.origin}/cat.png`), { asTool: true });
		expect(result.error).toBeUndefined();
		const refused = await runWith(credential(), BINARY, { asTool: true });
		expect(JSON.stringify(jsons(refused))).toMatch(
			/File 1 \(Picture · image\): an AI agent cannot pass files to a tool\b.*Set From to URL or Reference/,
		);
	});
});

describe('a file is rejected in words before anything is submitted', () => {
	const png = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1');
	const other = (id: number, title: string) => ({ [id]: { class_type: 'LoadImage', _meta: { title }, inputs: { image: `${id}.png` } } });
	type Case = { way?: Way; graph?: object; row?: object; second?: object; answer?: Answer; items?: InputItem[]; options?: object };
	const cases: Array<[string, Case, RegExp, RegExp]> = [
		[
			'no such binary field',
			{ row: BINARY, items: [{ json: {} }] },
			/^File 1 \(Picture · image\): the item has no file in the field "data"/,
			/has no files at all/,
		],
		[
			'a binary field that is empty',
			{ row: { from: 'binary', binaryPropertyName: '' } },
			/^Binary Field of File 1 \(Picture · image\) is empty/,
			/Enter the name/,
		],
		[
			'an empty file',
			{ row: BINARY, items: [fileItem(Buffer.alloc(0))] },
			/File 1 .*: the file in the field "data" is empty/,
			/node that created the file/,
		],
		[
			'a PDF as an image',
			{ row: BINARY, items: [fileItem(Buffer.from('%PDF-1.7 …'), 'cat.png')] },
			/the file "cat.png" is a PDF, but this input needs an image/,
			/a different field/,
		],
		[
			'a web page that a node has saved',
			{ row: BINARY, items: [fileItem(Buffer.from('<!doctype html><p>'), 'cat.png')] },
			/is a web page, but this input needs an image/,
			/message of the server instead/,
		],
		['no address', { row: fromUrl('cat.png') }, /^File 1 .*: the URL is not a web address/, /begins with https/],
		['an empty address', { row: fromUrl('={{ $json.missing }}') }, /^URL of File 1 .* is empty/, /expression/],
		['a web page', { answer: sending('<html><title>Sign in</title>') }, /returned a web page instead of a file/, /sign-in/],
		['JSON', { answer: json(200, { error: 'gone' }) }, /returned JSON, but this input needs an image/, /private browser window/],
		['404', { answer: json(404, {}) }, /returned HTTP 404 instead of the file/, /no longer exists/],
		['403', { answer: json(403, {}) }, /returned HTTP 403/, /HTTP Request/],
		['an empty answer', { answer: sending('', { 'content-length': '0' }) }, /the file at .* is empty/, /browser/],
		[
			'1 GiB',
			{ answer: (_request, response) => void response.writeHead(200, { 'content-length': 1024 ** 3 }).write(png) },
			/is larger than 500 MB: its size is 1,024 MB/,
			/Largest File \(MB\)/,
		],
		[
			'more than the option allows',
			{ answer: sending(Buffer.concat([png, Buffer.alloc(1_200_000)])), options: { largestFileMb: 1 } },
			/is larger than 1 MB/,
			/enter a larger number/,
		],
		['a circle', { answer: sending('', { location: '/cat.png' }, 302) }, /redirects too many times/, /browser/],
		['a reference that is empty', { row: fromReference('={{ $json.missing }}') }, /^Reference of File 1 .* is empty/, /Comfy Upload Asset/],
		[
			'a reference that is none',
			{ row: fromReference('{"__type":"core/ASSET"') },
			/^File 1 \(Picture · image\): the reference names no file/,
			/\$json\.reference/,
		],
		[
			'an input that is not there',
			{ row: { ...fromReference('a.png'), input: { mode: 'name', value: 'Lost · image' } } },
			/^File 1 \(Lost · image\): the workflow has no input/,
			/Correct or remove this row of Files/,
		],
		[
			'an input that is linked',
			{ row: { ...fromReference('a.png'), input: { mode: 'name', value: '2.image' } } },
			/^File 1 \(2\.image\): "2\.image" gets its value from node 1/,
			/No job|Nothing/,
		],
		[
			'an input that was not chosen',
			{ row: { ...fromReference('a.png'), input: { mode: 'list', value: '' } } },
			/^File 1: no input is chosen/,
			/remove the row/,
		],
		[
			'an input whose id is another one’s since the workflow was edited',
			{ row: fromReference('a.png'), graph: { ...other(1, 'Mask'), ...other(4, 'Picture') } },
			/^File 1 \(Picture · image\): 1\.image is "Mask · image" in this workflow$/,
			/is now 4\.image/,
		],
		[
			'two rows for one input',
			{ row: fromReference('a.png'), second: fromReference('b.png') },
			/^File 2 \(Picture · image\): File 1 \(Picture · image\) sets the same input, 1\.image$/,
			/./,
		],
		...(['v1', 'engine'] as const).map((way): (typeof cases)[number] => [
			`a reference of v2 over ${way}`,
			{ way, row: fromReference('{"__type":"core/ASSET","info":{"id":"1"}}') },
			/the reference is one of v2/,
			/./,
		]),
		[
			'a second row, before the first file is sent',
			{
				row: BINARY,
				second: { ...BINARY, binaryPropertyName: 'mask', input: { mode: 'name', value: '5.image' } },
				graph: { ...invertGraph(), ...other(5, 'Mask') },
				items: [fileItem(png)],
			},
			/^File 2 \(5\.image\): the item has no file in the field "mask"$/,
			/data/,
		],
	];

	it.each(cases)('%s', async (_, given, message, description) => {
		const { way, graph = invertGraph(), row = fromUrl(`${web.origin}/cat.png?sig=marker-7d`), second, options = {}, items } = given;
		answer = given.answer ?? sending(png);
		const parameters = { ...rows(row, ...(second ? [second] : [])), options: options as never };
		const { error } = await runNode(runRun(credentialFor(sandbox, way), graph, { items, parameters }));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(description);
		expect(`${error?.message}${error?.description}`).not.toMatch(/marker-7d|undefined|\[object/);
		// The size of a file from the web is known when a part of it is sent already.
		expect([submissions().length, second ? uploads().length : 0]).toEqual([0, 0]);
	});

	it.each([
		['the prefix of the saved file', 'hosted', '5.filename_prefix'],
		['a list that offers no files, by its definition', 'bare_engine', '3.sampler_name'],
	] as const)('an input that takes no file: %s (%s)', async (_, way, name) => {
		const row = { ...fromReference('a.png'), input: { mode: 'name', value: name } };
		const graph = {
			'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 1 } },
			'3': { class_type: 'KSampler', inputs: { seed: 1, steps: 1, cfg: 1, sampler_name: 'euler', scheduler: 'normal', denoise: 1 } },
			'5': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
		};
		const result = await runNode(runRun(credentialFor(sandbox, way), graph, { parameters: rows(row) }));
		expect(result.error?.message).toMatch(/^File 1 \(.*\): the input \S+ \(.*\) does not accept a file$/);
		expect(result.error?.description).toContain('No job was created.');
		expect(submissions()).toEqual([]);
	});

	it('a plain text of a custom node may take the name of a file', async () => {
		const graph = { ...colorGraph(1), '9': { class_type: 'PrimitiveString', inputs: { value: '' } } };
		const row = { ...fromReference('a.png'), input: { mode: 'name', value: '9.value' } };
		const result = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), graph, { parameters: rows(row) }));
		expect(result.error).toBeUndefined();
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
