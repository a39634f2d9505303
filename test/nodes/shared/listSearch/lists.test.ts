import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import type { Behaviour } from '../../../../sandbox';
import { searchFileInputs, searchOutputNodes } from '../../../../nodes/shared/listSearch/inputs';
import { realClock, setClock } from '../../../../client/clock';
import { definitions } from '../../../client/graph/convert/support/recordings';
import { deadOrigin } from '../../../client/support/server';
import { cpuMs } from '../../../support/cpuTime';
import { patientClock } from '../../../support/patientClock';
import * as graphs from '../../../support/graphs';
import { editorContext } from '../../support/editor';
import { editorFile } from '../../support/editorFiles';
import { type Credential, nodes, runNode } from '../../support/engine';
import { credentialFor, type Way, ways } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { sharedSandbox } from '../../support/sandbox';
import { submitted } from '../../support/submit';

const sandbox = sharedSandbox();

const MARKER = 'marker-5d1c7';
const HOUR = 3_600_000;

let saved: string[] = [];
const save = (path: string, modifiedAt?: number): void => {
	saved.push(path);
	for (const surface of ['engine', 'hosted'] as const) sandbox.saveWorkflow(path, { nodes: [] }, { surface, modifiedAt });
};
afterEach(() => {
	for (const path of saved) for (const surface of ['engine', 'hosted'] as const) sandbox.deleteWorkflow(path, { surface });
	saved = [];
});

let asked = 0;
/** Each test is a server of its own, as far as what is kept of servers goes. */
const editor = (credential: Credential, savedWorkflow?: IDataObject): ILoadOptionsFunctions =>
	editorContext('comfyRunWorkflow', savedWorkflow === undefined ? {} : { savedWorkflow }, {
		...credential,
		data: { ...credential.data, moreSettings: true, partnerApiKey: `of-test-${asked++}` },
	});
const searchIn = async (context: ILoadOptionsFunctions, ...words: [string?, string?]): Promise<INodeListSearchResult> =>
	await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context, ...words);
const search = async (way: Way = 'bare_engine', ...words: [string?, string?]) =>
	await searchIn(editor(credentialFor(sandbox, way)), ...words);
const names = async (...given: Parameters<typeof search>) => (await search(...given)).results.map(({ name }) => name);

describe('the list of saved workflows', () => {
	it.each(['bare_engine', 'self_hosted'] as Way[])('has the newest first, marks apps, and ends with templates (%s)', async (way) => {
		save('plain.json', Date.parse('2026-11-01T01:02:03.000Z'));
		save('portraits/red fox.app.json', Date.parse('2026-11-02T20:00:00.000Z'));
		expect((await search(way)).results).toMatchObject([
			{ name: 'red fox (app) · portraits · 2026-11-03 05:00', value: 'portraits/red fox.app.json' },
			{ name: 'plain · 2026-11-01 10:02', value: 'plain.json' },
			{ name: 'Template · Getting Started · Plain Colour', value: 'template:sandbox_plain_colour' },
			{ name: 'Template · Image · Colour By Choice', value: 'template:sandbox_colour_app' },
			{ name: 'Template · Image · Red', value: 'template:sandbox_red' },
			{ name: 'Template · sandbox-colours · Green & Co', value: 'template:sandbox-colours/Green & Co' },
		]);
	});

	it.each(['hosted', 'v1'] as Way[])('has those of the account (%s)', async (way) => {
		save('mine.json', Date.parse('2026-11-01T01:02:03.000Z'));
		expect((await search(way)).results).toMatchObject([{ name: 'mine · 2026-11-01 10:02', value: 'mine.json' }]);
	});

	it.each([
		['FOX', ['red fox (app) · portraits · 2026-11-03 05:00']],
		['portraits 2026-11', ['red fox (app) · portraits · 2026-11-03 05:00']],
		['app', ['red fox (app) · portraits · 2026-11-03 05:00', 'Template · Image · Colour By Choice']],
		['template red', ['Template · Image · Red']],
		['nothing like it', []],
	])('is found by words: %s', async (words, wanted) => {
		save('portraits/red fox.app.json', Date.parse('2026-11-02T20:00:00.000Z'));
		expect(await names('bare_engine', words)).toEqual(wanted);
	});

	it.each(['plain.json', 'of-another-server.json'])('has the chosen workflow first, as it was when it was chosen (%s)', async (value) => {
		save('plain.json', Date.parse('2026-11-01T01:02:03.000Z'));
		const onDay = (day: number) => ({
			mode: 'list',
			value,
			cachedResultName: `plain · of day ${day}`,
			cachedResultUrl: 'https://a.example',
		});
		const chosen = onDay(1);
		const { results } = await searchIn(editor(credentialFor(sandbox, 'bare_engine'), chosen));
		expect(results[0]).toEqual({ name: chosen.cachedResultName, value, url: chosen.cachedResultUrl });
		expect(results.filter((entry) => entry.value === value)).toHaveLength(1);
		const nowhere = await searchIn(editor(credentialFor(sandbox, 'bare_engine', { baseUrl: await deadOrigin() }), onDay(2)));
		expect(nowhere.results).toMatchObject([{ value }, { value: '' }]);
	});

	it('has pages with every entry once, and a workflow immediately after it was saved', async () => {
		const now = Date.now();
		for (let place = 0; place < 250; place++) save(`many/w${place}.json`, now - place * HOUR);
		const context = editor(credentialFor(sandbox, 'bare_engine'));
		const pages: INodeListSearchResult[] = [];
		while (pages.length === 0 || pages.at(-1)?.paginationToken !== undefined)
			pages.push(await searchIn(context, '', pages.at(-1)?.paginationToken as string | undefined));
		const values = pages.flatMap(({ results }) => results.map(({ value }) => value));
		expect(pages).toHaveLength(3);
		expect(new Set(values).size).toBe(254);
		expect(values.slice(0, 2)).toEqual(['many/w0.json', 'many/w1.json']);
		expect(sandbox.requests('GET /templates/index.json')).toHaveLength(1);
		save('new.json', now + HOUR);
		expect((await searchIn(context)).results[0]).toMatchObject({ value: 'new.json' });
	});

	it('is sorted by name when there are no times', async () => {
		sandbox.configure({ engineUserdata: 'names', engineTemplates: 'absent' });
		save('b.json');
		save('a/c.json');
		expect(await names()).toEqual(['c · a', 'b']);
	});
});

