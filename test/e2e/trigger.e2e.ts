import { setTimeout as delay } from 'node:timers/promises';
import { importCredentials, importWorkflow, itemsOf } from '../../scripts/n8nHost';
import { sandboxCredentials } from '../../scripts/sandboxCredentials';
import { quick, slowFor } from './support/graphs';
import { openSession, type Session } from './support/session';
import { submitJob } from './support/submitJob';
import { listening, PROGRESS, publish, SAMPLING, type Published } from './support/triggers';
import { until } from './support/until';

/** Long enough for an execution too many to show up. */
const AFTERWARDS_MS = 1_000;

let session: Session;
const published: Published[] = [];
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());
afterEach(async () => {
	await Promise.all(published.splice(0).map((trigger) => trigger.deactivate()));
	await sockets(0);
});

const sockets = async (count: number): Promise<void> =>
	void (await until(`${count} open sockets`, () => (session.sandbox.sockets('hosted').length === count ? true : undefined)));

async function publishing(...how: Parameters<typeof listening>): Promise<Published> {
	const trigger = await publish(session, listening(...how));
	published.push(trigger);
	return trigger;
}

const statusOf = async ({ workflow }: Published): Promise<string> => (await session.rest.publicationStatus(workflow)).status;

test('a trigger that is published while the service is down listens once the service is up', async () => {
	await session.takeDown();
	const trigger = await publishing('the service is down at first', SAMPLING);
	expect(await statusOf(trigger)).toBe('published');

	await session.bringUp();
	await sockets(1);
	const jobId = await submitJob(session.sandbox, slowFor(1_000));
	await trigger.until(4);
	await delay(AFTERWARDS_MS);
	expect(await trigger.told()).toMatchObject([
		...[40, 50, 60].map((milestone) => ({ kind: 'milestone', milestone, job_id: jobId, interface: 'v1' })),
		{ kind: 'finished', job_id: jobId, status: 'succeeded', percent: 100, outputs: [{ node_id: '3', type: 'image' }], job_error: null },
	]);
	expect((await trigger.executions()).map(({ status }) => status)).toEqual(Array(4).fill('success'));
});

test('two triggers report each event once through two lost connections, and deactivating one leaves the other', async () => {
	const milestones = await publishing('milestones through lost connections', SAMPLING);
	const outputs = await publishing('outputs through lost connections', { deliver: 'eachOutput' });
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
		(await milestones.told()).some(({ job_id, kind }) => job_id === next && kind === 'finished') ? true : undefined,
	);
	await delay(AFTERWARDS_MS);

	const ofJob = (told: Array<Record<string, unknown>>) =>
		told.filter(({ job_id }) => job_id === jobId).map(({ milestone, kind }) => milestone ?? kind);
	expect(ofJob(await milestones.told())).toEqual([40, 50, 60, 'finished']);
	expect(ofJob(await outputs.told())).toEqual(['output', 'finished']);
	expect(await outputs.executions()).toHaveLength(2);

	await milestones.deactivate();
	await sockets(0);
});

test('a wrong key becomes one failed execution that says what to do, and the trigger works after a correction', async () => {
	const [good] = sandboxCredentials(session.sandbox);
	if (!good) throw new Error('No credential of the hosted account');
	const [saved] = await importCredentials(session.rest, [{ ...good, data: { ...good.data, apiKey: 'not-the-key' } }]);
	if (!saved) throw new Error('No credential was saved');
	const trigger = await publish(session, listening('a wrong key', { deliver: 'onlyWhenFinished' }), [saved]);
	published.push(trigger);

	const [failed] = await trigger.until(1);
	expect(failed).toMatchObject({ status: 'error', data: { resultData: { error: { message: 'The service did not accept the API Key' } } } });
	expect(failed?.data.resultData.error?.description).toContain('Comfy API credential');
	expect(await statusOf(trigger)).toBe('published');

	await session.rest.updateCredential(saved, good);
	await trigger.deactivate();
	await trigger.activate();
	await sockets(1);
	await submitJob(session.sandbox, quick);
	await trigger.until(2);
	expect(await trigger.story()).toEqual(['finished']);
	expect(await statusOf(trigger)).toBe('published');
});

test('a trigger in the editor waits for one event, and closes its socket', async () => {
	const workflow = await importWorkflow(session.rest, listening('listen for a test event', { deliver: 'eachOutput' }), session.credentials);
	const id = await session.rest.run(workflow, PROGRESS);
	await sockets(1);
	expect((await session.rest.execution(id)).status).toBe('running');
	const jobId = await submitJob(session.sandbox, quick);
	const execution = await session.rest.waitFor(id);
	expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
	expect(itemsOf(execution, PROGRESS).map(({ json }) => json)).toMatchObject([{ kind: 'output', job_id: jobId }]);
	await sockets(0);
});
