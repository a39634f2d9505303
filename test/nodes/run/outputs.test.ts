import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { bytesOf, runNode } from '../support/engine';
import { credentialFor, isOfEngine, type Way, ways } from '../support/flavours';
import { everyKindGraph, KINDS, MEDIA, partlyFailingGraph } from '../support/media';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

let color = 400;

/** Two pictures that are kept, and one that is only shown. */
const previewGraph = (): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: color++ } },
	'2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
	'5': { class_type: 'PreviewImage', _meta: { title: 'Look' }, inputs: { images: ['1', 0] } },
	'8': { class_type: 'SaveImage', _meta: { title: 'Keep' }, inputs: { images: ['1', 0], filename_prefix: 'plain' } },
	'9': { class_type: 'SaveImage', _meta: { title: 'Keep' }, inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
});

const only = (...ids: string[]): ApiGraph => {
	const graph = previewGraph();
	return Object.fromEntries(Object.entries(graph).filter(([id]) => ['1', '2', ...ids].includes(id)));
};

const textGraph = (): ApiGraph => ({
	'1': { class_type: 'PrimitiveInt', inputs: { value: color++ } },
	'2': { class_type: 'PreviewAny', _meta: { title: 'Say' }, inputs: { source: ['1', 0] } },
});

const run = (way: Way, graph: ApiGraph, options: IDataObject = {}) =>
	runRun(credentialFor(sandbox, way), graph, { parameters: { options } });
const chosen = (...values: unknown[]) => ({ outputs: { values: values.map((node) => ({ node })) } }) as IDataObject;
const fromList = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: 'Keep' });
const byName = (value: string) => ({ __rl: true, mode: 'name', value });
/** The proxy tells of no texts. */
const tellsTexts = ways.filter((way) => !way.startsWith('self_hosted'));

describe('a workflow over the API proxy that makes only texts', () => {
	it('L5: gives the texts, read from the ComfyUI behind the proxy', async () => {
		const graph = textGraph();
		const [item] = jsons(await runNode(run('self_hosted', graph)));
		expect(item).toMatchObject({ status: 'succeeded', interface: 'v2', node_id: '2', text: String(graph['1']?.inputs.value) });
	});

	it('L5: says where to enter the address of ComfyUI if nothing answers there', async () => {
		const credential = credentialFor(sandbox, 'self_hosted_token', { engineUrl: 'http://127.0.0.1:9' });
		const { outputs, hints } = await runNode(runRun(credential, textGraph()));
		expect(outputs[0]?.[0]?.json).toMatchObject({ status: 'succeeded', outputs: [] });
		expect(hints).toEqual([
			expect.stringMatching(/^Job \S+ has no outputs here, because the API proxy passes on neither texts nor 3D files\..*Engine Address/),
		]);
	});
});

describe.each(ways)('over %s', (way) => {
	it('previews are left out, unless they are asked for', async () => {
		const without = jsons(await runNode(run(way, previewGraph())));
		expect(without.map(({ node_id }) => node_id).sort()).toEqual(['8', '9']);
		expect(without.map(({ node_title }) => node_title)).toEqual(['Keep', 'Keep']);
		const all = jsons(await runNode(run(way, previewGraph(), { includePreviews: true })));
		expect(all.map(({ node_id }) => node_id).sort()).toEqual(['5', '8', '9']);
	});

	it('of a chosen node everything is handed on, also what is only a preview', async () => {
		const one = jsons(await runNode(run(way, previewGraph(), chosen(fromList('9')))));
		expect(one.map(({ node_id }) => node_id)).toEqual(['9']);
		const two = jsons(await runNode(run(way, previewGraph(), chosen(byName('Look'), fromList('8'), fromList('')))));
		expect(two.map(({ node_id }) => node_id).sort()).toEqual(['5', '8']);
	});

	it('a workflow that only shows says how to get what it shows', async () => {
		const result = await runNode(run(way, only('5')));
		expect(result.status).toBe('success');
		expect(jsons(result)).toEqual([expect.objectContaining({ status: 'succeeded', outputs: [] })]);
		expect(result.hints.join()).toMatch(/only temporary previews.*Include Temporary Previews/);
	});

	it('all on one item', async () => {
		const [item, ...others] =
			(await runNode(run(way, previewGraph(), { outputMode: 'singleItem', binaryPropertyName: 'picture' }))).outputs[0] ?? [];
		expect(others).toEqual([]);
		expect(item?.json).toMatchObject({
			job_id: expect.any(String),
			status: 'succeeded',
			seed: null,
			outputs: [{ node_title: 'Keep', binary_field: 'picture_0' }, { binary_field: 'picture_1' }],
		});
		expect(Object.keys(item?.binary ?? {})).toEqual(['picture_0', 'picture_1']);
	});
});

describe.each(tellsTexts)('texts over %s', (way) => {
	it('a job without files gives one item with its text', async () => {
		const graph = textGraph();
		const result = await runNode(run(way, graph));
		expect(jsons(result)).toEqual([
			expect.objectContaining({
				type: 'text',
				text: String(graph['1']?.inputs.value),
				node_id: '2',
				node_title: 'Say',
				status: 'succeeded',
			}),
		]);
	});

	it('a text in a file can be read in the item', async () => {
		const result = await runNode(run(way, everyKindGraph(color++), chosen(byName('14'))));
		const [item] = result.outputs[0] ?? [];
		expect(item?.json.text).toMatch(/^seed \d+$/);
		expect((await bytesOf(item)).toString()).toBe(item?.json.text);
	});
});

it.each(tellsTexts.filter(isOfEngine))('several texts that are kept in no file are one item (over %s)', async (way) => {
	const graph: ApiGraph = { ...textGraph(), '3': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } } };
	const said = String(graph['1']?.inputs.value);
	const [item, ...others] = jsons(await runNode(run(way, graph)));
	expect(others).toEqual([]);
	expect(item).toMatchObject({
		text: `${said}\n\n${said}`,
		outputs: [
			{ node_title: 'Say', text: said },
			{ node_title: 'PreviewAny', text: said },
		],
	});
});

it('every kind of output is an item with its file and its size', async () => {
	const result = await runNode(run('hosted', everyKindGraph(color++)));
	const items = result.outputs[0] ?? [];
	expect(items.map(({ json }) => json.node_id)).toEqual(['11', '12', '13', '14', '15', '16']);
	expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(KINDS.map((kind) => MEDIA[kind].mimeType));
	for (const item of items) expect(item.json.size_bytes).toBe((await bytesOf(item)).length);
});

it.each([
	['an id', fromList('77'), /Outputs names "77", which is no node of the workflow/, /5 \(Look\), 8 \(Keep\), 9 \(Keep\)/],
	['a title', byName('Saved'), /Outputs names "Saved"/, /8 \(Keep\)/],
	['a title of two nodes', byName('Keep'), /several nodes/, /8, 9/],
])('%s that the workflow does not have, or has twice, is refused before anything is sent', async (_, node, message, advice) => {
	sandbox.resetRecords();
	const { error } = await runNode(run('hosted', previewGraph(), chosen(node)));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(sandbox.requests()).toEqual([]);
});

it('a job that fails after it has saved something fails the item, which names what there is', async () => {
	const { error } = await runNode(run('hosted', partlyFailingGraph(color++)));
	expect(error?.message).toMatch(/stopped at node 7/);
	expect(error?.context.data).toMatchObject({ outputs: [{ node_id: '2' }] });
});
