import type { INodeExecutionData, IRunData, ITaskData } from 'n8n-workflow';

import { earlierItemsOf, hashOfItems, readExecutionFacts, startItemsIn } from '../../../../nodes/shared/execution/executionFacts';
import { type NodeStart, n8nExecution } from '../../../histories/n8nExecution';

const task = (more: Partial<ITaskData>): ITaskData => ({
	startTime: 1,
	executionIndex: 0,
	executionTime: 1,
	source: [],
	executionStatus: 'success',
	...more,
});
const gave = (...jsons: object[]): Partial<ITaskData> => ({ data: { main: [jsons.map((json) => ({ json: { ...json } }))] } });
const LATER = [{ previousNode: 'Webhook' }];
const MADE_UP = task({ ...gave({ isArtificialRecoveredEventItem: true }), source: [null] });

it('the start items of an execution are those of the node without a predecessor, whatever else n8n records', () => {
	const began: IRunData = { Webhook: [task(gave({ n: 1 }, { n: 2 }))] };
	expect(startItemsIn(began)).toEqual([[{ n: 1 }, { n: 2 }]]);
	const later: IRunData = {
		Webhook: [MADE_UP, task(gave({ n: 1 }, { n: 2 }))],
		Edit: [MADE_UP, task({ ...gave({ other: true }), source: LATER })],
		Model: [task({ data: { ai_languageModel: [[{ json: { text: 'drawn anew' } }]] } })],
		Wait: [task({ executionStatus: 'crashed' })],
		Holes: [null as unknown as ITaskData],
		...Object.fromEntries(
			[[], [null], [[]], [[null]], [[{}]]].map((main, index) => [
				`Later ${index}`,
				[task({ data: { main: main as never }, source: LATER })],
			]),
		),
		Merge: [task({ ...gave({ other: true }), source: [null, ...LATER] })],
	};
	expect(startItemsIn(later)).toEqual(startItemsIn(began));
});

it('start items leave out files, because n8n moves them', () => {
	const item = { json: { n: 1 }, binary: { data: { data: '', mimeType: 'image/png', id: 'filesystem-v2:temp/1' } } };
	expect(startItemsIn({ Form: [task({ data: { main: [[item]] } })] })).toEqual([[{ n: 1 }]]);
});

it('start items stay on their outputs, also if n8n keeps nothing of an item or of an output', () => {
	const main = [null, [null, { json: { n: 1 } }]] as unknown as INodeExecutionData[][];
	expect(startItemsIn({ Start: [task({ data: { main } })] })).toEqual([null, [undefined, { n: 1 }]]);
	expect(startItemsIn({ Start: [] })).toEqual([]);
});

describe('what a node knows of its execution', () => {
	const start: NodeStart = {
		nodeType: 'comfyRunWorkflow',
		workflowId: 'w',
		executionId: '7',
		context: {},
		executionContext: { version: 1, establishedAt: 5, source: 'webhook' },
		isRetry: false,
		retryOf: undefined,
		signal: new AbortController().signal,
		credential: { type: 'comfyApi', data: {} },
		items: [{}],
	};
	const runs = [task(gave({ n: 1 }, { n: 2 })), null, task({}), task({ data: { main: [null, [{ json: { n: 3 } }]] } })] as ITaskData[];

	it('is what n8n shows, also where n8n shows little of it', async () => {
		const facts = { executionId: '7', workflowId: '', earlierRuns: 0, isRetry: false, rootMode: undefined };
		const bare = { runExecutionData: undefined, additionalData: undefined, getWorkflow: () => ({}) };
		const items = hashOfItems([]);
		expect(await readExecutionFacts(Object.assign(n8nExecution(start), bare))).toEqual({
			...facts,
			start: { kind: 'own', establishedAt: 5, items, storedOrdinal: undefined },
		});
		const barer = { ...bare, additionalData: {}, getExecutionContext: undefined };
		expect(await readExecutionFacts(Object.assign(n8nExecution(start), barer))).toEqual({ ...facts, start: { kind: 'unknown' } });
	});

	it('includes the items of its earlier runs, and none of other nodes', () => {
		const jsonsOf = (runData: IRunData) => earlierItemsOf(n8nExecution({ ...start, runData })).map(({ json }) => json.n);
		expect(jsonsOf({ 'Under Test': runs, Other: [task(gave({ n: 4 }))] })).toEqual([1, 2, 3]);
		expect(jsonsOf({})).toEqual([]);
	});

	it('counts the earlier runs of the node that took place', async () => {
		const runData = { 'Under Test': [MADE_UP, task({}), task({ executionStatus: 'crashed' }), task({}), MADE_UP] };
		expect((await readExecutionFacts(n8nExecution({ ...start, runData, runIndex: 4 }))).earlierRuns).toBe(2);
		expect((await readExecutionFacts(n8nExecution({ ...start, runIndex: 4 }))).earlierRuns).toBe(4);
	});
});

describe('the hash of items', () => {
	it('is the same before and after n8n’s database stores them', () => {
		const items = [[{ at: new Date(0), gone: undefined, nan: NaN, nested: { list: [1, undefined] } }], null];
		expect(hashOfItems(JSON.parse(JSON.stringify(items)) as unknown[])).toBe(hashOfItems(items));
	});

	it.each([
		['values', [[{ n: 2 }]]],
		['their order', [[{ n: 2 }, { n: 1 }]]],
		['their output', [[], [{ n: 1 }, { n: 2 }]]],
		['their number', [[{ n: 1 }, { n: 2 }, {}]]],
	])('distinguishes %s', (_, other) => {
		expect(hashOfItems(other)).not.toBe(hashOfItems([[{ n: 1 }, { n: 2 }]]));
	});

	it('exists for items that no JSON can hold', () => {
		const circular: Record<string, unknown> = {};
		circular.self = circular;
		expect(hashOfItems([[circular, { big: 1n }]])).toMatch(/^[0-9a-f]{64}$/);
	});
});