it('one line above the templates says what to do if nothing is saved yet', async () => {
	expect((await search()).results[0]).toEqual({
		name: 'No workflow is saved in ComfyUI yet. Open one there, choose Save, then search here again.',
		value: '',
	});
	expect(await names()).toHaveLength(5);
	expect(await names('bare_engine', 'red')).toEqual(['Template · Image · Red']);
});

it.each<[what: string, way: Way, behaviour: Partial<Behaviour>, changes: IDataObject, words: RegExp]>([
	[
		'without templates',
		'bare_engine',
		{ engineTemplates: 'absent' },
		{},
		/^No workflow is saved in ComfyUI yet, and it brings no templates/,
	],
	['of a deployment', 'deployment', {}, {}, /^A deployment keeps no saved workflows\. Choose/],
	['of v1 that keeps none', 'v1', { v1Userdata: 'absent' }, {}, /^This service keeps no saved workflows .*Workflow From/],
	['of several users', 'bare_engine', { engineUsers: { ann_1: 'Ann' } }, {}, /--multi-user.*comfy-user/],
	['for a wrong key', 'v1', {}, { apiKey: MARKER }, /^The service did not accept the API Key\. Check/],
	['of a server that does not run', 'bare_engine', {}, { baseUrl: 'http://127.0.0.1:9' }, /the connection was refused\. \w/],
])('a list of saved workflows %s is one line that says what to do', async (_, way, behaviour, changes, words) => {
	sandbox.configure(behaviour);
	const { results } = await searchIn(editor(credentialFor(sandbox, way, changes)));
	expect(results).toEqual([{ name: expect.stringMatching(words), value: '' }]);
	expect(JSON.stringify(results)).not.toContain(MARKER);
	if (way === 'deployment') expect(sandbox.requests()).toEqual([]);
});

describe('a server whose saved workflows have hostile names', () => {
	const entryFor = async (path: string) => {
		save(path, Date.parse('2026-11-01T01:02:03.000Z'));
		return (await search()).results.find(({ value }) => !String(value).startsWith('template:') && value !== '');
	};

	it.each([
		['control characters', 'a\u0000b\u001b[31mc\r\nd.json', 'ab[31mcd'],
		['marks that turn the direction of writing', 'invoice\u202egpj.exe.json', 'invoicegpj.exe'],
		['characters that are not seen', 'pay\u200b\u2060pal.json', 'paypal'],
		['HTML', '<img src=x onerror=alert(1)>.json', '<img src=x onerror=alert(1)>'],
	])('shows %s in one plain line and keeps the path', async (_, path, shown) => {
		expect(await entryFor(path)).toMatchObject({ name: `${shown} · 2026-11-01 10:02`, value: path });
	});

	it('cuts a name of 5,000 characters', async () => {
		expect((await entryFor(`${'a'.repeat(5_000)}.json`))?.name).toHaveLength(300);
	});

	it.each(['={{ $env.SECRET }}.json', '../../etc/passwd.json'])(
		'does not offer %s, which n8n would run or which leaves the folder',
		async (path) => {
			expect(await entryFor(path)).toBeUndefined();
		},
	);
});

