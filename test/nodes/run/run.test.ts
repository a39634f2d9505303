import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { countTurns } from '../../support/turnClock';
import { bytesOf, type Credential, runNode } from '../support/engine';
import { CONTINUE, downloadRun, fileItem, uploadRun } from '../support/files';
import { credentialFor, interfaceOf, type Way, ways } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, GRAPH_OF_ITEM, graphItems, invertGraph } from '../support/graphs';
import { everyKindGraph } from '../support/media';
import { expectInverted, freshPicture } from '../support/inputImages';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';
import { jsons, waitRun } from '../support/submit';

countTurns(5);
const sandbox = sharedSandbox();

/** v1 keeps files by their content, and names them so. */
const FILE_NAME = { v2: /^inverted.*\.png$/, v1: /^[0-9a-f]{64}\.png$/, engine: /^inverted.*\.png$/ };
let seed = 31_000;

/** Puts the item's file into the node titled "Picture". */
async function invertedRun(credential: Credential, content: Buffer) {
	const upload = await runNode(uploadRun(credential, [fileItem(content)]));
	return runRun(credential, invertGraph(), {
		items: upload.outputs[0],
		parameters: { options: { inputValues: '={{ { Picture: { image: $json.reference } } }}' } },
	});
}

const doneKeys: Partial<Record<Way, string[]>> = {};
const stillKeys: Partial<Record<Way, string[]>> = {};

