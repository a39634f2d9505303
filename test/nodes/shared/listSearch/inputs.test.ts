import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { clock } from '../../../../client/async/clock';
import { searchFileInputs, searchOutputNodes } from '../../../../nodes/shared/listSearch/inputs';
import { definitions } from '../../../client/graph/convert/support/recordings';
import { deadOrigin } from '../../../client/support/server';
import * as graphs from '../../../support/graphs';
import { editorContext } from '../../support/editor';
import { editorFile } from '../../support/editorFiles';
import { type Credential, runNode } from '../../support/engine';
import { credentialFor, ways } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { searchInputs, type SearchParameters } from '../../support/inputLists';
import { sharedSandbox } from '../../support/sandbox';
import { submitted } from '../../support/submit';

const sandbox = sharedSandbox();
const other = sharedSandbox();

const namesOf = ({ results }: INodeListSearchResult): string[] => results.map(({ name }) => name);
const listed = (value: string): IDataObject => ({ __rl: true, mode: 'list', value });
const ofSaved = (path: string): IDataObject => ({ workflowSource: 'saved', savedWorkflow: listed(path) });
const ofJob = (id: string): IDataObject => ({ workflowSource: 'job', workflowJob: listed(id) });
const text = (graph: object): string => JSON.stringify(graph);

