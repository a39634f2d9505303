import type { IRunData, ITaskData } from 'n8n-workflow';

import { hashOfItems, startItemsIn } from '../../../../nodes/shared/execution/executionFacts';

const task = (more: Partial<ITaskData>): ITaskData => ({
	startTime: 1,
	executionIndex: 0,
	executionTime: 1,
	source: [],
	executionStatus: 'success',
	...more,
});
const gave = (...jsons: object[]): Partial<ITaskData> => ({ data: { main: [jsons.map((json) => ({ json: { ...json } }))] } });
const MADE_UP = task({ ...gave({ isArtificialRecoveredEventItem: true }), source: [null] });

it('the start items of an execution are those of the node without a predecessor, whatever else n8n records', () => {
	const began: IRunData = { Webhook: [task(gave({ n: 1 }, { n: 2 }))] };
	expect(startItemsIn(began)).toEqual([[{ n: 1 }, { n: 2 }]]);
	const later: IRunData = {
		Webhook: [MADE_UP, task(gave({ n: 1 }, { n: 2 }))],
		Edit: [MADE_UP, task({ ...gave({ other: true }), source: [{ previousNode: 'Webhook' }] })],
		Model: [task({ data: { ai_languageModel: [[{ json: { text: 'drawn anew' } }]] } })],
		Wait: [task({ executionStatus: 'crashed' })],
		Holes: [null as unknown as ITaskData],
	};
	expect(startItemsIn(later)).toEqual(startItemsIn(began));
});

it('start items leave out files, because n8n moves them', () => {
	const item = { json: { n: 1 }, binary: { data: { data: '', mimeType: 'image/png', id: 'filesystem-v2:temp/1' } } };
	expect(startItemsIn({ Form: [task({ data: { main: [[item]] } })] })).toEqual([[{ n: 1 }]]);
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
