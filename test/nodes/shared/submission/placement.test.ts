/** How Submit Workflow and Run Workflow place a job in a pool. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { ApiError, type ApiGraph, comparableFile, type Connection } from '../../../../client';
import { addFilePlacement, toPlacementOptions } from '../../../../nodes/shared/jobs/submit/placement';
import type { ItemRun } from '../../../../nodes/shared/operation';

const GRAPH: ApiGraph = { '1': { class_type: 'LoadImage', inputs: { image: 'empty.png' } } };
const REPORT = { isAwaited: true, whenLost: 'report' } as const;
const SERVERS = ['http://gpu1:8188', 'http://gpu2:8188'];
const members = SERVERS.map((address) => ({ address, open: async () => await Promise.resolve({ address } as unknown as Connection) }));

const itemOf = (more: Partial<ItemRun> = {}): ItemRun =>
	({
		connection: { members },
		execution: { getInputData: () => [{}, {}, {}, {}] } as unknown as IExecuteFunctions,
		itemIndex: 1,
		isTool: false,
		...more,
	}) as unknown as ItemRun;

it('jobs are compared with the graph before the files are uploaded, with any file at the inputs of the rows', () => {
	const row = { label: '', number: 1, from: 'binary', value: 'data' } as const;
	const rows = ['1.image', '9.image'].map((name) => ({ ...row, name }));
	const { graph, comparable } = addFilePlacement(itemOf(), { graph: GRAPH }, { rows, largestBytes: 1 });
	expect(graph).toBe(GRAPH);
	expect(comparable?.()).toEqual({ '1': { class_type: 'LoadImage', inputs: { image: comparableFile() } } });
});

it('the items that follow are counted, but none for a tool of an agent', () => {
	const counted = (more: Partial<ItemRun>) => toPlacementOptions(itemOf(more), REPORT, {});
	expect(counted({})).toMatchObject({ ...REPORT, jobsToCome: 2 });
	expect(counted({ itemIndex: 3 })).toMatchObject({ ...REPORT, jobsToCome: 0 });
	expect(counted({ itemIndex: 9 })).toMatchObject({ ...REPORT, jobsToCome: 0 });
	expect(counted({ isTool: true })).toMatchObject({ ...REPORT, jobsToCome: 0 });
});

it('one hint is added for each server that is left out, whatever it answers to each item', () => {
	const addExecutionHints = jest.fn();
	const execution = { getInputData: () => [{}], addExecutionHints } as unknown as IExecuteFunctions;
	const { onLeftOut } = toPlacementOptions(itemOf({ execution }), REPORT, {}) ?? {};
	for (const requestId of ['r-1', 'r-2']) {
		const facts = { interface: 'engine', code: 'forbidden', status: 403, message: 'HTTP 403', requestId } as const;
		for (const server of SERVERS) onLeftOut?.(server, new ApiError(facts));
	}
	expect(addExecutionHints.mock.calls.map(([{ message }]: [{ message: string }]) => message.split(' ')[0])).toEqual(SERVERS);
});

it('the files are uploaded to the chosen server only', async () => {
	const placeFiles = jest.fn(async () => await Promise.resolve(GRAPH));
	const place = toPlacementOptions(itemOf(), REPORT, { placeFiles })?.placeFiles;
	await expect(place!(SERVERS[1]!)).resolves.toEqual(GRAPH);
	await expect(place!('http://127.0.0.1:1')).rejects.toThrow('No server http://127.0.0.1:1');
	expect(placeFiles.mock.calls).toEqual([[{ address: SERVERS[1] }]]);
});