/** The same node and settings everywhere; only the credential differs, or the option Interface. */
describe.each(ways)('over %s', (way) => {
	it('one node returns the inverted picture with all facts in its item', async () => {
		const picture = await freshPicture();
		const result = await runNode(await invertedRun(credentialFor(sandbox, way), picture));
		await expectInverted(result, picture);
		const [item, ...others] = result.outputs[0] ?? [];
		expect(others).toEqual([]);
		const content = await bytesOf(item);
		expect(item?.json).toMatchObject({
			name: expect.stringMatching(FILE_NAME[interfaceOf(way)]),
			type: 'image',
			content_type: 'image/png',
			size_bytes: content.length,
			node_id: '3',
			node_title: 'SaveImage',
			seed: null,
			seeds: {},
			job_id: expect.any(String),
			interface: interfaceOf(way),
			status: 'succeeded',
			service_status: expect.any(String),
			binary_field: 'data',
		});
		expect(item?.json).not.toHaveProperty('error');
		expect(item?.json.idempotency_key).toEqual(way === 'v1' ? undefined : expect.any(String));
		expect(item?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(FILE_NAME[interfaceOf(way)]) });
		expect(item?.pairedItem).toEqual({ item: 0 });
		doneKeys[way] = Object.keys(item?.json ?? {});
	});

	it('a job that runs longer than Max Wait leaves through the second output, with everything that Comfy Wait For Job needs', async () => {
		sandbox.configure({ gateOpen: false });
		const result = await runNode(
			runRun(credentialFor(sandbox, way), gatedGraph(seed++), {
				connected: STILL_RUNNING_OUTPUT,
				parameters: { options: { maxWaitMinutes: 0.005 } },
			}),
		);
		sandbox.configure({ gateOpen: true });
		expect(result.error).toBeUndefined();
		expect(result.outputs[0] ?? []).toEqual([]);
		const [still] = jsons(result, 1);
		expect(still).toMatchObject({ job_id: expect.any(String), interface: interfaceOf(way), seed: seed - 1, seeds: { '2.seed': seed - 1 } });
		expect(['queued', 'running']).toContain(still?.status);
		stillKeys[way] = Object.keys(still ?? {});
	});

	it('a failing job names its node, and fails only its item, which has the id of the job', async () => {
		const items = graphItems([colorGraph(seed++), failingGraph(`no luck ${seed++}`), colorGraph(seed++)]);
		const failing = runRun(credentialFor(sandbox, way), GRAPH_OF_ITEM, { items });
		const { error } = await runNode(failing);
		expect(error?.message).toMatch(/node 7 \(SandboxFail\): no luck/);
		expect(error?.description).toMatch(/submit (it|the workflow) again/);
		const job_error = { node_id: '7', class_type: 'SandboxFail', message: expect.stringContaining('no luck') };
		expect(error?.context).toMatchObject({
			itemIndex: 1,
			data: { job_id: expect.any(String), interface: interfaceOf(way), status: 'failed', job_error },
		});
		expect(error?.message).toContain(String((error?.context.data as { job_id: string }).job_id));
		const all = (await runNode({ ...failing, ...CONTINUE })).outputs[0] ?? [];
		expect(all.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(all.map(({ json }) => json.status)).toEqual(['succeeded', 'failed', 'succeeded']);
		expect(all[1]?.json).toMatchObject({ job_id: expect.any(String), error: expect.stringContaining('no luck'), seeds: {} });
		expect(all.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([['data'], [], ['data']]);
	});
});

it.each(['v1', 'engine', 'bare_engine'] as const)('items have the same fields over %s as over v2', (way) => {
	for (const keys of [doneKeys, stillKeys]) {
		expect(keys.hosted?.length).toBeGreaterThan(10);
		expect((keys.hosted ?? []).filter((key) => !keys[way]?.includes(key))).toEqual(way === 'v1' ? ['idempotency_key'] : []);
	}
});

it('Wait For Job and Download Outputs pass on the seeds of an item from Still Running', async () => {
	const credential = credentialFor(sandbox);
	sandbox.configure({ gateOpen: false });
	const still = await runNode(
		runRun(credential, gatedGraph(77), { connected: STILL_RUNNING_OUTPUT, parameters: { options: { maxWaitMinutes: 0.002 } } }),
	);
	sandbox.configure({ gateOpen: true });
	const items = still.outputs[1]?.map(({ json }) => ({ json }));
	const wait = await runNode(waitRun(credential, [], { items }));
	expect(jsons(wait)[0]).toMatchObject({ status: 'succeeded', seed: 77, seeds: { '2.seed': 77 } });
	const download = await runNode(downloadRun(credential, [], {}, { items: wait.outputs[0] }));
	expect(jsons(download)[0]).toMatchObject({ job_id: jsons(wait)[0]?.job_id, seed: 77, seeds: { '2.seed': 77 }, output: { node_id: '3' } });
	const ofAnother = [{ json: { ...jsons(wait)[0], job_id: 'another' } }];
	const other = await runNode(downloadRun(credential, [], { jobId: String(jsons(wait)[0]?.job_id) }, { items: ofAnother }));
	expect(jsons(other)[0]).not.toHaveProperty('seeds');
});

let color = 400;

/** Two pictures that are kept, and one that is only shown. */
const previewGraph = (): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: color++ } },
	'2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
	'5': { class_type: 'PreviewImage', _meta: { title: 'Look' }, inputs: { images: ['1', 0] } },
	'8': { class_type: 'SaveImage', _meta: { title: 'Keep' }, inputs: { images: ['1', 0], filename_prefix: 'plain' } },
	'9': { class_type: 'SaveImage', _meta: { title: 'Keep' }, inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
});

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

