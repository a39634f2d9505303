/** Values that the node replaces by what ComfyUI understands: seeds of -1, and names of models as Windows writes them. */
import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../../../client';
import { textToImage } from '../../../../support/graphs';
import { type NodeRun, runNode } from '../../../support/engine';
import { credentialFor, interfaceOf, type Way } from '../../../support/flavours';
import { graphsSentTo } from '../../../support/inputImages';
import { manageRun } from '../../../support/manage';
import { RETRY } from '../../../support/retried';
import { runRun } from '../../../support/run';
import { freshSandbox } from '../../../support/sandbox';
import { jsons, submitRun } from '../../../support/submit';
import { runFaster } from '../../../../support/fastClock';

runFaster(5);
const sandbox = freshSandbox();

const NODES = { 'Comfy Run Workflow': runRun, 'Comfy Submit Workflow': submitRun };

/** Two samplers. One has its own seed, the other gets it from a primitive. */
const seeded = (own: unknown, linked: unknown): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 5 } },
	'2': { class_type: 'PrimitiveInt', inputs: { value: linked } },
	'3': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 1, step_ms: 1, seed: own } },
	'4': { class_type: 'SandboxSampler', inputs: { image: ['3', 0], steps: 1, step_ms: 1, seed: ['2', 0] } },
	'5': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'seeded' } },
});

/** What the sandbox draws from. */
const drawn: ApiGraph = {
	...textToImage,
	'4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'daylight_v2.safetensors' } },
	'5': { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 16, batch_size: 1 } },
};

/** Two samplers of ComfyUI, whose definitions allow no seed below 0. */
const sampled: ApiGraph = {
	...drawn,
	'10': { class_type: 'KSampler', inputs: { ...textToImage['3']?.inputs, latent_image: ['3', 0], steps: 2 } },
	'8': { class_type: 'VAEDecode', inputs: { samples: ['10', 0], vae: ['4', 2] } },
};

const row = (name: string, value: unknown): IDataObject => ({ input: { mode: 'name', value: name }, value }) as IDataObject;
const sentGraphs = () => graphsSentTo(sandbox);
/** What Check Workflow says. */
const checked = async (graph: ApiGraph): Promise<IDataObject | undefined> => {
	const parameters = { workflowSource: 'json', workflow: JSON.stringify(graph) };
	return jsons(await runNode(manageRun(credentialFor(sandbox, 'engine'), 'workflow:check', { parameters })))[0];
};

describe.each(Object.entries(NODES))('%s', (_, toRun) => {
	const run = async (workflow: unknown, { way = 'hosted', ...more }: { way?: Way } & Partial<NodeRun> = {}) =>
		await runNode(toRun(credentialFor(sandbox, way), workflow, { items: [{}, {}], ...more }));

	it.each<[string, Way, unknown, unknown]>([
		['numbers', 'hosted', -1, -1],
		['numbers', 'bare_engine', -1, -1],
		['a text and a number', 'hosted', '-1', -1],
	])('B21: seeds of -1 (%s, %s) become random, and a retry of two items repeats them', async (_what, way, own, linked) => {
		sandbox.inject({ on: interfaceOf(way) === 'v2' ? 'POST /api/v2/jobs' : 'POST /api/prompt', answer: { status: 413 } });
		const result = await run(seeded(own, linked), { way, settings: RETRY });
		expect(result.error).toBeUndefined();
		const sent = sentGraphs().map((graph) => ({ '3.seed': graph['3']?.inputs.seed, '2.value': graph['2']?.inputs.value }));
		expect(sent).toHaveLength(3);
		const drawn = new Set(sent.flatMap((seeds) => Object.values(seeds)));
		expect(drawn.size).toBe(4);
		expect([...drawn].every((seed) => Number.isInteger(seed) && Number(seed) >= 0)).toBe(true);
		for (const { seed, seeds } of jsons(result)) {
			expect(sent).toContainEqual(seeds);
			expect(Object.values(seeds as object)).toContain(seed);
		}
	});

	it('B21: a row may set a seed to -1 although ComfyUI allows no number below 0', async () => {
		const rows = [row('3.seed', '={{ $json.seed }}'), row('10.seed', '-1'), row('10.steps', '1')];
		const items = [{ json: { seed: -1 } }, { json: { seed: 7 } }];
		const result = await run(sampled, { way: 'bare_engine', items, parameters: { inputs: { values: rows }, options: { concurrency: 1 } } });
		expect(result.error).toBeUndefined();
		const seeds = sentGraphs().map((graph) => [graph['3']?.inputs.seed, graph['10']?.inputs.seed]);
		expect(seeds).toEqual([
			[expect.any(Number), expect.any(Number)],
			[7, expect.any(Number)],
		]);
		expect(seeds.flat().every((seed) => Number(seed) >= 0)).toBe(true);
		expect(new Set(seeds.flat()).size).toBe(4);
	});

	it('C5: the default seed of Efficiency nodes is sent as a random number', async () => {
		const efficient: ApiGraph = {
			'1': { class_type: 'KSampler (Efficient)', inputs: { seed: -1, steps: 20 } },
			'2': { class_type: 'KSampler SDXL (Eff.)', inputs: { noise_seed: -1, start_at_step: -1 } },
		};
		await run(efficient, { settings: { onError: 'continueRegularOutput' } });
		const graphs = sentGraphs();
		expect(graphs).toHaveLength(2);
		const seeds = graphs.flatMap((graph) => [graph['1']?.inputs.seed, graph['2']?.inputs.noise_seed]);
		expect(seeds.every((seed) => Number(seed) >= 0)).toBe(true);
		expect(new Set(seeds).size).toBe(4);
		expect(graphs.map((graph) => graph['2']?.inputs.start_at_step)).toEqual([-1, -1]);
	});
});