type Listing = 'comfyRunWorkflow' | 'comfySubmitWorkflow';
type Asked = { node?: Listing; credential?: Credential; filter?: string; token?: string } & IDataObject;

/** The list of inputs of this workflow, or of the one that the parameters name. */
async function searchInputs(
	workflow: unknown,
	{ node = 'comfySubmitWorkflow', credential, filter, token, ...parameters }: Asked = {},
): Promise<INodeListSearchResult> {
	const editing = editorContext(node, { workflowSource: 'json', workflow: workflow as string, ...parameters }, credential);
	return await nodes[node].methods.listSearch.searchInputs.call(editing, filter, token);
}
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
		sandbox.saveWorkflow(`of-${way}.json`, editorFile(9), { surface });
		const credential = credentialFor(sandbox, way);
		expect(namesOf(await searchInputs(undefined, { ...ofSaved(`of-${way}.json`), credential }))).toEqual(OF_THE_FILE);
		expect(namesOf(await searchInputs(text(editorFile(9)), { credential }))).toEqual(OF_THE_FILE);
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
		const now = performance.now.bind(performance);
		jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
		expect(namesOf(await searchInputs(undefined, asked))).toContainEqual(expect.stringMatching(/^Canvas · color \(was 10/));
	});

	it('is found by the words of title, input, value and name, in any order', async () => {
		expect(namesOf(await searchInputs(text(graphs.textToImage), { filter: 'ksampler ste' }))).toEqual(['KSampler · steps (was 20)']);
		expect((await searchInputs(text(graphs.textToImage), { filter: 'FOG prompt' })).results).toHaveLength(1);
		expect((await searchInputs(graphs.chineseTitles, { filter: '提示词' })).results).toHaveLength(2);
		expect((await searchInputs(text(graphs.textToImage), { filter: '5.wid' })).results).toHaveLength(1);
		expect((await searchInputs(text(graphs.textToImage), { filter: 'no such' })).results).toEqual([]);
	});

	it('shows long values cut, and long numbers whole', async () => {
		const long = {
			'1': graphs.node('CLIPTextEncode', 'Prompt', { text: `a  ${'very '.repeat(50)}long\nprompt` }),
			'2': graphs.node('Any', 'B', { empty: '', record: { a: [1] }, yes: true }),
		};
		expect(namesOf(await searchInputs(text(long)))).toEqual([
			'Prompt · text (was "a very very very very very very very ve…)',
			'B · empty (was empty)',
			'B · record (was {"a":[1]})',
			'B · yes (was true)',
		]);
		expect(namesOf(await searchInputs(graphs.longNumbersText))[0]).toBe(`Sampler · seed (was ${graphs.LONG_SEED})`);
	});

	it.each<[string, unknown, IDataObject, RegExp]>([
		['that is empty', '{}', {}, /^Workflow is empty: paste it there first/],
		['that is no JSON', '{"1": ', {}, /^Workflow is not readable JSON: .*In ComfyUI open the workflow and choose File > Export \(API\)/],
		[
			'of the editor in which nothing would run',
			'{"nodes": [], "links": []}',
			{},
			/^Workflow cannot be converted: nothing in it would run/,
		],
		['that is something else', '[1, 2]', {}, /^Workflow is not in API format/],
		[
			'that comes by an expression',
			'={{ $json.workflow }}',
			{},
			/^The workflow comes by an expression.*Choose By Name and enter e\.g\. 6\.text/,
		],
		['whose expression finds nothing', undefined, { workflowSource: 'json' }, /^The workflow comes by an expression/],
		['that comes as a file', '{}', { workflowSource: 'file' }, /^The workflow comes as a file when the node runs\. Choose By Name/],
		['in which everything is linked', text(graphs.allLinked), {}, /^Nothing in this workflow can be changed/],
		['that nobody has chosen', undefined, ofSaved(''), /^Saved Workflow is empty: choose a workflow there first/],
		['of a job that nobody has chosen', undefined, ofJob(''), /^Job is empty: choose one there first/],
		[
			'that an expression chooses',
			undefined,
			{ workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'name', value: '={{ $json.name }}' } },
			/^The workflow comes by an expression.*Choose By Name/,
		],
		['that is saved no more', undefined, ofSaved('gone.json'), /^ComfyUI has no saved workflow "gone\.json"/],
		['of a job that is gone', undefined, ofJob('6d1f8a54-3b0e-4f55-9d52-0c8f5d9a0001'), /^The service has no job 6d1f8a54/],
		[
			'that cannot be converted',
			text({ nodes: [{ id: 1, type: 'NoSuchClass', mode: 0 }], links: [] }),
			{ workflowSource: 'json' },
			/^This ComfyUI does not have the node "NoSuchClass" that the workflow uses \(node 1\)\. Update ComfyUI/,
		],
	])('of a workflow %s is one line that says so and cannot be chosen', async (_name, workflow, parameters, words) => {
		const credential = workflow === undefined || 'workflowSource' in parameters ? credentialFor(sandbox, 'bare_engine') : undefined;
		expect((await searchInputs(workflow, { ...parameters, ...(credential && { credential }) } as Asked)).results).toEqual([
			{ name: expect.stringMatching(words), value: '' },
		]);
	});

	it('is one line without a credential, and over a deployment', async () => {
		const workflow = text(editorFile(9));
		expect(namesOf(await searchInputs(workflow))).toEqual([expect.stringMatching(/^No credential is chosen\. Choose one at the top/)]);
		expect(namesOf(await searchInputs(workflow, { credential: credentialFor(sandbox, 'deployment') }))).toEqual([
			expect.stringMatching(/does not tell what its nodes take/),
		]);
	});

	it('of 10 MB has pages and is fast', async () => {
		const graph = Object.fromEntries(
			Array.from({ length: 12_000 }, (_, index) => [
				String(index),
				graphs.node('CLIPTextEncode', `Prompt ${index}`, { text: 'x'.repeat(800) }),
			]),
		);
		const workflow = text(graph);
		expect(workflow.length).toBeGreaterThan(10_000_000);
		const began = cpuMs();
		const { results, paginationToken } = await searchInputs(workflow);
		expect(cpuMs() - began).toBeLessThan(10_000);
		expect(results).toHaveLength(200);
		expect((await searchInputs(workflow, { token: paginationToken as string })).results[0]?.value).toBe('200.text');
		expect((await searchInputs(workflow, { filter: '11999.text' })).results).toHaveLength(1);
		expect((await searchInputs(`${workflow}]`)).results[0]?.name.length).toBeLessThan(1_000);
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
		['of a deployment', async () => credentialFor(sandbox, 'deployment')],
		['of a proxy with a token', async () => credentialFor(sandbox, 'self_hosted_token')],
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
			{ name: expect.stringMatching(/^No input of this workflow is known to take a file/), value: '' },
		]);
	});

	it('name the nodes whose results a job brings', async () => {
		expect(await outputsOf(parameters(graphs.inpaint))).toMatchObject([
			{ name: 'Look · PreviewImage · temporary preview', value: '9' },
			{ name: 'Result · SaveImage', value: '10' },
		]);
		expect(await outputsOf(parameters({ '1': graphs.node('Maker', 'A', { n: 1 }) }))).toEqual([
			{ name: expect.stringMatching(/^No node of this workflow saves/), value: '' },
		]);
	});
});

