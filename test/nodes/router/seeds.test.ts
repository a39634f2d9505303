import type { IDataObject } from 'n8n-workflow';

import { type NodeResult, type NodeRun, runNode } from '../support/engine';
import { byId, dataOf, formRun, jsonRun, routerCredential, RUNS } from '../support/router';
import { fileItem } from '../support/files';
import { storedContext } from '../support/retried';
import { jsons } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });

/** Answers with what it was sent; takes `seed` up to 2^32 - 1, and `long_seed` up to 2^64 - 1. */
const MODEL = 'lab/every-feature';
const SEEDS = { options: { seeds: 'random' } };
const PROMPT = { prompt: 'a fox' };

const byForm = (value: IDataObject, more: Partial<NodeRun> = {}) =>
	formRun(routerCredential(sandbox), MODEL, value, { ...more, parameters: { ...SEEDS, ...more.parameters } });
const byJson = (input: unknown, more: Partial<NodeRun> = {}, model = MODEL) =>
	jsonRun(routerCredential(sandbox), model, input, { ...more, parameters: { ...SEEDS, ...more.parameters } });
const sentOf = (item: IDataObject | undefined) => (item?.output as { input: IDataObject }).input;
const sentBy = (result: NodeResult) => jsons(result).map(sentOf);

describe.each([
	['Form', byForm],
	['JSON', byJson],
] as const)('%s', (_, run) => {
	it('every item gets and reports its own seeds within the limits of the model', async () => {
		const result = await runNode(run(PROMPT, { items: [{}, {}, {}] }));
		const seeds = jsons(result).map((item) => item.seeds as { seed: number; long_seed: number });
		expect(sentBy(result)).toMatchObject(seeds.map((own) => ({ ...PROMPT, ...own })));
		expect(jsons(result).map(({ seed }) => seed)).toEqual(seeds.map(({ seed }) => seed));
		expect(new Set(seeds.flatMap(({ seed, long_seed }) => [seed, long_seed])).size).toBe(6);
		expect(seeds.every(({ seed }) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)).toBe(true);
		expect(seeds.every(({ long_seed: long }) => Number.isSafeInteger(long) && long >= 0)).toBe(true);
	});

	it('a seed that is given stays', async () => {
		const result = await runNode(run({ ...PROMPT, seed: 42 }));
		expect(sentBy(result)).toMatchObject([{ seed: 42, long_seed: expect.any(Number) }]);
		expect(jsons(result)).toMatchObject([{ seed: 42, seeds: { seed: 42 } }]);
	});

	it('every try of an item sends the same, also after a crash', async () => {
		sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
		const one = run(PROMPT, { parameters: { maxWaitMinutes: 0 } });
		const first = await runNode(one);
		expect(first.status).toBe('error');
		const { executionContext } = first;
		const contextData = storedContext(first);
		const second = await runNode({ ...one, mode: 'retry', executionContext, contextData });
		const third = await runNode({ ...one, mode: 'retry', executionContext });
		expect(jsons(second)).toMatchObject([{ replayed: true, seed: expect.any(Number) }]);
		expect(jsons(second)[0]).not.toHaveProperty('sent_input');
		expect(jsons(third)).toMatchObject([{ recovered: true, replayed: true, seeds: jsons(second)[0]?.seeds }]);
		expect(dataOf(first)).toMatchObject({ seeds: jsons(second)[0]?.seeds });
		expect(sandbox.ledger.routerRuns).toHaveLength(1);
	});
});

it('queued delivery sends seeds as well, null asks for one, and another execution gets different ones', async () => {
	const parameters = { delivery: 'queued' };
	const run = byJson({ ...PROMPT, seed: null }, { parameters });
	const [one, other] = [await runNode(run), await runNode(run)];
	expect(sentBy(one)).toMatchObject([jsons(one)[0]?.seeds]);
	expect(jsons(one)).toMatchObject([{ seed: expect.any(Number) }]);
	expect(jsons(one)[0]?.seeds).not.toEqual(jsons(other)[0]?.seeds);
});

it('a Custom key keeps its seeds, and returns the same result in another execution', async () => {
	const parameters = { options: { ...SEEDS.options, idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' } };
	const first = await runNode(byJson(PROMPT, { parameters }));
	const second = await runNode(byJson(PROMPT, { parameters }));
	expect(jsons(second)).toMatchObject([{ replayed: true, seeds: jsons(first)[0]?.seeds }]);
	expect(sandbox.ledger.routerRuns).toHaveLength(1);
});

it('an agent that asks twice for the same in one run pays once, and pays again for another file', async () => {
	const inputFiles = { values: [{ field: 'image', binaryField: 'data' }] };
	const ask = (content: string, contextData?: NodeRun['contextData']) =>
		runNode(byJson(PROMPT, { asTool: true, items: [fileItem(Buffer.from(content))], parameters: { inputFiles }, contextData }));
	const first = await ask('a cat');
	const second = await ask('a cat', storedContext(first));
	expect(jsons(second)).toMatchObject([{ replayed: true, seeds: jsons(first)[0]?.seeds }]);
	const other = await ask('a dog', storedContext(second));
	expect(jsons(other)).toMatchObject([{ replayed: false }]);
	expect(sandbox.ledger.routerRuns).toHaveLength(2);
});

it('each model without a seed is named once', async () => {
	const items = ['lab/free', 'lab/no-schema', MODEL, 'lab/open', 'lab/free'].map((model) => ({ json: { model } }));
	const result = await runNode(byJson(PROMPT, { items, parameters: { ...SEEDS, model: byId('={{ $json.model }}') } }));
	expect(result.hints.filter((text) => text.includes('Seeds')).toSorted()).toEqual([
		expect.stringMatching(/^The input schema of lab\/free has no seed, so the option Seeds changes nothing/),
		expect.stringMatching(/^lab\/no-schema has no input schema, so the option Seeds changes nothing/),
		expect.stringMatching(/^lab\/open has no input schema/),
	]);
	const none = { seed: null, seeds: {} };
	expect(jsons(result)).toMatchObject([none, none, { seed: expect.any(Number) }, none, none]);
});
