import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import type { AppField } from '../../../nodes/shared/app/fields';
import { picture } from '../../client/support/pictures';
import { appText, appWithSharedField } from '../../support/savedApps';
import { fieldsIn, filled, type Form } from '../support/apps';
import { type InputItem, type NodeResult, runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();
const credential = () => credentialFor(sandbox, 'bare_engine');

const run = async (text: string, appInputs?: Form, more: { items?: InputItem[]; parameters?: IDataObject } = {}): Promise<NodeResult> =>
	await runNode(runRun(credential(), text, { ...more, parameters: { ...(appInputs && { appInputs }), ...more.parameters } }));

const submissions = () => sandbox.requests('POST /api/prompt');
const sent = (index = -1): ApiGraph => (JSON.parse(submissions().at(index)?.bodyText ?? '{}') as { prompt: ApiGraph }).prompt;
/** Runs without a failure. */
const sentBy = async (...[text, appInputs, more]: Parameters<typeof run>): Promise<ApiGraph> => {
	expect((await run(text, appInputs, more)).error).toBeUndefined();
	return sent();
};

/** The app's form, as a person fills it. */
const form = async (name: string, changes: IDataObject = {}, text = appText(name)): Promise<Form> =>
	filled((await fieldsIn(credential(), text)).fields, changes);

describe('the form', () => {
	it.each<[what: string, text: string, words: RegExp, more?: IDataObject]>([
		['that is not chosen', '', /^Choose a workflow above/, { workflowSource: 'saved', savedWorkflow: { mode: 'list', value: '' } }],
		['without marks', appText('empty'), /^This workflow is not an app.*Inputs below\.$/],
		['that marks outputs only', appText('outputs-only'), /has outputs but no inputs/],
		['that is empty', '', /^Paste a workflow above/],
		['that is not JSON', '{"nodes": 5', /^Workflow is not valid JSON/],
		['that comes by an expression', '={{ $json.workflow }}', /expression/],
	])('for a workflow %s a line says what to do', async (_, text, words, more = {}) => {
		const { fields, emptyFieldsNotice } = await fieldsIn(credential(), text, undefined, more);
		expect(fields).toEqual([]);
		expect(emptyFieldsNotice).toMatch(words);
	});

	it('never holds a text of the workflow that n8n would run', async () => {
		const hostile = appText('renamed')
			.replaceAll('a red fox in the snow', '=1+1')
			.replaceAll('What to draw', '={{ $workflow.name }}')
			.replaceAll('"euler"', '"={{ 1 }}"');
		const { fields } = await fieldsIn(credential(), hostile);
		expect(fields[0]).not.toHaveProperty('defaultValue');
		expect(fields[0]!.displayName).toBe(' ={{ $workflow.name }}, now "=1+1"');
		const texts = (value: unknown): string[] =>
			typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
		expect(texts(fields).filter((text) => text.startsWith('='))).toEqual([]);
		const appInputs = filled(fields.filter(({ id }) => !id.includes('sampler')));
		expect((await sentBy(hostile.replaceAll('"={{ 1 }}"', '"euler"'), appInputs))['2']!.inputs.text).toBe('=1+1');
	});
});

describe('a run', () => {
	it('sends what was changed, in the type that the input takes', async () => {
		const changes = { 'What to draw': 'a green owl', 'Picture number': '18446744073709551615', steps: 3, sampler_name: 'heun', width: 64 };
		expect(await sentBy(appText('renamed'), await form('renamed', changes))).toMatchObject({
			'2': { inputs: { text: 'a green owl' } },
			'4': { inputs: { width: 64 } },
			'5': { inputs: { steps: 3, sampler_name: 'heun' } },
		});
		expect(submissions().at(-1)!.bodyText).toContain('"seed":18446744073709551615');
	});

	it('gives each item its own values, an empty text if an expression returns one, and the saved value of an empty field', async () => {
		const edited = appText('renamed').replaceAll('a red fox in the snow', 'edited in ComfyUI');
		const words = ['one', '', 'a red fox in the snow'];
		const changes = { 'What to draw': '={{ $json.words }}', steps: '={{ $json.steps }}', 'Picture number': '={{ $json.seed }}' };
		const items = words.map((text, index) => ({ json: { words: text, steps: 3 + index, seed: 70 + index } }));
		await sentBy(edited, await form('renamed', changes), { items, parameters: { options: { concurrency: 1, seeds: 'random' } } });
		const graphs = words.map((_, index) => sent(index));
		expect(graphs.map((graph) => [graph['2']!.inputs.text, graph['5']!.inputs.steps, graph['5']!.inputs.seed])).toEqual(
			words.map((text, index) => [text, 3 + index, 70 + index]),
		);
		const graph = await sentBy(edited, await form('renamed', { 'What to draw': '' }));
		expect(graph['2']!.inputs.text).toBe('edited in ComfyUI');
	});

	it.each([
		['renamed', { steps: 0 }, /^steps of App Inputs is out of range: 0/, /Nothing was sent\. The value must be between 1 and 10000\./],
		['renamed', { sampler_name: '={{ "eulr" }}' }, /^sampler_name of App Inputs does not offer the value "eulr"/, /Similar values: euler/],
		['renamed', { 'Picture number': 'seven' }, /^Picture number of App Inputs needs a whole number, not "seven"/, /Nothing was sent/],
		[
			'renamed',
			{ 'What to draw': '={{ $json.nothing }}' },
			/^What to draw of App Inputs is empty/,
			/Check that its expression finds a value/,
		],
		[
			'file-and-switch',
			{ 'Your photo': 'no such thing' },
			/^Your photo of App Inputs: "no such thing" is not a URL or a file in ComfyUI, and the input item has no files$/,
			/Nothing was sent/,
		],
	])('of %s with %j is refused before anything is sent', async (name, changes, message, advice) => {
		const { error } = await run(appText(name), await form(name, changes as IDataObject));
		expect(error!.message).toMatch(message);
		expect(error!.description).toMatch(advice);
		expect(submissions()).toEqual([]);
	});

	it('lets rows of Inputs win, and tells of it', async () => {
		const row = { input: { __rl: true, mode: 'name', value: '2.text' }, value: 'by a row' };
		const result = await run(appText('renamed'), await form('renamed', { 'What to draw': 'by the form' }), {
			parameters: { inputs: { values: [row] } },
		});
		expect(sent()['2']!.inputs.text).toBe('by a row');
		expect(result.hints).toEqual([expect.stringMatching(/^Input 1 and What to draw of App Inputs set the same input/)]);
		const left = await run(appText('renamed'), await form('renamed'), { parameters: { inputs: { values: [row] } } });
		expect(left.hints).toEqual([]);
	});

	it('sends the value of each item to every input that its field feeds', async () => {
		const text = appWithSharedField();
		const { fields } = await fieldsIn(credential(), text);
		const field = fields.find(({ defaultValue }) => defaultValue === 'a red fox in the snow')!;
		const words = ['a green owl', 'a blue hare'];
		const more = { items: words.map((text) => ({ json: { text } })), parameters: { options: { concurrency: 1 } } };
		await sentBy(text, filled(fields, { [String(field.words)]: '={{ $json.text }}' }), more);
		const texts = words.map((_, index) => [sent(index)['2']!.inputs.text, sent(index)['3']!.inputs.text]);
		expect(texts).toEqual(words.map((one) => [one, one]));
	});

	it('puts a value into an input of a subgraph', async () => {
		expect((await sentBy(appText('subgraph'), await form('subgraph', { Luck: '99' })))['8:5']!.inputs.seed).toBe(99);
		const nested = await sentBy(appText('nested'), await form('nested', { filename_prefix: 'deep' }));
		expect(nested['9:7']!.inputs.filename_prefix).toBe('deep');
	});
});

describe('a file', () => {
	const ROW = { input: { __rl: true, mode: 'name', value: '1.image' } };
	const photo = async (): Promise<InputItem> => ({
		json: {},
		files: { snap: { content: await picture(0x123456, 8), fileName: 'snap.png', mimeType: 'image/png' } },
	});

	/** Puts a picture into ComfyUI. */
	const keep = async (name: string): Promise<void> => {
		const body = new FormData();
		body.set('image', new Blob([new Uint8Array(await picture(0x222222, 8))]), name);
		await fetch(`${sandbox.urls.engine}/upload/image`, { method: 'POST', body });
	};

	it('is one that ComfyUI has, also if it was put there a moment ago', async () => {
		const appInputs = await form('file-and-switch', { 'Your photo': 'fresh.png' });
		await keep('fresh.png');
		expect((await sentBy(appText('file-and-switch'), appInputs))['1']!.inputs.image).toBe('fresh.png');
	});

	it.each([
		['snip', /^Your photo of App Inputs: "snip" is not a binary field of the input item, a URL or /, /binary field of the item \(snap\)/],
		['snap', /^Your photo of App Inputs: the file "snap\.png" is a PDF, but this input needs an image$/, /No job was created/],
	])('that is unfit is named by its field (%s)', async (value, message, advice) => {
		const files = { snap: { content: Buffer.from('%PDF-1.7 …'), fileName: 'snap.png', mimeType: 'image/png' } };
		const { error } = await run(appText('file-and-switch'), await form('file-and-switch', { 'Your photo': value }), { items: [{ files }] });
		expect([error?.message, error?.description]).toEqual([expect.stringMatching(message), expect.stringMatching(advice)]);
		expect(submissions()).toEqual([]);
	});

	it.each([
		['Files', { files: { values: [{ ...ROW, from: 'reference', reference: 'of-row.png' }] } }],
		['Inputs', { inputs: { values: [{ ...ROW, value: 'of-row.png' }] } }],
	])('a row of %s takes precedence over the file of the form, and a hint says so', async (_, parameters) => {
		await keep('of-row.png');
		const result = await run(appText('file-and-switch'), await form('file-and-switch', { 'Your photo': 'snap' }), {
			items: [await photo()],
			parameters,
		});
		expect(result.error).toBeUndefined();
		expect(sent()['1']!.inputs.image).toBe('of-row.png');
		expect(sandbox.requests('POST /api/upload/image')).toEqual([]);
		expect(result.hints).toEqual([expect.stringMatching(/and Your photo of App Inputs set the same input/)]);
	});
});

describe('an app that was changed in ComfyUI', () => {
	/** Its author took `What to draw` out, and calls the seed otherwise. */
	const changed = (): string => {
		const workflow = JSON.parse(appText('renamed')) as { extra: { linearData: { inputs: unknown[] } } };
		workflow.extra.linearData.inputs.shift();
		return JSON.stringify(workflow).replaceAll('Picture number', 'Luck');
	};

	it('names what no longer fits before anything is sent', async () => {
		const { error } = await run(changed(), await form('renamed', { 'What to draw': 'kept' }));
		expect(error!.message).toBe('What to draw of App Inputs is no longer an input of the app');
		expect(error!.description).toMatch(/Its inputs are now: Luck, steps, sampler_name, width/);
		expect(submissions()).toEqual([]);
		// What was left alone, and new words, do not matter.
		expect((await sentBy(changed(), await form('renamed', { 'Picture number': '5' })))['5']!.inputs.seed).toBe(5);
	});

	it('the form of another saved workflow keeps nothing that was entered for the first one', async () => {
		sandbox.saveWorkflow('first.app.json', JSON.parse(appText('renamed')));
		sandbox.saveWorkflow('second.app.json', JSON.parse(changed()));
		const chosen = (name: string): IDataObject => ({
			workflowSource: 'saved',
			savedWorkflow: { __rl: true, mode: 'list', value: name },
		});
		const { fields: first } = await fieldsIn(credential(), '', undefined, chosen('first.app.json'));
		const before = filled(first, { 'What to draw': 'for the first workflow' });
		const { fields: second } = await fieldsIn(credential(), '', before, chosen('second.app.json'));
		expect(second.map(({ displayName }) => displayName)).toEqual(['Luck', 'steps (1 to 10000)', 'sampler_name', 'width (16 to 16384)']);
	});

	it('sends the saved value of a field that the user has removed from the form', async () => {
		const before = await form('renamed', { 'What to draw': 'of the removed field', steps: 3 });
		const schema = (before.schema as AppField[]).map((field) => ({ ...field, removed: field.words === 'What to draw' }));
		const graph = await sentBy(appText('renamed'), { ...before, schema: schema as never[] });
		expect([graph['2']!.inputs.text, graph['5']!.inputs.steps]).toEqual(['a red fox in the snow', 3]);
	});

	it.each<[string, Form | undefined]>([
		['is absent', undefined],
		['has no value', { mappingMode: 'defineBelow', value: null, schema: [] }],
	])('sends the saved values when the form %s', async (_, empty) => {
		const graph = await sentBy(appText('renamed'), empty);
		expect([graph['2']!.inputs.text, graph['4']!.inputs.width]).toEqual(['a red fox in the snow', 512]);
	});

	it('that is no app any more says so', async () => {
		const { error } = await run(appText('renamed').replace('"linearData"', '"other"'), await form('renamed', { 'What to draw': 'kept' }));
		expect(error!.message).toBe('App Inputs contains "What to draw", but the workflow is not an app');
	});
});

describe('outputs', () => {
	const names = ({ outputs }: NodeResult): unknown[] => (outputs[0] ?? []).map(({ json }) => json.node_id).sort();

	it('are those that the app shows, or all, or those of rows', async () => {
		const appInputs = await form('same-words');
		expect(names(await run(appText('same-words'), appInputs))).toEqual(['8']);
		expect(names(await run(appText('same-words'), appInputs, { parameters: { options: { allOutputs: true } } }))).toEqual(['7', '8']);
		const options = { outputs: { values: [{ node: { __rl: true, mode: 'list', value: '7' } }] } };
		expect(names(await run(appText('same-words'), appInputs, { parameters: { options } }))).toEqual(['7']);
	});

	it('that are missing are reported', async () => {
		const result = await run(appText('plain-ids'));
		expect(result.hints).toEqual([
			expect.stringMatching(/^The app shows inputs that cannot be set: .*The app shows outputs that are not in the workflow: 77/),
		]);
	});
});
