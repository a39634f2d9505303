import { setTimeout as delay } from 'node:timers/promises';
import { importCredentials, importWorkflow, itemsOf } from '../../scripts/n8nHost/documents';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { quick, slowFor } from './support/graphs';
import { openSession, type Session, submitJob } from './support/session';
import { triggerWorkflow, PROGRESS, publish, SAMPLING } from './support/triggers';
import { until } from './support/until';

/** Long enough for an execution too many to show up. */
const AFTERWARDS_MS = 1_000;

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const sockets = async (count: number): Promise<void> =>
	void (await until(`${count} open sockets`, () => (session.sandbox.sockets('hosted').length === count ? true : undefined)));

test('two triggers report each event once through two lost connections, and deactivating one leaves the other', async () => {
	const milestones = await publish(session, triggerWorkflow('milestones through lost connections', SAMPLING));
	const outputs = await publish(session, triggerWorkflow('outputs through lost connections', { deliver: 'eachOutput' }));
	await sockets(2);
	const jobId = await submitJob(session.sandbox, slowFor(10_000));
	await milestones.until(1);
	session.sandbox.dropSockets('hosted');
	await milestones.until(2);
	session.sandbox.dropSockets('hosted');
	await milestones.until(4);
	await outputs.until(2);

	await outputs.deactivate();
	await sockets(1);
	const next = await submitJob(session.sandbox, quick);
	await until('the end of the next job', async () =>
		(await milestones.startItems()).some(({ job_id, kind }) => job_id === next && kind === 'finished') ? true : undefined,
	);
	await delay(AFTERWARDS_MS);

	const ofJob = (told: Array<Record<string, unknown>>) =>
		told.filter(({ job_id }) => job_id === jobId).map(({ milestone, kind }) => milestone ?? kind);
	expect(ofJob(await milestones.startItems())).toEqual([40, 50, 60, 'finished']);
	expect(ofJob(await outputs.startItems())).toEqual(['output', 'finished']);
	expect(await outputs.executions()).toHaveLength(2);

	await milestones.deactivate();
	await sockets(0);
});

test('a trigger on a deployment starts no execution for finished jobs, and one for the next job', async () => {
	const { rest, sandbox } = session;
	const account = sandboxCredentials(sandbox)[0]!;
	const deployment = await importCredentials(rest, [{ ...account, data: { ...account.data, baseUrl: sandbox.urls.deployment } }]);
	const finished = async () => {
		const id = await submitJob(sandbox, quick, 'deployment');
		await until('the end of a job', () => sandbox.job(id)?.status === 'succeeded' || undefined);
		return id;
	};
	const looked = async () => {
		const looks = () => sandbox.requests('GET /api/v2/jobs', 'deployment').length;
		const before = looks();
		await until('another look at the list', () => looks() > before || undefined);
	};
	await Promise.all(Array.from({ length: 20 }, finished));
	const all = triggerWorkflow('all jobs of a deployment', { source: 'jobs', jobsToWatch: 'all', deliver: 'onlyWhenFinished' });
	const trigger = await publish(session, all, deployment);
	await looked();
	await looked();
	const next = await finished();
	await trigger.until(1);
	await looked();
	expect((await trigger.startItems()).map(({ job_id }) => job_id)).toEqual([next]);
	await trigger.deactivate();
});

test('a trigger in the editor waits for one event, and closes its socket', async () => {
	const workflow = await importWorkflow(
		session.rest,
		triggerWorkflow('listen for a test event', { deliver: 'eachOutput' }),
		session.credentials,
	);
	const id = await session.rest.run(workflow, PROGRESS);
	await sockets(1);
	expect((await session.rest.execution(id)).status).toBe('running');
	const jobId = await submitJob(session.sandbox, quick);
	const execution = await session.rest.waitFor(id);
	expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
	expect(itemsOf(execution, PROGRESS).map(({ json }) => json)).toMatchObject([{ kind: 'output', job_id: jobId }]);
	await sockets(0);
});
