import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { type NodeResult, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { editorFile } from '../support/editorFiles';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { runFaster } from '../../support/fastClock';
import { freshSandbox } from '../support/sandbox';
import { storedContext } from '../support/retried';

runFaster(5);

const sandbox = freshSandbox();

const items = (count: number) => Array.from({ length: count }, (_, index) => ({ json: { index } }));

/** Two samplers, one with a seed of its own; the other's comes from a primitive. */
const twoSeeds = (seed: unknown = 7): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 5 } },
	'2': { class_type: 'PrimitiveInt', _meta: { title: 'The seed' }, inputs: { value: 11 } },
	'3': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 1, step_ms: 1, seed } },
	'4': { class_type: 'SandboxSampler', inputs: { image: ['3', 0], steps: 1, step_ms: 1, seed: ['2', 0] } },
	'5': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'seeded' } },
});

const run = (graph: unknown, count: number, options: IDataObject, more: object = {}) =>
	runRun(credentialFor(sandbox), graph, { items: items(count), parameters: { options }, ...more });

/** The seeds with which the jobs of these items really ran. */
const ranWith = (result: NodeResult) =>
	jsons(result).map(({ job_id }) => {
		const graph = sandbox.job(String(job_id))?.graph;
		return { '3.seed': graph?.['3']?.inputs.seed, '2.value': graph?.['2']?.inputs.value };
	});

it('Random For Each Item changes each seed of each item in the node that it comes from', async () => {
	const result = await runNode(run(twoSeeds(), 20, { seeds: 'random' }));
	expect(result.error).toBeUndefined();
	const drawn = jsons(result).flatMap(({ seeds }) => Object.values(seeds as object) as number[]);
	expect(new Set(drawn).size).toBe(40);
	expect(drawn.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
	expect(ranWith(result)).toEqual(jsons(result).map(({ seeds }) => seeds));
	expect(sandbox.job(String(jsons(result)[0]?.job_id))?.graph['4']?.inputs.seed).toEqual(['2', 0]);
});

it('each seed reaches as far as its node allows: by its class, its limit in the definition, or its present value', async () => {
	const samplers = ['KSampler', 'KSamplerAdvanced', 'RandomNoise', 'SamplerCustom', 'OfAPack', 'OfAPack'];
	const graph: ApiGraph = {
		...twoSeeds(),
		...Object.fromEntries(
			samplers.map((class_type, index) => [10 + index, { class_type, inputs: { noise_seed: index === 5 ? 2 ** 31 : 2 ** 31 - 1 } }]),
		),
	};
	await runNode(run(graph, 20, { seeds: 'random' }, CONTINUE));
	const sent = sandbox.requests('POST /api/v2/jobs').map(({ bodyText }) => (JSON.parse(bodyText) as { workflow: ApiGraph }).workflow);
	const drawn = (id: number) => sent.map((workflow) => Number(workflow[id]?.inputs.noise_seed));
	expect(sent).toHaveLength(20);
	for (const id of [10, 11, 12, 13, 15]) expect(Math.max(...drawn(id))).toBeGreaterThan(2 ** 40);
	for (const id of [10, 11, 12, 13, 15]) expect(Math.max(...drawn(id))).toBeLessThan(2 ** 50);
	expect(Math.max(...drawn(14))).toBeLessThan(2 ** 31);
});

it('a seed that the item sets by title, by node ID or by a row is kept, and the other one of the item changes', async () => {
	const inputValues = '={{ [{ "The seed": { value: 100 } }, { "3": { seed: 101 } }, {}][$json.index] }}';
	const input = { __rl: true, mode: 'name', value: '={{ $json.index === 2 ? "3.seed" : "5.filename_prefix" }}' };
	const parameters = {
		inputs: { values: [{ input, value: '={{ $json.index === 2 ? 102 : "kept" }}' }] },
		options: { seeds: 'random', inputValues },
	};
	const result = await runNode(runRun(credentialFor(sandbox), twoSeeds(), { items: items(3), parameters }));
	expect(result.error).toBeUndefined();
	const [byTitle, byId, byRow] = jsons(result).map(({ seeds }) => seeds as Record<string, number>);
	expect([byTitle?.['2.value'], byId?.['3.seed'], byRow?.['3.seed']]).toEqual([100, 101, 102]);
	expect([7, 11]).not.toContain(byTitle?.['3.seed']);
	for (const seeds of [byId, byRow]) expect(seeds?.['2.value']).not.toBe(11);
	expect(ranWith(result)).toEqual(jsons(result).map(({ seeds }) => seeds));
});

it.each([
	['the workflow’s own', {}, [7, 8, 9], [11, 12, 13]],
	['First Seed', { firstSeed: '40' }, [40, 41, 42], [40, 41, 42]],
	[
		'a First Seed that a double cannot hold',
		{ firstSeed: '18446744073709551613' },
		['18446744073709551613', '18446744073709551614', '18446744073709551615'],
		undefined,
	],
])('Increase By One begins with %s', async (_, options, own, linked) => {
	const { '1': canvas, '3': sampler } = twoSeeds() as Required<ApiGraph>;
	const alone = { '1': canvas, '3': sampler, '5': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'alone' } } };
	const graph = linked === undefined ? alone : twoSeeds();
	const result = await runNode(run(graph, 3, { seeds: 'increase', ...options }));
	expect(result.error).toBeUndefined();
	expect(jsons(result).map(({ seeds }) => (seeds as IDataObject)['3.seed'])).toEqual(own);
	expect(jsons(result).map(({ seeds }) => (seeds as IDataObject)['2.value'])).toEqual(linked ?? [undefined, undefined, undefined]);
});

