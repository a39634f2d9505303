/** What a run executes, remembers and leaves out: the ledger counts by it. */
import { setTimeout as delay } from 'node:timers/promises';
import { createGraphEngine } from '../../../sandbox/graphEngine';
import { readJson } from '../../../sandbox/exactJson';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';
import { imageToImage, textToImage } from '../../support/stockGraphs';
import { executedIds, node, pixelsOf, run, save, solid } from './support';

const sampler = (from: string, steps: number, step_ms: number, seed = 0) =>
	node('SandboxSampler', { image: [from, 0], steps, step_ms, seed });

test('a run executes the inputs of a node before the node, and nothing that no output needs', async () => {
	const invert = node('ImageInvert', { image: ['image', 0] });
	const ran = await run({ save: save('invert'), invert, image: solid(0x0a141e), loose: solid(0) });
	expect(executedIds(ran)).toEqual(['image', 'invert', 'save']);
	expect(await pixelsOf(ran.outputs[0]?.bytes as Buffer)).toEqual([245, 235, 225]);
});

test('a guarded gate holds its image until it opens; another gate does not', async () => {
	let gateOpen = false;
	const through = (guarded: number) => ({
		image: solid(0),
		gate: node('SandboxGate', { image: ['image', 0], guarded }),
		save: save('gate'),
	});
	const engine = createGraphEngine();
	const gated = { ...engine, run: async (one: Parameters<typeof engine.run>[0]) => await engine.run({ ...one, gateOpen: () => gateOpen }) };
	expect((await run(through(0), { engine: gated })).outputs).toHaveLength(1);
	const held = run(through(1), { engine: gated });
	await expect(Promise.race([held, delay(60, 'held')])).resolves.toBe('held');
	gateOpen = true;
	expect((await held).outputs).toHaveLength(1);
});

test('a cancel during a step ends the run at once, and no node executes after it', async () => {
	const controller = new AbortController();
	const ran = await run(
		{ image: solid(0), sample: sampler('image', 5_000, 20), save: save('sample') },
		{ signal: controller.signal, onEvent: (event) => event.kind === 'progress' && event.value === 2 && controller.abort() },
	);
	expect([ran.result, executedIds(ran), ran.outputs]).toEqual([{ status: 'canceled' }, ['image'], []]);
});

test('a cancel while a node ends keeps the next node from starting', async () => {
	const controller = new AbortController();
	const ran = await run(
		{ image: solid(0), save: save('image') },
		{ signal: controller.signal, onEvent: (event) => event.kind === 'executed' && controller.abort() },
	);
	expect([ran.result, ran.events.filter(({ kind }) => kind === 'executing').length]).toEqual([{ status: 'canceled' }, 1]);
});

test('a failed run names the node with its class, exception, message and traceback', async () => {
	const fail = node('SandboxFail', { image: ['image', 0], message: 'out of memory', exception_type: 'OOMError' });
	const ran = await run({ image: solid(0), fail, save: save('fail') });
	expect(ran.result).toEqual({
		status: 'failed',
		error: {
			node_id: 'fail',
			class_type: 'SandboxFail',
			exception_type: 'OOMError',
			message: 'out of memory',
			traceback: ['Traceback (most recent call last):\n', '  Node #fail, class SandboxFail, in execute\n', 'OOMError: out of memory\n'],
		},
	});
	expect(executedIds(ran)).toEqual(['image']);
});

describe('the cache of earlier runs', () => {
	test('the same graph executes nothing again and delivers the same outputs', async () => {
		const engine = createGraphEngine();
		const graph = { image: solid(5), save: save('image') };
		const [first, second] = [await run(graph, { engine }), await run(graph, { engine })];
		expect(second.events).toEqual([{ kind: 'cached', nodeIds: ['image', 'save'] }]);
		expect(second.outputs).toEqual(first.outputs);
	});

	test('a node with another value, or a file with other content, executes again with all nodes that use it', async () => {
		const engine = createGraphEngine();
		await run({ image: solid(5), save: save('image') }, { engine });
		expect(executedIds(await run({ image: solid(6), save: save('image') }, { engine }))).toEqual(['image', 'save']);
		const graph = { load: node('LoadImage', { image: 'in.png' }), save: save('load') };
		for (const color of [1, 2]) {
			const [picture] = (await run({ image: solid(color), save: save('image') })).outputs;
			expect(executedIds(await run(graph, { engine, files: { 'in.png': picture?.bytes as Buffer } }))).toEqual(['load', 'save']);
		}
	});

	test('a failed node executes again', async () => {
		const engine = createGraphEngine();
		const failing = { fail: node('SandboxFail', { message: 'm', exception_type: 'E' }) };
		await run(failing, { engine });
		expect((await run(failing, { engine })).result.status).toBe('failed');
	});
});