it.each(['hosted', 'v1', 'self_hosted', 'bare_engine'] as const)(
	'each item has its own choice of outputs, previews and form of the items (over %s)',
	async (way) => {
		const cases: Array<[options: IDataObject, expected: string[]]> = [
			[{}, ['8', '9']],
			[{ includePreviews: true }, ['5', '8', '9']],
			[{ outputs: ['9'] }, ['9']],
			[{ outputs: ['Look', '8', ''] }, ['5', '8']],
			[{ outputMode: 'singleItem', binaryPropertyName: 'picture' }, ['8', '9']],
			[{ binaryPropertyName: 'file' }, ['8', '9']],
		];
		const node = (index: number) => ({ node: byName(`={{ ($json.outputs ?? [])[${index}] ?? "" }}`) });
		const options = {
			outputs: { values: [0, 1, 2].map(node) },
			...Object.fromEntries(['includePreviews', 'outputMode', 'binaryPropertyName'].map((name) => [name, `={{ $json.${name} }}`])),
		};
		const items = cases.map(([json]) => ({ json }));
		const result = await runNode({ ...run(way, previewGraph(), options), items });
		expect(result.error).toBeUndefined();
		const of = (item: number) => (result.outputs[0] ?? []).filter(({ pairedItem }) => (pairedItem as { item: number }).item === item);
		for (const [index, [, expected]] of cases.entries()) {
			const found = of(index).flatMap(({ json }) => (json.outputs as IDataObject[] | undefined) ?? [json]);
			expect(found.map(({ node_id }) => node_id).sort()).toEqual(expected);
		}
		expect(of(4)).toMatchObject([
			{
				json: {
					job_id: expect.any(String),
					status: 'succeeded',
					seed: null,
					outputs: [{ node_title: 'Keep', binary_field: 'picture_0' }, {}],
				},
				binary: { picture_0: {}, picture_1: {} },
			},
		]);
		expect(of(5).map(({ json, binary }) => [json.binary_field, Object.keys(binary ?? {})])).toEqual([
			['file', ['file']],
			['file', ['file']],
		]);
	},
);

// Behind a proxy it is read from ComfyUI itself.
it.each([...tellsTexts, 'self_hosted' as const])('returns one item with the texts of a job without files (over %s)', async (way) => {
	const graph = textGraph();
	const text = String(graph['1']?.inputs.value);
	const facts = { status: 'succeeded', interface: interfaceOf(way) };
	expect(jsons(await runNode(run(way, graph)))).toEqual([
		expect.objectContaining({ type: 'text', text, node_id: '2', node_title: 'Say', ...facts }),
	]);
	const { '1': number, '2': say } = textGraph();
	const both = jsons(await runNode(run(way, { ...graph, '3': number!, '4': { ...say!, inputs: { source: ['3', 0] } } })));
	const texts = [{ text }, { text: expect.any(String) }];
	const single = { ...facts, text: expect.stringMatching(/^\d+\n\n\d+$/), outputs: texts };
	// The hosted service saves each text as a file.
	expect(both).toMatchObject(interfaceOf(way) === 'engine' || way === 'self_hosted' ? [single] : texts);
});

it('a job behind a proxy succeeds without its texts if the node cannot reach ComfyUI itself', async () => {
	const credential = credentialFor(sandbox, 'self_hosted', { engineIsElsewhere: false, engineUrl: '' });
	const [item] = jsons(await runNode(runRun(credential, textGraph())));
	expect(item).toMatchObject({ status: 'succeeded', interface: 'v2' });
	expect(item).not.toHaveProperty('text');
});

it.each(tellsTexts)('puts the text of a text file into the item (over %s)', async (way) => {
	const result = await runNode(run(way, everyKindGraph(color++), chosen(byName('14'))));
	const [item] = result.outputs[0] ?? [];
	expect(item?.json.text).toMatch(/^seed \d+$/);
	expect((await bytesOf(item)).toString()).toBe(item?.json.text);
});

it.each([
	['an id', fromList('77'), /Outputs contains "77", which is not a node of the workflow/, /5 \(Look\), 8 \(Keep\), 9 \(Keep\)/],
	['a title', byName('Saved'), /Outputs contains "Saved"/, /8 \(Keep\)/],
	['a title of two nodes', byName('Keep'), /several nodes/, /8, 9/],
])('%s that the workflow does not have, or has twice, is rejected before anything is sent', async (_, node, message, advice) => {
	const { error } = await runNode(run('hosted', previewGraph(), chosen(node)));
	expect(error?.message).toMatch(message);
	expect(error?.description).toMatch(advice);
	expect(sandbox.requests()).toEqual([]);
});