it('B21: Check Workflow accepts seeds of -1, and reports other numbers below their limit', async () => {
	const withSeed = (id: '3' | '10', changes: object) => ({ [id]: { ...sampled[id], inputs: { ...sampled[id]?.inputs, ...changes } } });
	const faulty = { ...sampled, ...withSeed('3', { seed: -1 }), ...withSeed('10', { seed: -1, steps: -1 }) };
	const item = await checked(faulty as ApiGraph);
	expect(item?.other_faults).toEqual(['Node 10 (KSampler), steps: -1 is out of range. The value must be between 1 and 10000.']);
});

const lora = (name: string, from: string) => ({
	class_type: 'LoraLoader',
	inputs: { model: [from, 0], clip: ['4', 1], lora_name: name, strength_model: 1, strength_clip: 1 },
});
/** Two LoRAs: one has a name with a folder, as Windows writes it. */
const withLoras = (name = 'ink\\brush.safetensors'): ApiGraph => ({
	...drawn,
	'3': { class_type: 'KSampler', inputs: { ...drawn['3']?.inputs, steps: 1, model: ['11', 0] } },
	'6': { class_type: 'CLIPTextEncode', inputs: { text: 'ink\\brush.safetensors', clip: ['4', 1] } },
	'10': lora(name, '4'),
	'11': lora('pixel_art.safetensors', '10'),
});

describe.each(Object.entries(NODES))('%s', (_, toRun) => {
	it.each<[string, Way, string, IDataObject]>([
		['in the workflow', 'bare_engine', 'ink\\brush.safetensors', {}],
		['in the workflow', 'v1', 'ink\\brush.safetensors', {}],
		['in a row', 'bare_engine', 'pixel_art.safetensors', { values: [row('10.lora_name', '={{ "ink\\\\brush.safetensors" }}')] }],
	])('B14: the name of a model with the slash of Windows %s is sent as the server spells it (%s)', async (_where, way, name, inputs) => {
		const run = toRun(credentialFor(sandbox, way), withLoras(name), { items: [{}, {}], parameters: { inputs } });
		const result = await runNode(run);
		expect(result.error).toBeUndefined();
		for (const { job_id: id } of jsons(result)) {
			const graph = sandbox.job(String(id))?.graph;
			expect([graph?.['10']?.inputs.lora_name, graph?.['11']?.inputs.lora_name, graph?.['6']?.inputs.text]).toEqual([
				'ink/brush.safetensors',
				'pixel_art.safetensors',
				'ink\\brush.safetensors',
			]);
		}
	});
});

it('B14: Check Workflow finds the model with either slash, and reports one that the server does not have', async () => {
	const check = async (name: string) => (await checked(withLoras(name)))?.missing_models;
	expect(await check('ink\\brush.safetensors')).toEqual([]);
	expect(await check('ink/brush.safetensors')).toEqual([]);
	expect(await check('ink\\pencil.safetensors')).toMatchObject([{ name: 'ink\\pencil.safetensors' }]);
});