test('two runs at once do not mix', async () => {
	const engine = createGraphEngine();
	const graph = (color: number) => ({ image: solid(color), sample: sampler('image', 3, 2, color), save: save('sample') });
	const runs = await Promise.all([run(graph(0xff0000), { engine }), run(graph(0x0000ff), { engine })]);
	expect(await Promise.all(runs.map(async ({ outputs }) => await pixelsOf(outputs[0]?.bytes as Buffer)))).toEqual([
		[255, 0, 0],
		[0, 0, 255],
	]);
});

describe('the stock graphs of ComfyUI', () => {
	const changed = (graph: ApiGraph, changes: Record<string, Record<string, unknown>>): ApiGraph =>
		Object.fromEntries(Object.entries(graph).map(([id, one]) => [id, { ...one, inputs: { ...one.inputs, ...changes[id] } }]));
	const small = { '5': { width: 96, height: 64 } };
	const drawn = async (changes: Record<string, Record<string, unknown>> = {}): Promise<number[]> =>
		await pixelsOf((await run(changed(textToImage, { ...small, ...changes }))).outputs[0]?.bytes as Buffer);
	const distance = (one: number[], other: number[]): number =>
		one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] as number)), 0) / one.length;

	test('the same inputs draw the same picture', async () => {
		expect(await drawn()).toEqual(await drawn());
	});

	test.each<[string, number, Record<string, Record<string, unknown>>]>([
		['prompt', 15, { '6': { text: 'a red fox' } }],
		['seed', 5, { '3': { seed: 7 } }],
		['checkpoint', 1, { '4': { ckpt_name: 'midnight_v1.safetensors' } }],
		['negative prompt', 0.01, { '7': { text: 'people' } }],
		['number of steps', 0.01, { '3': { steps: 40 } }],
		['cfg', 1, { '3': { cfg: 2 } }],
		['sampler', 0.01, { '3': { sampler_name: 'ddim' } }],
		['scheduler', 0.01, { '3': { scheduler: 'karras' } }],
	])('another %s draws another picture', async (_input, least, changes) => {
		expect(distance(await drawn(), await drawn(changes))).toBeGreaterThan(least);
	});

	test('two seeds that no double tells apart draw two pictures, and a text output keeps every digit', async () => {
		const seeded = (seed: string): ApiGraph => ({
			...changed(textToImage, { ...small, '3': { seed: ['10', 0] } }),
			'10': readJson(`{"class_type": "PrimitiveInt", "inputs": {"value": ${seed}}}`) as ApiGraph[string],
			'11': node('PreviewAny', { source: ['10', 0] }),
		});
		const [one, other] = [await run(seeded('9007199254740993')), await run(seeded('9007199254740992'))];
		const of = ({ outputs }: typeof one, type: string) => outputs.find(({ kind }) => kind === type)?.bytes as Buffer;
		expect(String(of(one, 'text'))).toBe('9007199254740993');
		expect(distance(await pixelsOf(of(one, 'image')), await pixelsOf(of(other, 'image')))).toBeGreaterThan(5);
	});

	test('the picture that is loaded stays where denoise is 0', async () => {
		const loaded = (
			await run({ image: { ...solid(0x646464), inputs: { ...solid(0x646464).inputs, width: 80, height: 40 } }, save: save('image') })
		).outputs[0]?.bytes as Buffer;
		const of = async (denoise: number) =>
			await pixelsOf(
				(await run(changed(imageToImage, { '3': { denoise } }), { files: { 'example.png': loaded } })).outputs[0]?.bytes as Buffer,
			);
		expect(await of(0)).toEqual(await pixelsOf(loaded));
		expect(distance(await of(1), await pixelsOf(loaded))).toBeGreaterThan(5);
	});
});
