import type { IDataObject } from 'n8n-workflow';

import { type Answer, json, serve, type TestServer } from '../../client/support/server';
import { type InputItem, type NodeRun, runNode } from '../support/engine';
import { CONTINUE, fileItem, uploadRun } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
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
afterAll(async () => await web.close());

const sending =
	(body: Uint8Array | string, headers: Record<string, string> = {}, status = 200): Answer =>
	(_request, response) =>
		void response.writeHead(status, headers).end(body);

const BINARY = { from: 'binary', binaryPropertyName: 'data' };
const fromUrl = (url: string) => ({ from: 'url', url });
const fromReference = (reference: unknown) => ({ from: 'reference', reference });
const fromBase64 = (base64: unknown) => ({ from: 'base64', base64 });
const rows = (...values: object[]) => ({ files: { values: values.map((row) => ({ input: IMAGE, ...row })) } }) as IDataObject;

const png = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1');
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
const VIDEO = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1', 'latin1');
const loader = (id: number, title: string) => ({ [id]: { class_type: 'LoadImage', _meta: { title }, inputs: { image: `${id}.png` } } });
const byName = (value: string) => ({ input: { mode: 'name', value } });

interface Given {
	way?: Way;
	graph?: object;
	row?: object;
	/** A second row. Nothing of the first one is sent then. */
	second?: object;
	answer?: Answer;
	items?: InputItem[];
	options?: object;
}
type Case = [name: string, given: Given, message: RegExp, advice: RegExp];

const fromItems: Case[] = [
	[
		'an empty name of a binary field',
		{ row: { ...BINARY, binaryPropertyName: ' ' }, items: [fileItem(png)] },
		/^Binary Field of File 1 \(Picture · image\) is empty$/,
		/for example data/,
	],
	[
		'no such binary field',
		{ row: BINARY, items: [{ json: {} }] },
		/^File 1 \(Picture · image\): the item has no file in the field "data"/,
		/has no files at all/,
	],
	[
		'an empty file',
		{ row: BINARY, items: [fileItem(Buffer.alloc(0))] },
		/File 1 .*: the file in the field "data" is empty/,
		/created the file/,
	],
	[
		'a PDF as an image',
		{ row: BINARY, items: [fileItem(Buffer.from('%PDF-1.7 …'), 'cat.png')] },
		/the file "cat.png" is a PDF, but this input needs an image/,
		/a different field/,
	],
	[
		'a second row, before the first file is sent',
		{
			row: BINARY,
			second: { ...BINARY, binaryPropertyName: 'mask', ...byName('5.image') },
			graph: { ...invertGraph(), ...loader(5, 'Mask') },
			items: [fileItem(png)],
		},
		/^File 2 \(5\.image\): the item has no file in the field "mask"$/,
		/data/,
	],
];

const fromTheWeb: Case[] = [
	['an empty address', { row: fromUrl('={{ $json.missing }}') }, /^URL of File 1 .* is empty/, /expression/],
	['a web page', { answer: sending('<html><title>Sign in</title>') }, /returned a web page instead of a file/, /sign-in/],
	['an address without a scheme', { row: fromUrl('cat.png') }, /^File 1 .*: the URL is not a web address$/, /begins with https/],
	['an empty answer', { answer: sending('', { 'content-length': '0' }) }, /the file at .* is empty$/, /browser/],
	['a redirect in a circle', { answer: sending('', { location: '/cat.png' }, 302) }, /redirects too many times$/, /browser/],
	['403', { answer: json(403, {}) }, /returned HTTP 403 instead of the file/, /not public, or its link has expired/],
	['404', { answer: json(404, {}) }, /returned HTTP 404 instead of the file/, /no longer exists/],
	[
		'1 GiB',
		{ answer: (_request, response) => void response.writeHead(200, { 'content-length': 1024 ** 3 }).write(png) },
		/is larger than 500 MB: its size is 1,074 MB/,
		/Largest File \(MB\)/,
	],
	[
		'more than the option allows',
		{ answer: sending(Buffer.concat([png, Buffer.alloc(1_200_000)])), options: { largestFileMb: 1 } },
		/is larger than 1 MB/,
		/enter a larger number/,
	],
	[
		'HEIC',
		{ answer: sending(HEIC) },
		/returned a HEIC image, but this input needs an image/,
		/Convert it to JPEG or PNG before this node\./,
	],
	['a video', { answer: sending(VIDEO) }, /returned a video/, /a node that loads a video, for example Load Video/],
];

