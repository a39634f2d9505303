/** How Submit Workflow and Run Workflow place a job in a pool. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { ApiError, type ApiGraph, comparableFile, type Connection, openPool } from '../../../../client';
import { addFilePlacement, toPlacementOptions } from '../../../../nodes/shared/jobs/submit/placement';
import type { SubmitContext } from '../../../../nodes/shared/jobs/submit/settings';
import { type Sandbox, startSandbox } from '../../../../sandbox';

const GRAPH: ApiGraph = { '1': { class_type: 'LoadImage', inputs: { image: 'empty.png' } } };
const PLACED: ApiGraph = { '1': { class_type: 'LoadImage', inputs: { image: 'placed.png' } } };
const REPORT = { isAwaited: true, whenLost: 'report' } as const;

let engines: Sandbox[];
let pool: ReturnType<typeof openPool>;
let single: Connection;
beforeAll(async () => {
	engines = await Promise.all([startSandbox(), startSandbox()]);
	pool = openPool({ servers: engines.map(({ urls }) => ({ baseUrl: urls.engine, engineUrl: '', wanted: 'engine' })) });
	single = await pool.members![0]!.open();
});
afterAll(async () => {
	await pool.close();
	await Promise.all(engines.map(async (engine) => await engine.close()));
});

const contextOf = (connection: Connection, more: Partial<SubmitContext> = {}): SubmitContext =>
	({
		connection,
		settings: { placement: REPORT },
		execution: { getInputData: () => [{}, {}, {}, {}] } as unknown as IExecuteFunctions,
		itemIndex: 1,
		isTool: false,
		...more,
	}) as unknown as SubmitContext;

/** Records for which connections the files were uploaded. */
function recordUploads() {
	const connections: Connection[] = [];
	const placeFiles = async (connection: Connection): Promise<ApiGraph> => {
		connections.push(connection);
		return await Promise.resolve(PLACED);
	};
	return { connections, placeFiles };
}

describe('addFilePlacement', () => {
	const row = { label: '', number: 1, from: 'binary', value: 'data' } as const;

	it('gives the graph to compare jobs with before the files are uploaded, with any file at the inputs of the rows', () => {
		const files = {
			rows: [
				{ ...row, name: '1.image' },
				{ ...row, name: '9.image' },
			],
			largestBytes: 1,
		};
		const { graph, comparable } = addFilePlacement(contextOf(pool), { graph: GRAPH }, files);
		expect(graph).toBe(GRAPH);
		expect(comparable?.()).toEqual({ '1': { class_type: 'LoadImage', inputs: { image: comparableFile() } } });
	});
});

describe('placementOf', () => {
	it('counts the items that follow, but none for a tool of an agent', () => {
		const counted = (more: Partial<SubmitContext>) => toPlacementOptions(contextOf(pool, more), {});
		expect(counted({})).toMatchObject({ ...REPORT, jobsToCome: 2 });
		expect(counted({ itemIndex: 3 })).toMatchObject({ ...REPORT, jobsToCome: 0 });
		expect(counted({ itemIndex: 9 })).toMatchObject({ ...REPORT, jobsToCome: 0 });
		expect(counted({ isTool: true })).toMatchObject({ ...REPORT, jobsToCome: 0 });
	});

	it('adds one hint for each server that is left out, whatever it answers to each item', () => {
		const addExecutionHints = jest.fn();
		const execution = { getInputData: () => [{}], addExecutionHints } as unknown as IExecuteFunctions;
		const { onLeftOut } = toPlacementOptions(contextOf(pool, { execution }), {}) ?? {};
		for (const requestId of ['r-1', 'r-2']) {
			const facts = { interface: 'engine', code: 'forbidden', status: 403, message: 'HTTP 403', requestId } as const;
			for (const server of ['http://gpu1:8188', 'http://gpu2:8188']) onLeftOut?.(server, new ApiError(facts));
		}
		expect(addExecutionHints.mock.calls.map(([{ message }]: [{ message: string }]) => message.split(' ')[0])).toEqual([
			'http://gpu1:8188',
			'http://gpu2:8188',
		]);
	});

	it('uploads the files to the chosen server only', async () => {
		const { connections, placeFiles } = recordUploads();
		const place = toPlacementOptions(contextOf(pool), { placeFiles })?.placeFiles;
		const [, second] = pool.members!;
		const stopped = toPlacementOptions(contextOf(pool, { signal: AbortSignal.abort() }), { placeFiles })?.placeFiles;
		await expect(stopped!(second!.address)).rejects.toThrow();
		await expect(place!(second!.address)).resolves.toEqual(PLACED);
		expect(connections).toEqual([await second!.open()]);
		await expect(place!('http://127.0.0.1:1')).rejects.toThrow('No server http://127.0.0.1:1');
		expect(connections).toHaveLength(1);
	});
});
