import { type Execution, importWorkflow, itemsOf, type WorkflowDocument } from '../../scripts/n8nHost/documents';
import { gated, slowFor } from './support/graphs';
import { FILE, one, ordered, startByCall, stillRunning, three } from './support/guardedFlows';
import { openOwnHost, type OwnHost } from './support/ownHost';
import { submitJob } from './support/session';
import { BESIDE_A_GATE, type Published, publish, triggerWorkflow } from './support/triggers';
import { until } from './support/until';
import { chain, comfy } from './support/workflows';

/** As n8n has it by default; the shared host of the suites has less. */
const DEFAULT_GRACE = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30' };
/** Shorter waits are kept in n8n's memory. */
const SHORTEST_STORED_WAIT_SECONDS = 65;

let host: OwnHost;
beforeAll(async () => {
	host = await openOwnHost(DEFAULT_GRACE);
	host.session.sandbox.configure({ workers: 20, gateOpen: false });
});
afterAll(() => host.close());

interface Begun {
	name: string;
	id: string;
}

async function begin(document: WorkflowDocument): Promise<Begun> {
	const { rest, credentials } = host.session;
	const { name } = document;
	const workflow = await importWorkflow(rest, document, credentials);
	await rest.activate(workflow);
	return { name, id: await startByCall(rest, workflow, 1) };
}

const jobsOf = (name: string) => host.session.sandbox.jobs().filter(({ graph }) => graph['3']?.inputs.filename_prefix === name);

const untilWaitedFor = async (name: string) =>
	await until(`the wait for the job of ${name}`, () => {
		const [job] = jobsOf(name);
		if (job?.status !== 'running') return undefined;
		return host.session.sandbox.requests(`GET /api/v2/jobs/${job.id}/events`).length > 0 || undefined;
	});

/** Its one picture came, and was billed once. */
function expectDelivered({ name }: Begun, execution: Execution): void {
	const { status, data } = execution;
	expect([name, status, data.resultData.error?.message]).toEqual([name, 'success', undefined]);
	expect(itemsOf(execution, FILE).map(({ binary }) => binary?.data?.mimeType)).toEqual(['image/png']);
	const ids = jobsOf(name).map(({ id }) => id);
	expect([name, host.session.sandbox.ledger.runs.filter(({ jobId }) => ids.includes(jobId))]).toEqual([name, [expect.anything()]]);
}

/** Rest in n8n's Wait node until the end of this suite. */
let resting: Begun[];
/** Listens during this suite, also to a job that ends while n8n is stopped. */
let trigger: Published;
let jobDuringStop: string;

const untilListening = async () =>
	await until('the socket', () => (host.session.sandbox.sockets('hosted').length === 1 ? true : undefined));
/** What the trigger has reported of a job. */
const reportedOf = async (jobId: string): Promise<unknown[]> =>
	(await trigger.startItems()).filter(({ job_id }) => job_id === jobId).map(({ milestone, kind }) => milestone ?? kind);
const untilFinished = async (jobId: string) =>
	await until(`the end of ${jobId} in the trigger`, async () => (await reportedOf(jobId)).includes('finished') || undefined);

test('at a shutdown, waiting items go to Still Running if it is connected and otherwise fail with the job’s id; retries are billed once', async () => {
	const { session } = host;
	const { rest, sandbox } = session;
	trigger = await publish(session, triggerWorkflow('listening', BESIDE_A_GATE));
	await untilListening();
	jobDuringStop = await submitJob(sandbox, gated(1));
	await until('two milestones', async () => (await reportedOf(jobDuringStop)).length === 2 || undefined);
	const rested = await begin(stillRunning('rested-before', SHORTEST_STORED_WAIT_SECONDS, 0));
	await rest.waitFor(rested.id, { until: ({ status }) => status === 'waiting' });
	const [alone, inThree] = [await begin(one(comfy, 'alone', true)), await begin(three(comfy, 'three', true))];
	const looped = await begin(stillRunning('looped', SHORTEST_STORED_WAIT_SECONDS, 60));
	const manual = await session.start(chain('manual', comfy('comfyRunWorkflow', ordered('manual', true, '1'))));
	for (const name of ['alone', 'three', 'looped', 'manual']) await untilWaitedFor(name);

	// Before n8n's grace is over.
	expect(await host.stopN8n()).toBeLessThan(30_000);
	expect(sandbox.ledger.cancels).toEqual([]);
	expect([sandbox.job(jobDuringStop)?.status, jobsOf('alone')[0]?.status]).toEqual(['running', 'running']);
	await until('no socket', () => (sandbox.sockets('hosted').length === 0 ? true : undefined));
	sandbox.configure({ gateOpen: true });
	await until('the end of the job', () => sandbox.job(jobDuringStop)?.status === 'succeeded' || undefined);

	await host.startN8n();
	const failed = await Promise.all([alone.id, inThree.id, manual].map(async (id) => await rest.execution(id)));
	expect(
		failed.map(({ status, mode, data: { resultData } }) => [status, mode, resultData.lastNodeExecuted, resultData.error?.message]),
	).toEqual(
		[
			['webhook', 'comfyRunWorkflow', 'alone'],
			['webhook', 'comfyWaitForJob', 'three'],
			['manual', 'comfyRunWorkflow', 'manual'],
		].map(([mode, node, name]) => {
			return ['error', mode, node, `n8n is shutting down, and the node no longer waits for job ${jobsOf(name!)[0]?.id}`];
		}),
	);
	expect((await rest.execution(looped.id)).status).toBe('waiting');
	for (const one of [alone, inThree]) expectDelivered(one, await rest.waitFor(await rest.retry(one.id)));
	resting = [rested, looped];
});

/** Before any other stop of n8n, so that a wait is over while n8n runs. */
test('items in Still Running continue when n8n runs again', async () => {
	for (const one of resting) expectDelivered(one, await host.session.rest.waitFor(one.id, { timeoutMs: 150_000 }));
});

test('the end of a job that finishes while n8n is stopped is reported once after the start, and not after another start', async () => {
	const { sandbox } = host.session;
	await untilFinished(jobDuringStop);
	const story = await reportedOf(jobDuringStop);
	expect(story).toEqual([...new Set(story)]);
	expect(story.at(-1)).toBe('finished');

	await host.stopN8n();
	await host.startN8n();
	await untilListening();
	await untilFinished(await submitJob(sandbox, slowFor(200)));
	expect(await reportedOf(jobDuringStop)).toEqual(story);
});