const inBase64: Case[] = [
	['no text', { row: fromBase64('={{ $json.missing }}') }, /^Base64 of File 1 .* is empty$/, /expression/],
	['an object', { row: fromBase64('={{ { image: "AAAA" } }}') }, /^File 1 .*: Base64 is not a text$/, /not the object/],
	['a broken character', { row: fromBase64('iVBORw0KGgo%3D') }, /cannot be decoded: character 12 of 14 is "%"/, /No job was created/],
	[
		'a file that is too large',
		{ row: fromBase64(Buffer.alloc(1_200_000).toString('base64')), options: { largestFileMb: 1 } },
		/the file in Base64 is larger than 1 MB: its size is 2 MB/,
		/larger number/,
	],
];

const otherThanFrom: Case[] = [
	[
		'a data URL as URL, in the second of two rows',
		{
			graph: { ...invertGraph(), ...loader(4, 'Mask') },
			row: fromReference('a.png'),
			second: { ...fromUrl('data:image/png;base64,AAAA'), ...byName('4.image') },
		},
		/^File 2 \(4\.image\): URL contains a data URL$/,
		/Set From to Base64\./,
	],
	['an address as Base64', { row: fromBase64('https://example.com/cat.png') }, /: Base64 contains a web address$/, /Set From to URL\./],
	[
		'the place of a file in $binary',
		{ row: fromUrl('={{ $json.stored }}'), items: [{ json: { stored: 's3:workflows/1' } }] },
		/^File 1 .*: URL contains a file of the item from \$binary$/,
		/Set From to Binary Field, and enter the name of its field/,
	],
];

const inputs: Case[] = [
	['an empty reference', { row: fromReference('={{ $json.missing }}') }, /^Reference of File 1 .* is empty$/, /Comfy Upload Asset/],
	['half a reference', { row: fromReference('{"__type":"core/ASSET"') }, /^File 1 .*: the reference names no file$/, /\$json\.reference/],
	['no input', { row: { ...fromReference('a.png'), ...byName('') } }, /^File 1: no input is chosen$/, /remove the row/],
	[
		'a reference of v2 on an engine',
		{ way: 'engine', row: fromReference('{"__type":"core/ASSET","info":{"id":"1"}}') },
		/the reference is one of v2/,
		/./,
	],
	[
		'an input that is not there',
		{ row: { ...fromReference('a.png'), ...byName('Lost · image') } },
		/^File 1 \(Lost · image\): the workflow has no input/,
		/Correct or remove this row of Files/,
	],
	[
		'an input whose id is another one’s since the workflow was edited',
		{ row: fromReference('a.png'), graph: { ...loader(1, 'Mask'), ...loader(4, 'Picture') } },
		/^File 1 \(Picture · image\): 1\.image is "Mask · image" in this workflow$/,
		/is now 4\.image/,
	],
	[
		'two rows for one input',
		{ row: fromReference('a.png'), second: fromReference('b.png') },
		/^File 2 \(Picture · image\): File 1 \(Picture · image\) sets the same input, 1\.image$/,
		/./,
	],
	[
		'an input that takes no file',
		{ row: { ...fromReference('a.png'), ...byName('3.filename_prefix') } },
		/^File 1 \(.*\): the input \S+ \(.*\) does not accept a file$/,
		/No job was created\./,
	],
	[
		'an input that takes Base64 text',
		{
			graph: { ...colorGraph(1), '9': { class_type: 'ETN_LoadImageBase64', inputs: { image: '' } } },
			row: { ...BINARY, ...byName('9.image') },
			items: [fileItem(png)],
		},
		/takes Base64 text/,
		/Add a row to Inputs/,
	],
	[
		'an input that takes a path',
		{
			graph: { ...colorGraph(1), '9': { class_type: 'VHS_LoadVideoPath', inputs: { video: 'input/clip.mp4' } } },
			row: { ...BINARY, ...byName('9.video') },
			items: [fileItem(png)],
		},
		/takes a path on the disk/,
		/replace the node by VHS_LoadVideo,/,
	],
];

