import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { createGraphEngine } from '../../../sandbox/graphEngine';
import { executedIds, node, pngOf, run, save, solid } from './harness';

const sampler = (from: string, steps: number, step_ms: number, seed = 0) =>
	node('SandboxSampler', { image: [from, 0], steps, step_ms, seed });
const slow = { image: solid(8, 8, 0x102030), sample: sampler('image', 500, 20), save: save('sample') };

test('inputs run before the nodes that use them, and nothing runs that no output needs', async () => {
	const ran = await run({
		save: save('invert'),
		invert: node('ImageInvert', { image: ['image', 0] }),
		image: solid(1, 1, 0),
		loose: solid(2, 2, 0),
	});
	expect(executedIds(ran)).toEqual(['image', 'invert', 'save']);
	expect(ran.events[0]).toEqual({ kind: 'cached', nodeIds: [] });
	expect(ran.events[1]).toEqual({ kind: 'executing', nodeId: 'image', classType: 'EmptyImage' });
});

test('the sampler reports every step with a JPEG preview and changes no pixel', async () => {
	const ran = await run({ image: solid(200, 100, 0x0a141e), sample: sampler('image', 3, 1), save: save('sample') });
	expect(ran.events.filter(({ kind }) => kind === 'progress')).toEqual(
		[1, 2, 3].map((value) => ({ kind: 'progress', nodeId: 'sample', value, max: 3 })),
	);
	const previews = ran.events.flatMap((event) => (event.kind === 'preview' ? [event] : []));
	expect(previews).toHaveLength(3);
	expect(await sharp(previews[2]?.data).metadata()).toMatchObject({ format: 'jpeg', width: 96, height: 48 });
	expect(previews[0]?.contentType).toBe('image/jpeg');
	const { channels } = await sharp(ran.outputs[0]?.bytes).stats();
	expect(channels.map(({ min, max }) => [min, max])).toEqual([
		[10, 10],
		[20, 20],
		[30, 30],
	]);
});