it('each item has its own choice, and a seed of -1 that an item sets becomes a random one with each of them', async () => {
	const options = {
		seeds: '={{ ["random", "increase", "increase", "asIs"][$json.index] }}',
		firstSeed: '={{ ["", "", "40", ""][$json.index] }}',
		inputValues: { '3': { seed: -1 } },
	};
	const result = await runNode(run(twoSeeds(7), 4, options));
	expect(result.error).toBeUndefined();
	const drawn = jsons(result).map((json) => json.seeds as Record<string, number>);
	expect(drawn[2]).toEqual({ '3.seed': 42, '2.value': 42 });
	const random = [drawn[0], drawn[1], drawn[3]].map((seeds) => seeds?.['3.seed'] ?? -1);
	expect(random.every((seed) => seed >= 0)).toBe(true);
	expect(new Set(random).size).toBe(3);
	expect([drawn[0]?.['2.value'] === 11, drawn[1]?.['2.value'], drawn[3]?.['2.value']]).toEqual([false, 12, 11]);
});

describe('a number that only the editor shows to be a seed', () => {
	/** A picture whose color comes from a number of its own. */
	const saved = (control: string): Record<string, unknown> => {
		const {
			nodes: [canvas, ...others],
			...file
		} = editorFile(9) as { nodes: IDataObject[] };
		const input = { name: 'color', type: 'INT', link: 2, widget: { name: 'color' } };
		const number = {
			id: 7,
			type: 'PrimitiveInt',
			mode: 0,
			inputs: [],
			outputs: [{ name: 'INT', type: 'INT', links: [2] }],
			properties: {},
			widgets_values: [42, control],
		};
		const links = [
			[1, 1, 0, 2, 0, 'IMAGE'],
			[2, 7, 0, 1, 0, 'INT'],
		];
		return { ...file, nodes: [{ ...canvas, inputs: [input] }, number, ...others], links };
	};
	const runSaved = async (control: string, options: IDataObject) =>
		await runNode(
			runRun(credentialFor(sandbox, 'bare_engine'), JSON.stringify(saved(control)), {
				items: items(5),
				parameters: { workflowSource: 'json', options },
			}),
		);

	it('Random For Each Item changes a lone PrimitiveInt whose control is set to randomize', async () => {
		const result = await runSaved('randomize', { seeds: 'random' });
		expect(result.error).toBeUndefined();
		expect(result.hints).toEqual([]);
		const numbers = jsons(result).map(({ job_id }) => sandbox.job(String(job_id))?.graph['7']?.inputs.value);
		expect(new Set(numbers).size).toBe(5);
		expect(jsons(result).map(({ seeds }) => (seeds as IDataObject)['7.value'])).toEqual(numbers);
	});

	it('leaves a PrimitiveInt whose control is set to fixed, and says that no seed was found', async () => {
		const result = await runSaved('fixed', { seeds: 'random' });
		expect(jsons(result).map(({ job_id }) => sandbox.job(String(job_id))?.graph['7']?.inputs.value)).toEqual(Array(5).fill(42));
		const words: unknown = expect.stringMatching(/^The option Seeds changes nothing, because the workflow has no seed/);
		expect(result.hints).toEqual([words]);
		expect(jsons(result).map(({ seeds_note }) => seeds_note)).toEqual(Array(5).fill(words));
	});
});

