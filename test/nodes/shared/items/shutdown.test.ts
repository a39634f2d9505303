import type { IDataObject } from 'n8n-workflow';

import { startSandbox } from '../../../../sandbox';
import type { Sandbox } from '../../../../sandbox/types';
import { until } from '../../../support/until';
import { type NodeResult, type NodeRun, runNode } from '../../support/engine';
import { downloadRun } from '../../support/files';
import { credentialFor, type Way } from '../../support/flavours';
import { colorGraph, gatedGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import type { ShutdownReport, ShutdownTask } from '../../support/shutdownChild';
import { startStoppable, type Stoppable } from '../../support/stoppable';
import { finished, jsons, submitRun, submitted, waitRun } from '../../support/submit';

/** Also on a busy machine: n8n kills what is not gone after 30 s. */
const LEAVES_WITHIN_MS = 20_000;
jest.setTimeout(180_000);
const STILL_RUNNING = 1;

let sandbox: Sandbox;
let n8n: Stoppable;
beforeEach(async () => {
	[sandbox, n8n] = await Promise.all([startSandbox(), startStoppable()]);
	sandbox.configure({ workers: 20, gateOpen: false });
});
afterEach(async () => {
	await n8n.end();
	await sandbox.close();
});

/** What was left to itself comes to its end now. */
const letEnd = () => sandbox.configure({ gateOpen: true });
const posted = (count: number) => () => sandbox.ledger.runs.length >= count;

type Four = [NodeResult, NodeResult, NodeResult, NodeResult];

/** Asks the process to stop as soon as that is so. Its nodes end soon after, and cancel nothing. */
async function stopped({
	isReady,
	signal = 'SIGTERM',
	...task
}: Omit<ShutdownTask, 'isHandled'> & { isReady(): boolean; signal?: NodeJS.Signals }): Promise<ShutdownReport & { results: Four }> {
	const report = n8n.run({ isHandled: true, ...task });
	await Promise.race([until(isReady, 60_000), report]);
	const signaledAt = n8n.signal(signal);
	const ended = await report;
	expect(Math.max(...ended.results.map(({ endedAt }) => endedAt)) - signaledAt).toBeLessThan(LEAVES_WITHIN_MS);
	expect(sandbox.ledger.cancels).toEqual([]);
	return ended as ShutdownReport & { results: Four };
}

/** As n8n's *Retry execution* runs an execution again that ended with an error. */
const retried = async (run: NodeRun, { contextData, executionContext }: NodeResult): Promise<NodeResult> =>
	await runNode({ ...run, connected: undefined, mode: 'retry', contextData, executionContext });

const idIn = ({ error }: NodeResult): unknown => (error?.context.data as IDataObject | undefined)?.job_id;

it.each<Way>(['deployment', 'v1', 'engine'])(
	'waiting nodes stop and cancel nothing: items leave through Still Running if it is connected, otherwise the execution fails with the id of the job, which its retry delivers (%s)',
	async (way) => {
		const credential = credentialFor(sandbox, way);
		const jobId = await submitted(sandbox, gatedGraph(1), credential);
		const [open, closed] = [runRun(credential, gatedGraph(2), { connected: STILL_RUNNING }), runRun(credential, gatedGraph(3))];
		const [openWait, closedWait] = [waitRun(credential, [jobId], { connected: STILL_RUNNING }), waitRun(credential, [jobId])];
		const { results } = await stopped({ runs: [open, closed, openWait, closedWait], isReady: posted(3) });
		const [ofOpen, ofClosed, ofOpenWait, ofClosedWait] = results;
		const ids = sandbox.ledger.runs.map((run) => run.jobId);
		for (const result of [ofOpen, ofOpenWait]) {
			expect(result.status).toBe('success');
			expect(jsons(result)).toEqual([]);
			expect(jsons(result, STILL_RUNNING)).toMatchObject([
				{ job_id: expect.stringMatching(ids.join('|')) as string, status: expect.stringMatching(/queued|running/) as string },
			]);
		}
		for (const result of [ofClosed, ofClosedWait]) {
			expect(ids).toContain(idIn(result));
			expect(result.error?.message).toBe(`n8n is shutting down, and the node no longer waits for job ${String(idIn(result))}`);
			expect(result.error?.description).toMatch(/was not canceled.*retry this execution.*nothing is run twice/);
			expect(result.error?.context).toMatchObject({ itemIndex: 0 });
		}

		letEnd();
		const again = await retried(closed, ofClosed);
		expect(again.error).toBeUndefined();
		expect(jsons(again)).toMatchObject([{ job_id: idIn(ofClosed), status: 'succeeded' }]);
		expect(again.outputs[0]?.[0]?.binary).toHaveProperty('data');
		const waited = await retried(closedWait, ofClosedWait);
		expect([waited.error, jsons(waited)]).toMatchObject([undefined, [{ job_id: jobId, status: 'succeeded' }]]);
		expect((await runNode(waitRun(credential, [String(jsons(ofOpen, STILL_RUNNING)[0]?.job_id)]))).error).toBeUndefined();
		expect(sandbox.ledger.runs).toHaveLength(3);
	},
);

it('SIGINT does the same: Retry On Fail stops trying, Continue On Fail keeps ids, an agent gets the id, and the message names items that were not started', async () => {
	const credential = credentialFor(sandbox, 'deployment');
	const trying = runRun(credential, gatedGraph(1), { settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 50 } });
	const goingOn = runRun(credential, gatedGraph(2), { settings: { onError: 'continueRegularOutput' } });
	const asTool = runRun(credential, gatedGraph(3), { asTool: true });
	const three = runRun(credential, gatedGraph(4), { items: [{}, {}, {}], parameters: { options: { concurrency: 1 } } });
	const { results } = await stopped({ runs: [trying, goingOn, asTool, three], isReady: posted(4), signal: 'SIGINT' });
	const [ofTrying, ofGoingOn, ofTool, ofThree] = results;
	expect(sandbox.ledger.runs).toHaveLength(4);
	expect(sandbox.requests('GET /api/v2/jobs/:id').length).toBeLessThanOrEqual(8);
	expect(ofTrying.error?.message).toMatch(/^n8n is shutting down, and the node no longer waits for job /);
	const [item] = jsons(ofGoingOn);
	expect(item).toMatchObject({
		job_id: expect.any(String) as string,
		idempotency_key: expect.any(String) as string,
		error: `n8n is shutting down, and the node no longer waits for job ${String(item?.job_id)}`,
	});
	expect(jsons(ofTool)).toMatchObject([
		{ job_id: expect.any(String) as string, next: expect.stringMatching(/n8n is shutting down. Do not check the job now/) as string },
	]);
	expect(ofThree.error?.description).toContain('Items 1 to 2 were not started: nothing was sent for them.');

	letEnd();
	const all = await retried(three, ofThree);
	expect(jsons(all).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
	expect(sandbox.ledger.runs).toHaveLength(6);
});

it('an item that waits for a full queue reports that nothing was sent, and its retry submits it', async () => {
	const credential = credentialFor(sandbox, 'deployment');
	sandbox.setQueueLimit(1);
	const run = submitRun(credential, gatedGraph(1), {
		items: [{}, {}],
		parameters: { options: { inputValues: '={{ { "2": { seed: $itemIndex } } }}' } },
	});
	const refused = () => sandbox.requests('POST /api/v2/jobs').filter(({ status }) => status === 429).length > 0;
	const [result] = (await stopped({ runs: [run], isReady: refused })).results;
	expect(result.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	// Which of the two is taken is the service's choice.
	const itemOf = (jobId: string) => Number(sandbox.job(jobId)?.graph['2']?.inputs.seed);
	const [first] = sandbox.ledger.runs.map(({ jobId }) => jobId);
	expect(result.error?.description).toContain(`Jobs that exist: item ${itemOf(String(first))}: ${first}`);

	sandbox.setQueueLimit(10);
	const again = await retried(run, result);
	expect(again.error).toBeUndefined();
	const ids = sandbox.ledger.runs.map(({ jobId }) => jobId).toSorted((one, other) => itemOf(one) - itemOf(other));
	expect(jsons(again).map(({ job_id: id }) => id)).toEqual(ids);
	expect(ids.map(itemOf)).toEqual([0, 1]);
});

it('a retry finds the job of a submission in progress, whether its answer came or not', async () => {
	const credential = credentialFor(sandbox, 'deployment');
	sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, fault: { kind: 'delay', ms: 1_500 } });
	sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, fault: { kind: 'stall' } });
	const run = runRun(credential, gatedGraph(1), {
		items: [{}, {}],
		parameters: { options: { inputValues: '={{ { "2": { seed: $itemIndex } } }}' } },
		settings: { onError: 'continueRegularOutput' },
	});
	const {
		results: [result],
	} = await stopped({ runs: [run], isReady: () => sandbox.requests('POST /api/v2/jobs').length === 2 });
	expect(sandbox.ledger.runs).toHaveLength(2);
	const ofKey = (key: unknown) => sandbox.ledger.runs.find(({ idempotencyKey }) => idempotencyKey === key)?.jobId;
	const [answered, unanswered] = [...jsons(result)].sort((one) => ('job_id' in one ? -1 : 1));
	expect(answered).toMatchObject({
		job_id: ofKey(answered?.idempotency_key),
		error: `n8n is shutting down, and the node no longer waits for job ${String(answered?.job_id)}`,
	});
	expect(unanswered).toMatchObject({
		error: 'n8n is shutting down, and the service has not confirmed the submission: a job may exist',
		error_description: expect.stringContaining(String(unanswered?.idempotency_key)) as string,
	});

	letEnd();
	const again = await retried(run, result);
	expect(jsons(again).map(({ job_id: id, status }) => [id, status])).toEqual(
		jsons(result).map(({ idempotency_key: key }) => [ofKey(key), 'succeeded']),
	);
	expect(sandbox.ledger.runs).toHaveLength(2);
});

