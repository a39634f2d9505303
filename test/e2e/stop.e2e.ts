import { setTimeout as delay } from 'node:timers/promises';
import { endless } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

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
	await until('the job to be canceled', () => (sandbox.job(job.id)?.status === 'canceled' ? true : undefined));

	const executed = sandbox.ledger.executedNodes.map(({ nodeId }) => nodeId);
	await delay(1500);
	expect(sandbox.ledger.executedNodes.map(({ nodeId }) => nodeId)).toEqual(executed);
	expect(executed).not.toContain('3');
	expect(sandbox.ledger.runs).toHaveLength(1);
});

test('n8n’s own execution timeout ends a longer Max Wait and cancels the job', async () => {
	const { sandbox, rest } = session;
	const nodes = [comfy('comfySubmitWorkflow', { workflow: JSON.stringify(endless) }), comfy('comfyWaitForJob', { maxWaitMinutes: 60 })];
	const settings = { executionOrder: 'v1', executionTimeout: 12 };
	const id = await session.start({ ...chain('an execution that times out', ...nodes), settings });

	await rest.waitFor(id);
	const run = sandbox.ledger.runs.at(-1);
	await until('the job to be canceled', () => (sandbox.job(String(run?.jobId))?.status === 'canceled' ? true : undefined));
	expect(sandbox.ledger.runs).toHaveLength(2);
});
