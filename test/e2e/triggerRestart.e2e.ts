import { setTimeout as delay } from 'node:timers/promises';
import { stopSharedHost } from './support/host';
import { gated, slowFor } from './support/graphs';
import { openSession, type Session, submitJob } from './support/session';
import { BESIDE_A_GATE, triggerWorkflow, publish } from './support/triggers';
import { until } from './support/until';

let session: Session;
beforeAll(async () => {
	session = await openSession();
});
afterAll(() => session.close());

const listened = () => until('the socket', () => (session.sandbox.sockets('hosted').length === 1 ? true : undefined));

test('the end of a job that finishes while n8n is stopped is reported once after the start, and not after another start', async () => {
	const { sandbox } = session;
	const trigger = await publish(session, triggerWorkflow('through a restart of n8n', BESIDE_A_GATE));
	await listened();
	sandbox.configure({ gateOpen: false });
	const jobId = await submitJob(sandbox, gated(1));
	await trigger.until(2);
	const start = await stopSharedHost();
	await until('no socket', () => (sandbox.sockets('hosted').length === 0 ? true : undefined));
	expect(sandbox.job(jobId)?.status).toBe('running');
	sandbox.configure({ gateOpen: true });
	await until('the end of the job', () => (sandbox.job(jobId)?.status === 'succeeded' ? true : undefined));

	await start();
	await until('the end to be told', async () => ((await trigger.summary()).includes('finished') ? true : undefined));
	const story = await trigger.summary();
	expect(story).toEqual([...new Set(story)]);
	expect(story.at(-1)).toBe('finished');

	await (
		await stopSharedHost()
	)();
	await listened();
	const next = await submitJob(sandbox, slowFor(200));
	await until('the end of the next job', async () =>
		(await trigger.startItems()).some(({ job_id, kind }) => job_id === next && kind === 'finished') ? true : undefined,
	);
	await delay(500);
	expect((await trigger.startItems()).filter(({ job_id }) => job_id === jobId)).toHaveLength(story.length);
	await trigger.deactivate();
});
