/** The option *Run Failed Jobs Again* of Comfy Wait For Job. */
import type { IDataObject } from 'n8n-workflow';

import { claimedJobs } from '../../../client/recovery/claimedJobs';
import type { ApiGraph } from '../../../client';
import { countTurns } from '../../support/turnClock';
import { until } from '../../support/until';
import { diesIn, runStored } from '../support/crashed';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { credentialFor, type Way } from '../support/flavours';
import { RETRY, storedContext } from '../support/retried';
import { again, partnerGraph, seededGate, seedsIn, statusesIn, webhook } from '../support/runAgain';
import { freshSandbox } from '../support/sandbox';
import { recovered, retryOf } from '../support/stored';
import { jsons, submitted, waitRun } from '../support/submit';

countTurns(5);
const sandbox = freshSandbox();

/** Waits for the jobs of these graphs, one item each. The first one that passes the gate fails. */
async function waitFor(way: Way, graphs: ApiGraph[], options: IDataObject, more: Partial<NodeRun> = {}): Promise<NodeRun> {
	sandbox.configure({ memoryFailures: 1, gateOpen: false });
	const credential = credentialFor(sandbox, way);
	const ids: string[] = [];
	for (const graph of graphs) ids.push(await submitted(sandbox, graph, credential));
	sandbox.configure({ gateOpen: true });
	await until(() => statusesIn(sandbox).includes('failed'));
	return waitRun(credential, ids, { ...webhook(), ...more, parameters: { options } });
}

const ids = (items: IDataObject[]) => items.map(({ job_id }) => job_id);
const jobIds = () => sandbox.ledger.runs.map(({ jobId }) => jobId);

describe.each([
	['bare_engine', 'ifFree'],
	['deployment', 'always'],
	['v1', 'always'],
] as const)('over %s, %s', (way, choice) => {
	it('Retry On Fail runs only the job again that failed, with the same seeds', async () => {
		const options = again(choice, { sendPartnerKey: '={{ $itemIndex === 0 }}' });
		const result = await runNode(await waitFor(way, [seededGate(1), seededGate(0)], options, { settings: RETRY }));
		expect(result.error).toBeUndefined();
		expect(sandbox.ledger.partnerKeys).toHaveLength(1);
		expect(statusesIn(sandbox)).toEqual(['failed', 'succeeded', 'succeeded']);
		const [, other, second] = jobIds();
		expect(ids(jsons(result))).toEqual([second, other]);
		const [seedsOfFailed, , seedsOfSecond] = seedsIn(sandbox);
		expect(seedsOfSecond).toBe(seedsOfFailed);
	});

	it('a retry after a crash of n8n in the second try finds the second job', async () => {
		const { result: first, stored } = await runStored(await waitFor(way, [seededGate(1)], again(choice)));
		expect(first.error?.description).toMatch(/A retry of this execution runs the job again, with the same seeds\./);
		const third = retryOf(recovered(await diesIn(retryOf(stored))));
		claimedJobs.clear();
		const result = await runNode(third);
		expect(result.error).toBeUndefined();
		expect(statusesIn(sandbox)).toEqual(['failed', 'succeeded']);
		expect(ids(jsons(result))).toEqual([jobIds()[1]]);
	});
});

it.each([
	['bare_engine', seededGate(), 'no', /set Run Failed Jobs Again in Options/],
	['bare_engine', partnerGraph(), 'ifFree', /because the workflow has partner nodes/],
	['deployment', seededGate(), 'ifFree', /because the service may bill each run/],
] as const)('does not run a job again that may not run again, and the message says why (%s, %j, %s)', async (way, graph, choice, why) => {
	const result = await runNode(await waitFor(way, [graph], again(choice), { settings: RETRY }));
	expect(result.error?.description).toMatch(why);
	expect(statusesIn(sandbox)).toEqual(['failed']);
});

it('says that a job cannot run again if ComfyUI was restarted, and what to do', async () => {
	const run = await waitFor('bare_engine', [seededGate()], again('ifFree'), { settings: RETRY });
	sandbox.restartEngine();
	const result = await runNode(run);
	expect(result.error?.message).toMatch(/no longer has job/);
	expect(result.error?.description).toMatch(
		/because the server does not return its workflow\.[^]*Comfy Run Workflow can run such a job again/,
	);
	expect(jobIds()).toHaveLength(1);
});

it('a retry that cannot read the workflow when it runs the job again says why, and the next retry runs it', async () => {
	const run = await waitFor('deployment', [seededGate(1), seededGate(0)], again('always'));
	const first = await runNode(run);
	// The first read decides whether the job may run again.
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/workflow', skip: 1, answer: { status: 403, code: 'forbidden' } });
	const second = await runNode({ ...run, contextData: storedContext(first) });
	expect(second.error?.message).toMatch(/does not allow this action/);
	const third = await runNode({ ...run, contextData: storedContext(second) });
	expect(third.error).toBeUndefined();
	expect(statusesIn(sandbox)).toEqual(['failed', 'succeeded', 'succeeded']);
});

it('an item with another job than in the earlier try waits for that job', async () => {
	const run = await waitFor('bare_engine', [seededGate(1), seededGate(0)], again('ifFree'));
	const [failed, other] = run.items ?? [];
	const first = await runNode({ ...run, items: failed === undefined ? [] : [failed] });
	expect(first.error?.message).toMatch(/CUDA out of memory/);
	const second = await runNode({ ...run, items: other === undefined ? [] : [other], contextData: first.contextData });
	expect(ids(jsons(second))).toEqual([jobIds()[1]]);
	expect(jobIds()).toHaveLength(2);
});

it('a stop while a job is submitted again cancels this job', async () => {
	const run = await waitFor('bare_engine', [seededGate()], again('ifFree'));
	const first = await runNode(run);
	sandbox.configure({ gateOpen: false });
	const submission = sandbox.inject({ on: 'POST /api/prompt', fault: { kind: 'stall', ms: 500 } });
	const { result, stop } = startNode({ ...run, contextData: first.contextData });
	await until(() => submission.used === 1 && jobIds().length === 2);
	stop();
	await result.catch(() => undefined);
	await until(() => statusesIn(sandbox)[1] === 'canceled');
	expect(jobIds()).toHaveLength(2);
});