describe('what a row holds, when n8n loads its list for another credential', () => {
	const holding = (input: IDataObject) => ({ inputs: { values: [{ input: { __rl: true, mode: 'list', ...input }, value: '' }] } });
	let days = 0;
	/** Each of a day of its own: what was listed before is remembered. */
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
		setClock({ ...realClock, now: () => realClock.now() + 61_000 });
		const results = await search();
		setClock(patientClock);
		expect(results[0]?.name).toContain('(#6)');
		expect(results.filter(({ value }) => value === '7.text')).toMatchObject([{ name: expect.stringContaining('"blurry, watermark"') }]);
	});

	it('is kept again at each change of the credential', async () => {
		const held = chosen('7.text');
		for (const id of ['a', 'b', 'a'])
			expect((await resultsOf(PASTED, { credential: account(id), ...holding(held) }))[0]?.name).toBe(held.cachedResultName);
	});

	it.each([
		['the workflow lacks', PASTED],
		['has no workflow to be in', ''],
	])('stays although %s, which the run reports', async (_what, workflow) => {
		const held = chosen('99.gone');
		expect((await resultsOf(workflow, holding(held)))[0]).toMatchObject({ name: held.cachedResultName, value: '99.gone' });
	});

	it('has the link of its entry, because n8n would write an empty one otherwise', async () => {
		const [{ name, value, url }] = (await resultsOf(PASTED)) as [INodeListSearchItems];
		expect(url).toMatch(/^https:.*docs\/workflows\.md$/);
		const held = holding({ value, cachedResultName: name, cachedResultUrl: url });
		expect((await resultsOf(PASTED, { credential: account('another'), ...held }))[0]).toEqual({ name, value, url });
	});

	it('is not an entry when it was entered By Name, is an expression, or in a search', async () => {
		const plain = await searchInputs(PASTED);
		for (const input of [
			{ mode: 'name', value: '7.text' },
			{ mode: 'list', value: '' },
		])
			expect(await searchInputs(PASTED, holding(input))).toEqual(plain);
		expect(await resultsOf(PASTED, { filter: 'steps', ...holding(chosen('7.text')) })).toMatchObject([{ value: '3.steps' }]);
	});
});
