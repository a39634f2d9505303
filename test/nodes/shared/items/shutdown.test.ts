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

/**
 * Asks the process to stop as soon as that is so. Its nodes end soon after, and cancel nothing. The handlers of n8n stay, and those
 * of the nodes exist only while a node runs, however many run.
 */
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
	// The handler of n8n removes itself when the signal comes.
	expect(ended.listeners).toEqual({ before: [1, 1], during: [2, 2], after: signal === 'SIGTERM' ? [0, 1] : [1, 0] });
	expect(ended.warnings).toEqual([]);
	return ended as ShutdownReport & { results: Four };
}

/** As n8n's *Retry execution* runs an execution again that ended with an error. */
const retried = async (run: NodeRun, { contextData, executionContext }: NodeResult): Promise<NodeResult> =>
	await runNode({ ...run, connected: undefined, mode: 'retry', contextData, executionContext });

const idIn = ({ error }: NodeResult): unknown => (error?.context.data as IDataObject | undefined)?.job_id;

/** Nodes that begin after the signal submit nothing, read a job once, and download files. */
it('waiting nodes stop and cancel nothing: items leave through Still Running if it is connected, otherwise the execution fails with the id of the job, which its retry delivers', async () => {
	const scenes = await Promise.all(
		(['deployment', 'v1', 'engine'] as const satisfies Way[]).map(async (way, index) => {
			const credential = credentialFor(sandbox, way);
			const graph = (seed: number) => gatedGraph(10 * index + seed);
			const jobId = await submitted(sandbox, graph(1), credential);
			const [open, closed] = [runRun(credential, graph(2), { connected: STILL_RUNNING }), runRun(credential, graph(3))];
			const [openWait, closedWait] = [waitRun(credential, [jobId], { connected: STILL_RUNNING }), waitRun(credential, [jobId])];
			return { credential, jobId, closed, closedWait, runs: [open, closed, openWait, closedWait] };
		}),
	);
	const { credential: hosted, jobId: running } = scenes[0]!;
	const done = await finished(sandbox, colorGraph(2), hosted);
	const later: NodeRun[] = [
		submitRun(hosted, colorGraph(3)),
		runRun(hosted, colorGraph(4)),
		waitRun(hosted, [running]),
		waitRun(hosted, [running], { connected: STILL_RUNNING }),
		waitRun(hosted, [done]),
		downloadRun(hosted, [done]),
	];
	const { results, later: ended } = await stopped({ runs: scenes.flatMap(({ runs }) => runs), later, isReady: posted(10) });
	const ids = sandbox.ledger.runs.map((run) => run.jobId);
	expect(ids).toHaveLength(10);
	const leftRunning = { job_id: expect.stringMatching(ids.join('|')) as string, status: expect.stringMatching(/queued|running/) as string };

	const [submit, run, wait, open, read, download] = ended;
	for (const result of [submit, run]) expect(result?.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect(wait?.error?.message).toBe(`n8n is shutting down, and the node no longer waits for job ${running}`);
	expect(jsons(open!, STILL_RUNNING)).toMatchObject([{ job_id: running }]);
	expect(jsons(read!)).toMatchObject([{ job_id: done, status: 'succeeded' }]);
	expect(download?.error).toBeUndefined();

	letEnd();
	for (const [index, { credential, jobId, closed, closedWait }] of scenes.entries()) {
		const [ofOpen, ofClosed, ofOpenWait, ofClosedWait] = results.slice(4 * index) as unknown as Four;
		for (const result of [ofOpen, ofOpenWait]) {
			expect([result.status, jsons(result)]).toEqual(['success', []]);
			expect(jsons(result, STILL_RUNNING)).toMatchObject([leftRunning]);
		}
		for (const result of [ofClosed, ofClosedWait]) {
			expect(ids).toContain(idIn(result));
			expect(result.error?.message).toBe(`n8n is shutting down, and the node no longer waits for job ${String(idIn(result))}`);
			expect(result.error?.description).toMatch(/was not canceled.*retry this execution.*nothing is run twice/);
			expect(result.error?.context).toMatchObject({ itemIndex: 0 });
		}
		const again = await retried(closed, ofClosed);
		expect([again.error, jsons(again)]).toMatchObject([undefined, [{ job_id: idIn(ofClosed), status: 'succeeded' }]]);
		expect(again.outputs[0]?.[0]?.binary).toHaveProperty('data');
		const waited = await retried(closedWait, ofClosedWait);
		expect([waited.error, jsons(waited)]).toMatchObject([undefined, [{ job_id: jobId, status: 'succeeded' }]]);
		expect((await runNode(waitRun(credential, [String(jsons(ofOpen, STILL_RUNNING)[0]?.job_id)]))).error).toBeUndefined();
	}
	expect(sandbox.ledger.runs).toHaveLength(10);
});

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

it('a retry finds the job of a submission in progress, whether its answer came or not, and submits an item that waited for a full queue', async () => {
	const seeded = { options: { inputValues: '={{ { "2": { seed: $itemIndex } } }}' } };
	const two = { items: [{}, {}], parameters: seeded };
	sandbox.inject({ on: 'POST /api/v2/jobs', surface: 'hosted', fault: { kind: 'delay', ms: 1_500 } });
	sandbox.inject({ on: 'POST /api/v2/jobs', surface: 'hosted', fault: { kind: 'stall' } });
	const sending = runRun(credentialFor(sandbox), gatedGraph(1), { ...two, settings: { onError: 'continueRegularOutput' } });
	const full = { status: 429, code: 'queue_full', retryAfter: 1 };
	sandbox.inject({ on: 'POST /api/v2/jobs', surface: 'deployment', skip: 1, times: Infinity, answer: full });
	const queued = submitRun(credentialFor(sandbox, 'deployment'), gatedGraph(2), two);
	const posts = (surface: 'hosted' | 'deployment') => sandbox.requests('POST /api/v2/jobs', surface);
	const { results } = await stopped({
		runs: [sending, queued],
		isReady: () => posts('hosted').length === 2 && posts('deployment').some(({ status }) => status === 429),
	});
	const [ofSending, ofQueued] = results;
	expect(sandbox.ledger.runs).toHaveLength(3);
	const ofKey = (key: unknown) => sandbox.ledger.runs.find(({ idempotencyKey }) => idempotencyKey === key)?.jobId;
	const [answered, unanswered] = [...jsons(ofSending)].sort((one) => ('job_id' in one ? -1 : 1));
	expect(answered).toMatchObject({
		job_id: ofKey(answered?.idempotency_key),
		error: `n8n is shutting down, and the node no longer waits for job ${String(answered?.job_id)}`,
	});
	expect(unanswered).toMatchObject({
		error: 'n8n is shutting down, and the server has not confirmed the submission: a job may exist',
		error_description: expect.stringContaining(String(unanswered?.idempotency_key)) as string,
	});
	// Which of the two the service accepts is open.
	const itemOf = (jobId: unknown) => Number(sandbox.job(String(jobId))?.graph['2']?.inputs.seed);
	const accepted = String(
		sandbox.ledger.runs.find(({ idempotencyKey }) => jsons(ofSending).every((item) => item.idempotency_key !== idempotencyKey))?.jobId,
	);
	expect(ofQueued.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect(ofQueued.error?.description).toContain(`Jobs that exist: item ${itemOf(accepted)}: ${accepted}`);

	letEnd();
	sandbox.clearFaults();
	const delivered = await retried(sending, ofSending);
	expect(jsons(delivered).map(({ job_id: id, status }) => [id, status])).toEqual(
		jsons(ofSending).map(({ idempotency_key: key }) => [ofKey(key), 'succeeded']),
	);
	const submittedNow = await retried(queued, ofQueued);
	expect(submittedNow.error).toBeUndefined();
	expect(jsons(submittedNow).map(({ job_id: id }) => itemOf(id))).toEqual([0, 1]);
	expect(jsons(submittedNow)[itemOf(accepted)]?.job_id).toBe(accepted);
	expect(sandbox.ledger.runs).toHaveLength(4);
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
