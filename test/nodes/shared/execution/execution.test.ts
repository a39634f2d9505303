import type { IDataObject, INodeExecutionData, IRunData, IRunExecutionData, ITaskData } from 'n8n-workflow';

import { forgetArrivals } from '../../../../nodes/shared/execution/arrivals';
import { earlierItemsOf, hashOfItems, readExecutionFacts, startItemsIn } from '../../../../nodes/shared/execution/executionFacts';
import { identifyExecution } from '../../../../nodes/shared/execution/executionIdentity';
import { identifyRows } from '../../../../nodes/shared/execution/rows';
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

it('start items stay on their outputs, also if n8n keeps nothing of an item or of an output', () => {
	const main = [null, [null, { json: { n: 1 } }]] as unknown as INodeExecutionData[][];
	expect(startItemsIn({ Start: [task({ data: { main }, source: [null] })] })).toEqual([null, [undefined, { n: 1 }]]);
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

	const [, , command] = process.argv;
	afterEach(async () => void (process.argv[2] = String(command)));

	it('is what n8n shows, also where n8n shows little of it', async () => {
		const facts = { executionId: '7', workflowId: '', earlierRuns: 0, isRetry: false, rootMode: undefined };
		process.argv[2] = 'worker';
		const bare = { runExecutionData: undefined, additionalData: undefined, getWorkflow: () => ({}) };
		const items = hashOfItems([]);
		expect(await readExecutionFacts(Object.assign(n8nExecution(start), bare))).toEqual({
			...facts,
			start: { kind: 'own', establishedAt: 5, items, storedOrdinal: undefined },
		});
		const barer = { ...bare, additionalData: {}, getExecutionContext: undefined };
		expect(await readExecutionFacts(Object.assign(n8nExecution(start), barer))).toEqual({ ...facts, start: { kind: 'unknown' } });
	});

	it('includes the earlier calls of its sub-workflow, which n8n records with a run or with an item, and which are read once', async () => {
		const parent = { executionId: '3', workflowId: 'parent', executionContext: start.executionContext };
		const called = (executionId: string, workflowId = 'w') => ({ metadata: { subExecution: { executionId, workflowId } } });
		const main = [[{ json: {}, ...called('5') }, null, { json: {} }], null] as INodeExecutionData[][];
		const parentRuns = { First: [task(called('4')), task({ data: { main } })], Second: [task(called('6', 'x')), task(called('8'))] };
		let reads = 0;
		const stored = {
			get 3() {
				reads += 1;
				return { resultData: { runData: parentRuns } };
			},
			4: { resultData: { runData: { Start: [task(gave({ n: 1 }))] } } },
			5: { resultData: { runData: {} } },
		} as unknown as Record<string, IRunExecutionData>;
		for (const parentOfCall of [parent, { ...parent }]) {
			const execution = n8nExecution({ ...start, context: {}, called: { parent: parentOfCall, rootMode: 'webhook', stored } });
			const earlier = [
				{ id: '4', items: hashOfItems([[{ n: 1 }]]) },
				{ id: '5', items: undefined },
			];
			expect((await readExecutionFacts(execution)).start).toMatchObject({
				kind: 'called',
				establishedAt: 5,
				calls: [{ id: '7', earlier }],
			});
		}
		expect(reads).toBe(1);
	});

	it('is determined once for each run of a node', () => {
		const execution = n8nExecution(start);
		expect(identifyExecution(execution)).toBe(identifyExecution(execution));
	});

	it('tells equal items of a sub-workflow apart in all its calls and in all runs of the node', async () => {
		const parent = { executionId: '1', workflowId: 'parent', executionContext: { ...start.executionContext } };
		const rowsOf = async (executionId: string, rootMode: 'webhook' | 'retry', context: IDataObject, runIndex = 0) => {
			const execution = n8nExecution({
				...start,
				executionId,
				context,
				items: [{}, {}],
				called: { parent, rootMode, stored: {} },
				runIndex,
			});
			return identifyRows(execution, await identifyExecution(execution));
		};
		const [one, two] = [await rowsOf('12', 'webhook', {}), await rowsOf('13', 'webhook', {})];
		expect(new Set([...one, ...two]).size).toBe(4);
		forgetArrivals();
		const looping: IDataObject = {};
		expect(await rowsOf('14', 'retry', looping)).toEqual(one);
		// n8n is restarted in the middle of the loop.
		forgetArrivals();
		expect(await rowsOf('14', 'retry', looping, 1)).toEqual(two);
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

	it('is the same in every version of this package for items that no JSON can hold', () => {
		const circular: Record<string, unknown> = {};
		circular.self = circular;
		expect(hashOfItems([[circular, { circular }]])).toBe('1e4a5fe81df08e379e9f14e41719a42d5faa9e7b79955b383b0728f3c9e905cd');
	});
});
