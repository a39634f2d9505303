import { type Answer, serve, type TestServer } from '../../client/support/server';
import { type Credential, type InputItem, type NodeResult, runNode } from '../support/engine';
import { fileItem, uploadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
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

const rows = (row: object) => ({ files: { values: [{ input: IMAGE, ...row }] } });
const BINARY = { from: 'binary', binaryPropertyName: 'data' };
const runWith = async (credential: Credential, row: object, more: { items?: InputItem[]; settings?: object } = {}): Promise<NodeResult> =>
	await runNode(runRun(credential, invertGraph(), { ...more, parameters: rows(row) }));

const uploads = () => uploadsTo(sandbox);
const submissions = () => submissionsTo(sandbox);

describe.each([
	['HEIC', '\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'a HEIC image', /Convert it to JPEG or PNG before this node\./],
	['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG image', /Convert it to PNG before this node\./],
	['a video', '\0\0\0\x18ftypisom\0\0\0\0isomavc1', 'a video', /a node that loads a video, for example Load Video/],
])('B13: %s in an input for an image', (_, text, name, advice) => {
	const content = Buffer.from(text, 'latin1');

	it('is rejected by its first bytes in a binary field, while the other item runs', async () => {
		const png = await freshPicture();
		const items = [fileItem(content, 'cat.png'), fileItem(png)];
		const settings = { onError: 'continueErrorOutput' };
		const result = await runWith(credentialFor(sandbox), BINARY, { items, settings });
		await expectInverted(result, png);
		expect(JSON.stringify(jsons(result, 2))).toContain(`is ${name}, but this input needs an image`);
		expect([uploads().length, submissions().length]).toEqual([1, 1]);
	});

	it('is rejected from a URL with how to convert it', async () => {
		answer = (_request, response) => void response.end(content);
		const { error } = await runWith(credentialFor(sandbox), { from: 'url', url: `${web.origin}/cat.png` });
		expect(error?.message).toContain(`returned ${name}, but this input needs an image`);
		expect(error?.description).toMatch(advice);
		expect([uploads().length, submissions().length]).toEqual([0, 0]);
	});
});

it('B16: one hint names the image of two items that no row uses, and the image that the workflow loads', async () => {
	const png = await freshPicture();
	const [uploaded] = jsons(await runNode(uploadRun(credentialFor(sandbox, 'bare_engine'), [fileItem(png)])));
	const graph = invertGraph(uploaded?.reference);
	const items = [fileItem(await freshPicture()), fileItem(await freshPicture())];
	const unused = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), graph, { items }));
	expect(unused.error).toBeUndefined();
	expect(unused.hints).toEqual([
		expect.stringMatching(
			/^The item has an image in the field "data", but the workflow does not use it: Picture · image loads ".+"\. .*Files/,
		),
	]);
	const second = { '4': { class_type: 'LoadImage', inputs: { image: uploaded?.reference } } };
	const used = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), { ...graph, ...second }, { items, parameters: rows(BINARY) }));
	expect(used.hints).toEqual([]);
	const none = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), colorGraph(3), { items }));
	expect(none.hints).toEqual([]);
});

it('B13: an AVIF image with the general brand of HEIC is sent', async () => {
	const avif = Buffer.from('\0\0\0\x1cftypmif1\0\0\0\0mif1miafavif', 'latin1');
	await runWith(credentialFor(sandbox), BINARY, { items: [fileItem(avif, 'cat.avif')] });
	expect(uploads()).toHaveLength(1);
});

it.each([
	['B11: an input that takes Base64 text', 'ETN_LoadImageBase64', 'image', /takes Base64 text/, /Add a row to Inputs/],
	['B12: an input that takes a path', 'VHS_LoadVideoPath', 'video', /takes a path on the disk/, /replace the node by VHS_LoadVideo,/],
])('%s rejects the file of each of two items before anything is sent', async (_, class_type, input, message, advice) => {
	const graph = { ...colorGraph(1), '9': { class_type, inputs: { [input]: 'input/clip.mp4' } } };
	const items = [fileItem(await freshPicture()), fileItem(await freshPicture())];
	const parameters = rows({ ...BINARY, input: { mode: 'name', value: `9.${input}` } });
	const result = await runNode(
		runRun(credentialFor(sandbox), graph, { items, parameters, settings: { onError: 'continueRegularOutput' } }),
	);
	expect(jsons(result).map(({ error }) => error)).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
	const { error } = await runNode(runRun(credentialFor(sandbox), graph, { items, parameters }));
	expect(error?.description).toMatch(advice);
	expect([uploads().length, submissions().length]).toEqual([0, 0]);
});