test('a guarded gate lets its image through once it is open; one that is not guarded at once', async () => {
	let gateOpen = false;
	const through = (guarded: number) => ({
		image: solid(1, 1, 0),
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

test('a cancel within a step ends the run at once, and nothing executes after it', async () => {
	const controller = new AbortController();
	const forLong = { ...slow, sample: sampler('image', 5_000, 20) };
	const ran = await run(forLong, {
		signal: controller.signal,
		onEvent: (event) => event.kind === 'progress' && event.value === 2 && controller.abort(),
	});
	expect(ran.result).toEqual({ status: 'canceled' });
	expect(executedIds(ran)).toEqual(['image']);
	expect(ran.outputs).toEqual([]);
	expect(ran.events.at(-1)).toMatchObject({ kind: 'progress', value: 2 });
});

test('a cancel while a node ends keeps the next one from starting', async () => {
	const controller = new AbortController();
	const graph = { image: solid(1, 1, 0), save: save('image') };
	const ran = await run(graph, { signal: controller.signal, onEvent: (event) => event.kind === 'executed' && controller.abort() });
	expect(ran.result).toEqual({ status: 'canceled' });
	expect(ran.events.filter(({ kind }) => kind === 'executing')).toHaveLength(1);
});

test('a cancel ends a large file between chunks', async () => {
	const controller = new AbortController();
	const graph = { file: node('SandboxLargeFile', { size_mib: 4096, seed: 1 }) };
	setTimeout(() => controller.abort(), 30);
	expect((await run(graph, { signal: controller.signal })).result).toEqual({ status: 'canceled' });
});

test('a run that is canceled before it starts says nothing', async () => {
	const ran = await run(slow, { signal: AbortSignal.abort() });
	expect(ran).toEqual({ result: { status: 'canceled' }, outputs: [], events: [] });
});

test('a failing node is named with its class, exception, message and traceback', async () => {
	const fail = node('SandboxFail', { image: ['image', 0], message: 'out of memory', exception_type: 'OOMError' });
	const ran = await run({ image: solid(1, 1, 0), fail, save: save('fail') });
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

test("a file that is not there fails its loader with the reader's own words", async () => {
	const { result } = await run({ load: node('LoadImage', { image: 'gone.png' }), save: save('load') });
	expect(result).toMatchObject({
		status: 'failed',
		error: { node_id: 'load', exception_type: 'FileNotFoundError', message: 'No such file: gone.png' },
	});
});

test('a server that cannot store an output fails the run instead of rejecting', async () => {
	const graph = { save: node('SaveText', { text: '', filename_prefix: 't' }) };
	const result = await createGraphEngine().run({
		graph,
		signal: new AbortController().signal,
		readInput: () => Promise.reject(new Error('none')),
		writeOutput: () => Promise.reject(new Error('disk full')),
		onEvent: () => undefined,
	});
	expect(result).toMatchObject({ status: 'failed', error: { node_id: 'save', message: 'disk full' } });
});

test('an invalid graph fails instead of rejecting', async () => {
	const { result } = await run({ save: node('SaveImage', { images: ['nowhere', 0], filename_prefix: 'x' }) });
	expect(result).toMatchObject({ status: 'failed', error: { node_id: 'save', class_type: 'SaveImage' } });
});

describe('the memory of earlier runs', () => {
	const graph = { load: node('LoadImage', { image: 'in.png' }), invert: node('ImageInvert', { image: ['load', 0] }), save: save('invert') };
	const picture = async (value: number) => ({ 'in.png': await pngOf(1, 1, 3, [value, value, value]) });

	test('the same graph again executes nothing and delivers the same outputs', async () => {
		const engine = createGraphEngine();
		const first = await run(graph, { engine, files: await picture(1) });
		const second = await run(graph, { engine, files: await picture(1) });
		expect(second.events).toEqual([{ kind: 'cached', nodeIds: ['load', 'invert', 'save'] }]);
		expect(second.outputs).toEqual(first.outputs);
	});

	test('a file with other content under the same name executes everything after it', async () => {
		const engine = createGraphEngine();
		await run(graph, { engine, files: await picture(1) });
		expect(executedIds(await run(graph, { engine, files: await picture(2) }))).toEqual(['load', 'invert', 'save']);
	});

	test('another node id is the same result; another value is not', async () => {
		const engine = createGraphEngine();
		await run({ image: solid(1, 1, 5), save: save('image') }, { engine });
		expect(executedIds(await run({ other: solid(1, 1, 5), save: save('other', 'new') }, { engine }))).toEqual(['save']);
		expect(executedIds(await run({ image: solid(1, 1, 6), save: save('image') }, { engine }))).toEqual(['image', 'save']);
	});

	test('a failed node is tried again', async () => {
		const engine = createGraphEngine();
		const failing = { fail: node('SandboxFail', { message: 'm', exception_type: 'E' }) };
		await run(failing, { engine });
		expect((await run(failing, { engine })).result.status).toBe('failed');
	});

	test('what does not fit is forgotten, oldest first, and executed again', async () => {
		const engine = createGraphEngine({ cacheBytes: 20_000 });
		const big = (color: number) => ({ image: solid(64, 64, color), save: save('image') });
		await run(big(1), { engine });
		await run(big(2), { engine });
		expect(executedIds(await run(big(2), { engine }))).toEqual([]);
		expect(executedIds(await run(big(1), { engine }))).toEqual(['image']);
	});
});

test('two runs at once do not mix', async () => {
	const engine = createGraphEngine();
	const graph = (color: number) => ({ image: solid(2, 2, color), sample: sampler('image', 3, 2, color), save: save('sample') });
	const [red, blue] = await Promise.all([run(graph(0xff0000), { engine }), run(graph(0x0000ff), { engine })]);
	const means = await Promise.all(
		[red, blue].map(async ({ outputs }) => (await sharp(outputs[0]?.bytes).stats()).channels.map(({ mean }) => mean)),
	);
	expect(means).toEqual([
		[255, 0, 0],
		[0, 0, 255],
	]);
});
