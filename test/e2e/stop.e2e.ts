import { setTimeout as delay } from 'node:timers/promises';
import { engineRequests, onServer, saveServer, submitToEngine } from './support/engine';
import { endless, gated, quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, comfy, TRIGGER } from './support/workflows';

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

const untilStatus = async (jobId: string, status: string) =>
	await until(`${jobId} to be ${status}`, () => (session.sandbox.job(jobId)?.status === status ? true : undefined));

test('stopping the execution cancels the job it waits for; nothing of it is executed afterwards', async () => {
	const { sandbox, rest } = session;
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const id = await session.start(
		chain(
			'a stopped execution',
			comfy('comfySubmitWorkflow', { workflow: JSON.stringify(endless) }),
			comfy('comfyWaitForJob', {}, retrying),
		),
	);
	const job = await until('the slow node to run', () =>
		sandbox.jobs('hosted').find(({ status }) => status === 'running' && sandbox.ledger.executedNodes.some(({ nodeId }) => nodeId === '1')),
	);
	await until('the wait to begin', () => sandbox.requests('GET /api/v2/jobs/:id/events').at(0));

	await rest.stop(id);
	await until('the cancellation', () => sandbox.ledger.cancels.find(({ jobId }) => jobId === job.id));
	expect((await rest.waitFor(id)).status).toBe('canceled');
	await untilStatus(job.id, 'canceled');

	const executed = sandbox.ledger.executedNodes.map(({ nodeId }) => nodeId);
	await delay(1500);
	expect(sandbox.ledger.executedNodes.map(({ nodeId }) => nodeId)).toEqual(executed);
	expect(executed).not.toContain('3');
	expect(sandbox.ledger.runs).toHaveLength(1);
});

test('n8n’s own execution timeout ends a longer Max Wait and cancels the job', async () => {
	const { sandbox, rest } = session;
	const nodes = [comfy('comfySubmitWorkflow', { workflow: JSON.stringify(endless) }), comfy('comfyWaitForJob', { maxWaitMinutes: 60 })];
	const settings = { executionOrder: 'v1', executionTimeout: 8 };
	await rest.waitFor(await session.start({ ...chain('an execution that times out', ...nodes), settings }));
	expect(sandbox.ledger.runs).toHaveLength(1);
	await untilStatus(String(sandbox.ledger.runs[0]?.jobId), 'canceled');
});

async function startOnEngine(graph: object): Promise<{ execution: string; jobId: string }> {
	const runs = session.sandbox.ledger.runs.length;
	const nodes = [onServer('comfySubmitWorkflow', { workflow: JSON.stringify(graph) }), onServer('comfyWaitForJob')];
	const execution = await session.start(chain('stopped on an engine', ...nodes), TRIGGER, await saveServer(session));
	const { jobId } = await until('the job', () => session.sandbox.ledger.runs[runs]);
	await until('the wait to begin', () => session.sandbox.sockets('engine').find(({ clientId }) => clientId !== null));
	return { execution, jobId };
}

test('stopping an execution takes its waiting job out of an engine’s queue, and the running job of another user continues', async () => {
	session.sandbox.configure({ engineInterrupt: 'whatever_runs', gateOpen: false });
	const others = await submitToEngine(session, gated(1));
	const { execution, jobId } = await startOnEngine(quick);
	await untilStatus(others, 'running');
	expect(session.sandbox.job(jobId)?.status).toBe('queued');

	await session.rest.stop(execution);
	await until('the cancellation', () => session.sandbox.ledger.cancels.find((cancel) => cancel.jobId === jobId));
	session.sandbox.configure({ gateOpen: true });
	await untilStatus(others, 'succeeded');
	expect(session.sandbox.ledger.executedNodes.filter((node) => node.jobId === jobId)).toEqual([]);
	expect(engineRequests(session, 'POST', '/interrupt')).toEqual([]);
});

test('stopping an execution stops its running job on an engine, and the waiting job of another user runs next', async () => {
	const { execution, jobId } = await startOnEngine(endless);
	await untilStatus(jobId, 'running');
	const others = await submitToEngine(session, quick);

	await session.rest.stop(execution);
	await untilStatus(jobId, 'canceled');
	await untilStatus(others, 'succeeded');
	expect(session.sandbox.ledger.cancels.map((cancel) => cancel.jobId)).toEqual([jobId]);
});
