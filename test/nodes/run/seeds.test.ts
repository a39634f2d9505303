import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { type NodeResult, runNode } from '../support/engine';
import { credentialFor, interfaceOf, ways } from '../support/flavours';
import { editorFile } from '../support/editorFiles';
import { runRun } from '../support/run';
import { jsons } from '../support/submit';
import { runFaster } from '../../support/fastClock';
import { freshSandbox } from '../support/sandbox';
import { RETRY, storedContext } from '../support/retried';

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

it('As In The Workflow keeps and reports the seeds of the workflow for every item', async () => {
	const result = await runNode(run(twoSeeds(), 2, {}));
	expect(jsons(result).map(({ seed, seeds }) => ({ seed, seeds }))).toEqual(
		Array(2).fill({ seed: expect.any(Number), seeds: { '3.seed': 7, '2.value': 11 } }),
	);
	expect(ranWith(result)).toEqual(jsons(result).map(({ seeds }) => seeds));
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

it.each([
	[2 ** 31 - 1, 0, 2 ** 31],
	[2 ** 31, 2 ** 31, 2 ** 50],
	[156_680_208_700_286, 2 ** 40, 2 ** 50],
])('the seeds of a node that holds the seed %d reach %d to %d', async (seed, least, below) => {
	const result = await runNode(run(twoSeeds(seed), 20, { seeds: 'random' }));
	const generated = jsons(result).map(({ seeds }) => (seeds as Record<string, number>)['3.seed'] as number);
	expect(generated).toHaveLength(20);
	expect(Math.max(...generated)).toBeGreaterThanOrEqual(least);
	expect(Math.max(...generated)).toBeLessThan(below);
});

it.each(['KSampler', 'KSamplerAdvanced', 'RandomNoise', 'SamplerCustom'])(
	'%s gets long seeds, whatever its seed is',
	async (class_type) => {
		const graph: ApiGraph = { ...twoSeeds(), '3': { class_type, inputs: { noise_seed: 7 } } };
		sandbox.resetRecords();
		await runNode(run(graph, 20, { seeds: 'random' }, { continueOnFail: true }));
		const sent = sandbox.requests('POST /api/v2/jobs').map(({ bodyText }) => /"noise_seed":(\d+)/.exec(String(bodyText))?.[1]);
		expect(Math.max(...sent.map(Number))).toBeGreaterThan(2 ** 40);
	},
);

it('a seed that the item sets is kept', async () => {
	const result = await runNode(run(twoSeeds(), 2, { seeds: 'random', inputValues: '={{ { "The seed": { value: 100 + $json.index } } }}' }));
	expect(jsons(result).map(({ seeds }) => (seeds as IDataObject)['2.value'])).toEqual([100, 101]);
	expect(jsons(result).map(({ seeds }) => (seeds as IDataObject)['3.seed'])).not.toContain(7);
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

it('a seed of -1 becomes a random one without the option as well, and a retry keeps it', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 413 } });
	const graph = { ...twoSeeds(-1), '2': { class_type: 'PrimitiveInt', inputs: { value: -1 } } };
	const result = await runNode(run(graph, 2, {}, { settings: RETRY }));
	expect(result.error).toBeUndefined();
	const drawn = jsons(result).flatMap(({ seeds }) => Object.values(seeds as object) as number[]);
	expect(new Set(drawn).size).toBe(4);
	expect(drawn.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
	expect(ranWith(result)).toEqual(jsons(result).map(({ seeds }) => seeds));
	const sent = sandbox.requests('POST /api/v2/jobs').map(({ bodyText }) => /"seed":(\d+)/.exec(String(bodyText))?.[1]);
	expect(sent).toHaveLength(3);
	expect(new Set(sent).size).toBe(2);
});

it.each([
	['random', {}],
	['increase', { firstSeed: '' }],
])('with %s, a seed of -1 becomes a random one, also if the item sets it', async (seeds, options) => {
	const result = await runNode(run(twoSeeds(7), 2, { seeds, ...options }, { inputValues: { '3': { seed: -1 } } }));
	expect(result.error).toBeUndefined();
	const drawn = jsons(result).map((json) => (json.seeds as Record<string, number>)['3.seed'] as number);
	expect(drawn.every((seed) => seed >= 0)).toBe(true);
	expect(new Set(drawn).size).toBe(2);
});

it('an invalid First Seed is rejected before anything is sent', async () => {
	const { error } = await runNode(run(twoSeeds(), 1, { seeds: 'increase', firstSeed: 'abc' }));
	expect(error?.message).toBe('First Seed is not a whole number from 0 to 18446744073709551615');
	expect(sandbox.requests()).toEqual([]);
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
	it('a retry of the execution submits nothing twice, and reports the seeds that ran although the workflow has changed', async () => {
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

	it.each(ways)('over %s a rejected submission is sent again with its seeds, also without a key', async (way) => {
		const path = interfaceOf(way) === 'v2' ? 'POST /api/v2/jobs' : 'POST /api/prompt';
		sandbox.inject({ on: path, answer: { status: 413 } });
		const result = await runNode(
			runRun(credentialFor(sandbox, way), twoSeeds(), { settings: RETRY, parameters: { options: { seeds: 'random' } } }),
		);
		expect(result.error).toBeUndefined();
		const sent = sandbox.requests(path).map(({ bodyText }) => JSON.parse(bodyText) as { workflow?: ApiGraph; prompt?: ApiGraph });
		const seeds = sent.map(({ workflow, prompt }) => (workflow ?? prompt)?.['3']?.inputs.seed);
		expect(seeds).toEqual(Array(2).fill((jsons(result)[0]?.seeds as IDataObject)['3.seed']));
	});
});

it('a Custom key that finds an earlier job of an engine reports the seeds of that job', async () => {
	const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'of-mine' };
	const withSeed = async (seed: number) =>
		jsons(await runNode(runRun(credentialFor(sandbox, 'bare_engine'), twoSeeds(seed), { parameters: { options } })))[0];
	await withSeed(7);
	const found = await withSeed(99);
	expect(sandbox.ledger.runs).toHaveLength(1);
	expect(found).toMatchObject({ job_id: sandbox.ledger.runs[0]?.jobId, seeds: { '3.seed': 7, '2.value': 11 } });
	expect(found).not.toHaveProperty('recovered');
});
