import { setTimeout as delay } from 'node:timers/promises';
import { endless } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

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