const OF_THE_FILE = [
	expect.stringMatching(/^Canvas · width \(was 16; \d+ to \d+\)$/),
	expect.stringMatching(/^Canvas · height \(was 8/),
	expect.stringMatching(/^Canvas · batch_size \(was 1/),
	expect.stringMatching(/^Canvas · color \(was 9/),
	expect.stringMatching(/^Save · filename_prefix \(was "from-editor"/),
];
const telling = ways.filter((way) => way !== 'deployment');

describe('the list of inputs', () => {
	it.each(telling)('is that of a workflow that is saved in ComfyUI, or of a pasted file of the editor (%s)', async (way) => {
		const surface = way === 'hosted' || way === 'v1' ? 'hosted' : 'engine';
		sandbox.saveWorkflow('of-two.json', editorFile(9), { surface });
		other.saveWorkflow('of-two.json', editorFile(8), { surface });
		const credential = credentialFor(sandbox, way);
		expect(namesOf(await searchInputs(undefined, { ...ofSaved('of-two.json'), credential }))).toEqual(OF_THE_FILE);
		const ofOther = namesOf(await searchInputs(undefined, { ...ofSaved('of-two.json'), credential: credentialFor(other, way) }));
		expect(ofOther).toContainEqual(expect.stringMatching(/^Canvas · color \(was 8/));
		expect(namesOf(await searchInputs(text(editorFile(9)), { credential }))).toEqual(OF_THE_FILE);
	});

	it('is loaded again right after a failure, and once while the user types', async () => {
		const credential = credentialFor(sandbox, 'bare_engine');
		const list = async () => namesOf(await searchInputs(undefined, { ...ofSaved('late.json'), credential }));
		const failed = await list();
		sandbox.saveWorkflow('late.json', editorFile(9), { surface: 'engine' });
		expect([failed.length, await list(), await list()]).toEqual([1, OF_THE_FILE, OF_THE_FILE]);
		expect(sandbox.requests('GET /api/userdata/:path', 'engine').map(({ status }) => status)).toEqual([404, 404, 200]);
	});

	it.each(ways)('is that of what a job ran (%s)', async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, colorGraph(12), credential);
		const names = namesOf(await searchInputs(undefined, { ...ofJob(jobId), credential }));
		expect(names).toContainEqual(expect.stringMatching(/^Canvas · color \(was 12/));
	});

	it.each(['comfyRunWorkflow', 'comfySubmitWorkflow'] as const)(
		'has the inputs of the pasted workflow with their values (%s)',
		async (node) => {
			const { results } = await searchInputs(text(graphs.textToImage), { node });
			expect(results.slice(0, 4)).toMatchObject([
				{ name: 'CLIP Text Encode (Prompt) (#6) · text (was "a lighthouse in fog")', value: '6.text' },
				{ name: 'CLIP Text Encode (Prompt) (#7) · text (was "blurry, watermark")', value: '7.text' },
				{ name: 'KSampler · seed (was 156680208700286)', value: '3.seed' },
				{ name: 'Empty Latent Image · width (was 512)', value: '5.width' },
			]);
			const others = text({ '2': graphs.node('Any', 'B', { empty: '', record: { a: [1] } }) });
			expect(namesOf(await searchInputs(others, { node }))).toEqual(['B · empty (was empty)', 'B · record (was {"a":[1]})']);
		},
	);
});

const CLASS = 'ResizeImageMaskNode';
const { workflow } = JSON.parse(readFileSync(join(__dirname, '../../../client/graph/app/recorded/dynamic.json'), 'utf8')) as {
	workflow: object;
};

it('a row that changes which inputs stand behind a choice sends those of the new choice', async () => {
	sandbox.inject({
		on: `GET /api/object_info/${CLASS}`,
		surface: 'engine',
		times: Infinity,
		answer: { status: 200, json: { [CLASS]: definitions[CLASS] } },
	});
	const row = { input: { __rl: true, mode: 'name', value: '2.resize_type' }, value: 'scale width' };
	await runNode(runRun(credentialFor(sandbox, 'bare_engine'), JSON.stringify(workflow), { parameters: { inputs: { values: [row] } } }));
	const [{ bodyText } = { bodyText: '{}' }] = sandbox.requests('POST /api/prompt', 'engine');
	const { prompt } = JSON.parse(bodyText) as { prompt: Record<string, { inputs: object }> };
	expect(prompt['2']?.inputs).toEqual({ resize_type: 'scale width', 'resize_type.width': 512, scale_method: 'area', input: ['1', 0] });
});

describe('the list of inputs', () => {
	it('reads nothing again while the user types, and shows a changed workflow soon after', async () => {
		const credential = credentialFor(sandbox, 'bare_engine', { token: 'typing' });
		sandbox.saveWorkflow('typed.json', editorFile(9));
		const asked = { ...ofSaved('typed.json'), credential };
		await searchInputs(undefined, asked);
		sandbox.resetRecords();
		for (const filter of ['c', 'co', 'col']) await searchInputs(undefined, { ...asked, filter });
		expect(sandbox.requests()).toEqual([]);
		sandbox.saveWorkflow('typed.json', editorFile(10));
		const now = clock.now.bind(clock);
		jest.spyOn(clock, 'now').mockImplementation(() => now() + 11_000);
		expect(namesOf(await searchInputs(undefined, asked))).toContainEqual(expect.stringMatching(/^Canvas · color \(was 10/));
	});

	it.each<[string, unknown, IDataObject, RegExp]>([
		['that is empty', '{}', {}, /^Workflow is empty\. Paste a workflow first/],
		['that is no JSON', '{"1": ', {}, /^Workflow is not valid JSON: .*Choose File > Export \(API\)/],
		['of the editor in which nothing would run', '{"nodes": [], "links": []}', {}, /^Workflow cannot be converted: it has no node to run/],
		['that is something else', '[1, 2]', {}, /^Workflow is not in API format/],
		['that comes by an expression', '={{ $json.workflow }}', {}, /^The workflow comes from an expression.*Choose By Name/],
		['whose expression finds nothing', undefined, { workflowSource: 'json' }, /^The workflow comes from an expression/],
		['that comes as a file', '{}', { workflowSource: 'file' }, /^The workflow comes from a file when the node runs\. Choose By Name/],
		['in which everything is linked', text(graphs.allLinked), {}, /^This workflow has no inputs to change/],
		['that is not chosen', undefined, ofSaved(''), /^Saved Workflow is empty\. Choose a workflow first/],
		['that an expression chooses', undefined, ofSaved('={{ $json.name }}'), /^The workflow comes from an expression.*Choose By Name/],
		['that is saved no more', undefined, ofSaved('gone.json'), /^ComfyUI no longer has the saved workflow "gone\.json"/],
		['of a job that is not chosen', undefined, ofJob(''), /^Job is empty\. Choose a job first/],
		[
			'of a job that is gone',
			undefined,
			ofJob('6d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001'),
			/^The server does not have the workflow of job 6d1f8a54/,
		],
		[
			'that cannot be converted',
			text({ nodes: [{ id: 1, type: 'NoSuchClass', mode: 0 }], links: [] }),
			{ workflowSource: 'json' },
			/^This ComfyUI does not have the node "NoSuchClass" that the workflow uses \(node 1\)/,
		],
	])('of a workflow %s is one line that says so and cannot be chosen', async (_name, workflow, parameters, words) => {
		const credential = workflow === undefined || 'workflowSource' in parameters ? credentialFor(sandbox, 'bare_engine') : undefined;
		expect((await searchInputs(workflow, { ...parameters, ...(credential && { credential }) } as SearchParameters)).results).toEqual([
			{ name: expect.stringMatching(words), value: '' },
		]);
	});
});

describe('ranges and choices', () => {
	const sampler = (value: string) => ({
		'1': graphs.node('KSampler', 'Sampler', { steps: 20, cfg: 8, sampler_name: 'euler', scheduler: value }),
	});

	it.each(['bare_engine', 'engine', 'v1'] as const)('are shown when definitions are available (%s), requested once', async (way) => {
		const credential = credentialFor(sandbox, way);
		sandbox.resetRecords();
		const names = namesOf(await searchInputs(text(sampler('normal')), { credential }));
		expect(names[0]).toBe('Sampler · steps (was 20; 1 to 10000)');
		expect(names[2]).toMatch(/^Sampler · sampler_name \(was "euler"; one of euler, .* and \d+ more\)$/);
		const asked = sandbox.requests().length;
		await searchInputs(text(sampler('karras')), { credential });
		expect(sandbox.requests()).toHaveLength(asked);
	});

	it.each<[string, () => Promise<Credential | undefined>]>([
		['of the hosted service', async () => credentialFor(sandbox, 'hosted')],
		['without a credential', async () => undefined],
		['of a server that does not answer', async () => credentialFor(sandbox, 'bare_engine', { baseUrl: await deadOrigin() })],
		['with a wrong key', async () => credentialFor(sandbox, 'v1', { apiKey: 'wrong' })],
		[
			'that come too late',
			async () => {
				sandbox.inject({ on: 'GET /api/object_info/KSampler', fault: { kind: 'stall' } });
				return credentialFor(sandbox, 'bare_engine', { keepLinksOnThisAddress: true });
			},
		],
	])('are left out if there are no definitions: %s', async (_, credential) => {
		const chosen = await credential();
		const found = namesOf(await searchInputs(text(sampler('normal')), chosen && { credential: chosen }));
		expect([found.length, found[0]]).toEqual([4, 'Sampler · steps (was 20)']);
	});
});

describe('the lists of files and output nodes', () => {
	const parameters = (workflow: unknown) => ({ workflowSource: 'json', workflow: text(workflow as object) });
	const filesOf = async (...given: [IDataObject, Credential?]) =>
		(await searchFileInputs.call(editorContext('comfyRunWorkflow', ...given))).results;
	const outputsOf = async (...given: [IDataObject, Credential?]) =>
		(await searchOutputNodes.call(editorContext('comfyRunWorkflow', ...given))).results;

	it('are those of a workflow that is saved in ComfyUI, and of a file of the editor', async () => {
		const credential = credentialFor(sandbox, 'bare_engine');
		sandbox.saveWorkflow('outputs.json', editorFile(9));
		expect(await outputsOf(ofSaved('outputs.json'), credential)).toMatchObject([{ name: 'Save · SaveImage', value: '2' }]);
		const [, save] = editorFile(9).nodes as object[];
		const outputs = [{ name: 'IMAGE', type: 'IMAGE', links: [1] }];
		const load = { id: 1, type: 'LoadImage', title: 'Picture', mode: 0, inputs: [], outputs, widgets_values: ['room.png', 'image'] };
		expect(await filesOf(parameters(editorFile(9, { nodes: [load, save] })), credential)).toMatchObject([
			{ name: expect.stringMatching(/^Picture · image \(was "room\.png"; takes an image\)/) },
		]);
	});

	it('name what takes a file, and of which kind', async () => {
		expect(await filesOf(parameters(graphs.inpaint))).toMatchObject([
			{ name: 'Picture · image (was "room.png"; takes an image)', value: '1.image' },
			{ name: 'Mask · image (was "room mask.png"; takes a mask)', value: '2.image' },
		]);
		expect(await filesOf(parameters(graphs.textToImage))).toEqual([
			{ name: expect.stringMatching(/^This workflow has no known file input/), value: '' },
		]);
	});

	it('name the nodes whose results a job brings', async () => {
		expect(await outputsOf(parameters(graphs.inpaint))).toMatchObject([
			{ name: 'Look · PreviewImage · temporary preview', value: '9' },
			{ name: 'Result · SaveImage', value: '10' },
		]);
		expect(await outputsOf(parameters({ '1': graphs.node('Maker', 'A', { n: 1 }) }))).toEqual([
			{ name: expect.stringMatching(/^This workflow has no node that saves/), value: '' },
		]);
	});
});

describe('what a row holds, when n8n loads its list for another credential', () => {
	const holding = (input: IDataObject) => ({ inputs: { values: [{ input: { __rl: true, mode: 'list', ...input }, value: '' }] } });
	let days = 0;
	/** Each choice has another name, because earlier listings are remembered. */
	const chosen = (value: string) => ({
		value,
		cachedResultName: `Positive · text (was "of day ${++days}")`,
		cachedResultUrl: 'https://of.old.example',
	});
	const account = (apiKey: string) => ({ ...credentialFor(sandbox), id: apiKey });
	const PASTED = text(graphs.textToImage);
	const resultsOf = async (...given: Parameters<typeof searchInputs>) => (await searchInputs(...given)).results;

	it('comes first as the row holds it for a minute, and is shown with its current value when the list is opened later', async () => {
		const held = chosen('7.text');
		const search = async () => await resultsOf(PASTED, holding(held));
		for (const results of [await search(), await search()]) {
			expect(results[0]).toEqual({ name: held.cachedResultName, value: '7.text', url: held.cachedResultUrl });
			expect(results.filter(({ value }) => value === '7.text')).toHaveLength(1);
		}
		const now = clock.now.bind(clock);
		jest.spyOn(clock, 'now').mockImplementation(() => now() + 61_000);
		const results = await search();
		expect(results[0]?.name).toContain('(#6)');
		expect(results.filter(({ value }) => value === '7.text')).toMatchObject([{ name: expect.stringContaining('"blurry, watermark"') }]);
	});

	it('has the link of its entry, because n8n would write an empty one otherwise', async () => {
		const { name, value, url } = (await resultsOf(PASTED)).at(-1) as INodeListSearchItems;
		expect(url).toMatch(/^https:.*docs\/workflows\.md$/);
		const held = holding({ value, cachedResultName: name, cachedResultUrl: url });
		expect((await resultsOf(PASTED, { credential: account('another'), ...held }))[0]).toEqual({ name, value, url });
	});
});
