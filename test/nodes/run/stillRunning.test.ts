import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import { STILL_RUNNING_OUTPUT } from '../../../nodes/shared/jobs/wait';
import { countTurns } from '../../support/turnClock';
import { type NodeResult, type NodeRun, runNode } from '../support/engine';
import { credentialFor, interfaceOf, type Way } from '../support/flavours';
import { colorGraph, gatedGraph, GRAPH_OF_ITEM, graphItems } from '../support/graphs';
import { retryExecution } from '../support/retried';
import { runRun } from '../support/run';
import { freshSandbox } from '../support/sandbox';
import { jsons } from '../support/submit';

countTurns(5);
const sandbox = freshSandbox();
beforeEach(() => sandbox.configure({ gateOpen: false }));

let seed = 61_000;
const SHORT = { maxWaitMinutes: 0.02 };
const NOT_CONNECTED = /^Job \S+ did not finish within Max Wait, and Still Running is not connected$/;

const graphsRun = (graphs: ApiGraph[], options: IDataObject = {}, more: Partial<NodeRun> = {}, way: Way = 'hosted'): NodeRun =>
	runRun(credentialFor(sandbox, way), GRAPH_OF_ITEM, {
		items: graphItems(graphs),
		...more,
		parameters: { options: { ...SHORT, ...options } },
	});

/** One item whose job finishes, and one whose job takes longer than Max Wait. */
const twoItems = (options: IDataObject = {}, more: Partial<NodeRun> = {}, way: Way = 'hosted'): NodeRun =>
	graphsRun([colorGraph(seed++), gatedGraph(seed++)], options, more, way);

/** The ID of the job that takes longer than Max Wait. */
const longJob = (): string =>
	sandbox.ledger.runs.map(({ jobId }) => jobId).find((id) => sandbox.job(id)?.graph['2']?.class_type === 'SandboxGate') ?? '';

const detailsOf = ({ error }: NodeResult): IDataObject => error?.context.data as IDataObject;

describe.each<Way>(['hosted', 'v1', 'bare_engine'])('a job that takes longer than Max Wait, over %s', (way) => {
	it('fails its item with the job ID and what to do if Still Running is not connected, and a retry delivers both jobs of one bill', async () => {
		const run = twoItems({}, {}, way);
		const failed = await runNode(run);
		expect(failed.status).toBe('error');
		expect(failed.error?.message).toMatch(NOT_CONNECTED);
		expect(failed.error?.message).toContain(longJob());
		expect(failed.error?.description).toMatch(
			/^The job continues\. Connect Still Running to a Comfy Wait For Job node, or raise Max Wait \(Minutes\)\. A retry of this execution waits for the same job/,
		);
		expect(failed.error?.description).toContain('To get their files retry this execution');
		expect(failed.error?.context.itemIndex).toBe(1);
		expect(detailsOf(failed)).toMatchObject({
			job_id: longJob(),
			interface: interfaceOf(way),
			status: expect.stringMatching(/queued|running/) as string,
			code: 'still_running',
			existing_jobs: [{ item: 0 }],
		});
		expect(sandbox.ledger.cancels).toEqual([]);

		sandbox.configure({ gateOpen: true });
		const retried = await runNode(retryExecution(run, failed));
		expect(retried.error).toBeUndefined();
		expect(jsons(retried).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
		expect(jsons(retried)[1]?.job_id).toBe(detailsOf(failed).job_id);
		expect(sandbox.ledger.runs).toHaveLength(2);
	});
});

it('each item has its own Max Wait and its own choice, and those that fail do so by themselves with Continue On Fail', async () => {
	const graphs = [gatedGraph(seed++), colorGraph(seed++), gatedGraph(seed++), gatedGraph(seed++)];
	const options = { ifStillRunningNotConnected: '={{ ["fail", "fail", "continue", "fail"][$itemIndex] }}' };
	const result = await runNode(graphsRun(graphs, options, { settings: { onError: 'continueRegularOutput' } }));
	expect(result.error).toBeUndefined();
	const [first, second, fourth] = jsons(result);
	for (const item of [first, fourth]) {
		expect(item).toMatchObject({
			job_id: expect.any(String) as string,
			status: expect.stringMatching(/queued|running/) as string,
			idempotency_key: expect.any(String) as string,
			error: expect.stringMatching(NOT_CONNECTED) as string,
			error_facts: { code: 'still_running' },
		});
	}
	expect(second).toMatchObject({ status: 'succeeded' });
	expect(result.outputs[STILL_RUNNING_OUTPUT]).toMatchObject([{ json: { status: expect.any(String) as string }, pairedItem: { item: 2 } }]);
	expect(new Set([...jsons(result), ...jsons(result, STILL_RUNNING_OUTPUT)].map(({ job_id }) => job_id)).size).toBe(4);
});

it.each([
	['goes to Still Running if the workflow connects this output', STILL_RUNNING_OUTPUT],
	['fails if the workflow connects only Done', 0],
])('a single step in the editor, which n8n executes without the nodes after it %s', async (_, connected) => {
	const result = await runNode(twoItems({}, { connected, isStep: true }));
	const isConnected = connected === STILL_RUNNING_OUTPUT;
	expect(result.error?.message ?? '').toMatch(isConnected ? /^$/ : NOT_CONNECTED);
	expect(jsons(result, STILL_RUNNING_OUTPUT)).toHaveLength(isConnected ? 1 : 0);
});