describe('a retry', () => {
	it('of the execution submits nothing twice, and reports the seeds that ran although the workflow has changed', async () => {
		sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 401, code: 'unauthorized' } });
		const first = await runNode(run(twoSeeds(), 2, { seeds: 'random' }, { executionId: 'one' }));
		expect(first.status).toBe('error');
		sandbox.clearFaults();
		const contextData = storedContext(first);
		const second = await runNode(run(twoSeeds(99), 2, { seeds: 'asIs' }, { contextData, executionId: 'two' }));
		expect(second.error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(2);
		expect(ranWith(second)).toEqual(jsons(second).map(({ seeds }) => seeds));
		expect(jsons(second).map(({ seeds }) => (seeds as IDataObject)['3.seed'])).not.toContain(99);
	});
});

it('a Custom key that finds the job of another execution on an engine reports the seeds of that job', async () => {
	const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'of-mine' };
	const withSeed = async (seed: number) =>
		jsons(await runNode(runRun(credentialFor(sandbox, 'bare_engine'), twoSeeds(seed), { parameters: { options } })))[0];
	await withSeed(7);
	const found = await withSeed(99);
	expect(sandbox.ledger.runs).toHaveLength(1);
	expect(found).toMatchObject({ job_id: sandbox.ledger.runs[0]?.jobId, seeds: { '3.seed': 7, '2.value': 11 } });
	expect(found).not.toHaveProperty('recovered');
});

it.each(['abc', '-1', '1.5', '18446744073709551616'])(
	'a First Seed of %s is rejected, and nothing of its item is sent',
	async (firstSeed) => {
		const options = { seeds: 'increase', firstSeed: `={{ ["0", "${firstSeed}"][$json.index] }}` };
		const result = await runNode(run(twoSeeds(), 2, options, CONTINUE));
		const [first, second] = jsons(result);
		expect(first?.seeds).toEqual({ '3.seed': 0, '2.value': 0 });
		expect(second).toMatchObject({ error: 'First Seed is not a whole number from 0 to 18446744073709551615' });
		expect(sandbox.ledger.runs).toHaveLength(1);
	},
);

describe('a number whose name does not show that it is a seed', () => {
	const graph: ApiGraph = {
		'1': { class_type: 'PackDice', inputs: { dice: 5, faces: 6 } },
		'2': { class_type: 'PackDice', inputs: { dice: 5, faces: 6 } },
	};
	const dice = (control: boolean) => ({
		PackDice: {
			input: { required: { dice: ['INT', { min: 0, max: 3, control_after_generate: control }], faces: ['INT', { min: 1, max: 40 }] } },
			output: [],
			name: 'PackDice',
			output_node: true,
		},
	});
	const sentWith = async (control: boolean) => {
		sandbox.inject({
			on: 'GET /api/object_info/PackDice',
			surface: 'engine',
			times: Infinity,
			answer: { status: 200, json: dice(control) },
		});
		const parameters = { options: { seeds: 'random' } };
		const result = await runNode(runRun(credentialFor(sandbox, 'bare_engine'), graph, { items: items(30), parameters, ...CONTINUE }));
		const sent = sandbox.requests('POST /api/prompt').map(({ bodyText }) => (JSON.parse(bodyText) as { prompt: ApiGraph }).prompt);
		return { hints: result.hints, inputs: sent.flatMap((prompt) => Object.values(prompt).map(({ inputs }) => inputs)) };
	};

	it('changes within the limits that its definition gives, if the definition shows it', async () => {
		const { hints, inputs } = await sentWith(true);
		expect(hints).toEqual([]);
		expect(inputs).toHaveLength(60);
		expect(new Set(inputs.map(({ dice: drawn }) => drawn))).toEqual(new Set([0, 1, 2, 3]));
		expect(new Set(inputs.map(({ faces }) => faces))).toEqual(new Set([6]));
	});

	it('stays as it is if nothing shows it, and the execution says so', async () => {
		const { hints, inputs } = await sentWith(false);
		expect(hints).toEqual([expect.stringMatching(/^The option Seeds changes nothing/)]);
		expect(new Set(inputs.map(({ dice: kept }) => kept))).toEqual(new Set([5]));
	});
});
