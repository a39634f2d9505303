import { setTimeout as delay } from 'node:timers/promises';
import { slowFor } from './support/graphs';
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
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
	const id = await session.start(
		chain('a stopped execution', comfy('comfySubmitWorkflow', { workflow: JSON.stringify(slowFor(30_000)) }), comfy('comfyWaitForJob', {}, retrying)),
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