it('after the signal nothing is submitted, a wait reads its job once, and files are still downloaded', async () => {
	const credential = credentialFor(sandbox, 'deployment');
	const [running, finishedJob] = [await submitted(sandbox, gatedGraph(1), credential), await finished(sandbox, colorGraph(2), credential)];
	const later: NodeRun[] = [
		submitRun(credential, colorGraph(3)),
		runRun(credential, colorGraph(4)),
		waitRun(credential, [running]),
		waitRun(credential, [running], { connected: STILL_RUNNING }),
		waitRun(credential, [finishedJob]),
		downloadRun(credential, [finishedJob]),
	];
	sandbox.resetRecords();
	const { later: ended } = await stopped({
		runs: [waitRun(credential, [running])],
		later,
		isReady: () => sandbox.requests('GET /api/v2/jobs/:id').length > 0,
	});
	const [submit, run, wait, open, done, download] = ended as [...Four, NodeResult, NodeResult];
	expect(submit.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect(run.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect(wait.error?.message).toBe(`n8n is shutting down, and the node no longer waits for job ${running}`);
	expect(jsons(open, STILL_RUNNING)).toMatchObject([{ job_id: running }]);
	expect(jsons(done)).toMatchObject([{ job_id: finishedJob, status: 'succeeded' }]);
	expect(download.error).toBeUndefined();
	expect(sandbox.ledger.runs).toHaveLength(2);
	expect(sandbox.requests('POST /api/v2/jobs')).toEqual([]);
});

it('signal handlers exist only while a node runs, and are removed after the signal', async () => {
	const { listeners, warnings } = await stopped({
		runs: Array.from({ length: 40 }, (_, seed) => runRun(credentialFor(sandbox, 'deployment'), gatedGraph(seed))),
		isReady: posted(10),
	});
	expect(listeners).toEqual({ before: [1, 1], during: [2, 2], after: [0, 1] });
	expect(warnings).toEqual([]);
});

it('a process without a handler of its own ends immediately by the signal', async () => {
	const report = n8n
		.run({ runs: [runRun(credentialFor(sandbox, 'deployment'), gatedGraph(1))], isHandled: false })
		.catch((error: unknown) => error);
	await until(posted(1), 60_000);
	const signaledAt = n8n.signal('SIGTERM');
	expect(await n8n.ended).toBe('SIGTERM');
	expect(Date.now() - signaledAt).toBeLessThan(LEAVES_WITHIN_MS);
	expect(await report).toBeInstanceOf(Error);
});
