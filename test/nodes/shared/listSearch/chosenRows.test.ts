import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';

import { searchFileInputs, searchOutputNodes } from '../../../../nodes/shared/listSearch/inputs';
import { realClock, setClock } from '../../../../client/clock';
import { patientClock } from '../../../support/patientClock';
import * as graphs from '../../../support/graphs';
import { editorContext } from '../../support/editor';
import { editorFile } from '../../support/editorFiles';
import { type Credential } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { searchInputs } from '../../support/inputLists';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();

let saved: string[] = [];

afterEach(() => {
	for (const path of saved) for (const surface of ['engine', 'hosted'] as const) sandbox.deleteWorkflow(path, { surface });
	saved = [];
});

const listed = (value: string): IDataObject => ({ __rl: true, mode: 'list', value });
const ofSaved = (path: string): IDataObject => ({ workflowSource: 'saved', savedWorkflow: listed(path) });

const text = (graph: object): string => JSON.stringify(graph);

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
		setClock({ ...realClock, now: () => realClock.now() + 61_000 });
		const results = await search();
		setClock(patientClock);
		expect(results[0]?.name).toContain('(#6)');
		expect(results.filter(({ value }) => value === '7.text')).toMatchObject([{ name: expect.stringContaining('"blurry, watermark"') }]);
	});

	it('has the link of its entry, because n8n would write an empty one otherwise', async () => {
		const [{ name, value, url }] = (await resultsOf(PASTED)) as [INodeListSearchItems];
		expect(url).toMatch(/^https:.*docs\/workflows\.md$/);
		const held = holding({ value, cachedResultName: name, cachedResultUrl: url });
		expect((await resultsOf(PASTED, { credential: account('another'), ...held }))[0]).toEqual({ name, value, url });
	});
});