it.each([...fromItems, ...fromTheWeb, ...inBase64, ...otherThanFrom, ...inputs])(
	'%s is rejected in words before anything is submitted',
	async (_, given, message, advice) => {
		const { way, graph = invertGraph(), row = fromUrl(`${web.origin}/cat.png?sig=marker-7d`), second, options = {}, items } = given;
		answer = given.answer ?? sending(png);
		const parameters = { ...rows(row, ...(second ? [second] : [])), options: options as never };
		const { error } = await runNode(runRun(credentialFor(sandbox, way), graph, { items, parameters }));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(`${error?.message}${error?.description}`).not.toMatch(/marker-7d|undefined|\[object/);
		// The size of a file from the web is known when a part of it is sent already.
		expect([submissionsTo(sandbox).length, given.answer === undefined ? uploadsTo(sandbox).length : 0]).toEqual([0, 0]);
	},
);

const runFiles = async (items: InputItem[], row: object, more: Partial<NodeRun> = {}) =>
	await runNode(runRun(credentialFor(sandbox), invertGraph(), { items, ...more, parameters: rows(row) }));

it('only the items with an unfit file fail, with the item, the row and what is wrong', async () => {
	const picture = await freshPicture();
	const good = picture.toString('base64');
	const items = [good, `${good.slice(0, 30)}?${good.slice(31)}`, HEIC.toString('base64'), good].map((image) => ({ json: { image } }));
	const row = fromBase64('={{ $json.image }}');
	const stopped = await runFiles(items, row);
	expect(stopped.error?.context.itemIndex).toBe(1);
	const continued = await runFiles(items, row, CONTINUE);
	await expectInverted(continued, picture, 0);
	await expectInverted(continued, picture, 3);
	expect(jsons(continued).map(({ error }) => error)).toEqual([
		undefined,
		expect.stringMatching(
			new RegExp(`^File 1 \\(Picture · image\\): .*character 31 of ${good.length} is "\\?", which Base64 does not use`),
		),
		expect.stringContaining('is a HEIC image, but this input needs an image'),
		undefined,
	]);
	expect(uploadsTo(sandbox)).toHaveLength(1);
});

it('a file that the service rejects keeps the words for its error', async () => {
	sandbox.inject({ on: 'POST /api/v2/assets', times: 2, answer: { status: 413, code: 'payload_too_large' } });
	const { error } = await runFiles([fileItem(await freshPicture()), fileItem(await freshPicture())], BINARY);
	expect(error?.message).toBe('The request is larger than the server allows');
	expect(error?.context.itemIndex).toBe(0);
});

it('each item has its own Largest File, also for the same URL', async () => {
	answer = sending(Buffer.concat([png, Buffer.alloc(1_200_000)]));
	const row = { ...fromUrl(`${web.origin}/cat.png`), ...byName('3.image') };
	const run = runRun(
		credentialFor(sandbox),
		{ ...colorGraph(2), ...loader(3, 'Large') },
		{
			items: [{ json: { largest: 1 } }, { json: { largest: 2 } }],
			parameters: { ...rows(row), options: { largestFileMb: '={{ $json.largest }}' } },
			...CONTINUE,
		},
	);
	expect(jsons(await runNode(run))).toMatchObject([{ error: expect.stringContaining('is larger than 1 MB') }, { status: 'succeeded' }]);
});

it('one hint names the image of two items that no row uses, and the image that the workflow loads', async () => {
	const engine = credentialFor(sandbox, 'bare_engine');
	const [uploaded] = jsons(await runNode(uploadRun(engine, [fileItem(await freshPicture())])));
	const graph = invertGraph(uploaded?.reference);
	const items = [fileItem(await freshPicture()), fileItem(await freshPicture())];
	const unused = await runNode(runRun(engine, graph, { items }));
	expect(unused.error).toBeUndefined();
	expect(unused.hints).toEqual([
		expect.stringMatching(
			/^The item has an image in the field "data", but the workflow does not use it: Picture · image loads ".+"\. .*Files/,
		),
	]);
	const second = { '4': { class_type: 'LoadImage', inputs: { image: uploaded?.reference } } };
	expect((await runNode(runRun(engine, { ...graph, ...second }, { items, parameters: rows(BINARY) }))).hints).toEqual([]);
	expect((await runNode(runRun(engine, colorGraph(3), { items }))).hints).toEqual([]);
});
