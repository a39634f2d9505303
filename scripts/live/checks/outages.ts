/** ComfyUI is off, ends during a job, or loses its queue: each is reported with the right cause, and nothing is submitted again. */
import { randomInt, randomUUID } from 'node:crypto';
import {
	ApiError,
	cancelAndConfirm,
	connect,
	type Connection,
	findServer,
	FORGOTTEN_BY_ENGINE,
	type Job,
	outcomeOf,
	ServerContact,
	UnknownOutcomeError,
	UnreadableJobError,
	waitForJob,
} from '../../../client';
import { clock } from '../../../client/async/clock';
import { delay } from '../../../client/async/delay';
import { pngSource } from '../../../test/client/support/pictures';
import type { ComfyProcess } from '../comfyProcess';
import { colorGraph, slowGraph } from '../pictures';
import { assertThat, type Check, CheckSkipped, describeError, requestComfy, type Stage } from '../stage';

/** Of a job that no computer ends within a minute, so that it is interrupted for certain. */
const STEPS = 400;
const LOOK_EVERY_MS = 100;
const NOT_FOUND = 404;
/** What the API proxy answers while ComfyUI is off: reads and submissions, uploads. */
const OFF_BEHIND_PROXY = ['upstream_unreachable', 'upstream_error'];
/** A last attempt may begin just before the time is over. */
const LAST_ATTEMPT_MS = 5_000;
/** Within which a ComfyUI that ended during a job must be reported. */
const LOST_AFTER_MS = 10_000;

export const OUTAGE_CHECKS: Check[] = [
	{ name: 'Switched off', check: async (stage) => await checkOff(stage, controlled(stage)) },
	{ name: 'Killed during a job', check: async (stage) => await checkKilled(stage, controlled(stage)) },
	{
		name: 'Queue cleared',
		check: async (stage) => {
			controlled(stage);
			const { connection, signal } = stage;
			const { job_id: running } = await submitEndlessJob(stage);
			const { job_id: id } = await connection.jobs.submit(
				{ graph: colorGraph(randomInt(0xffffff), `${stage.folder}/cleared`) },
				{ signal },
			);
			const waited = waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
			waited.catch(() => undefined);
			await untilRunning(stage, running);
			// As a person does with the button in ComfyUI. The package itself never does it.
			await requestComfy(stage, '/api/queue', { method: 'POST', body: JSON.stringify({ clear: true }) });
			const { job } = await waited;
			await cancelAndConfirm(connection.jobs, running, { signal, withinMs: 60_000 });
			assertLost(job);
			return 'the waiting job was reported as lost';
		},
	},
];

function controlled({ comfy }: Stage): ComfyProcess {
	if (comfy === undefined) throw new CheckSkipped('not shown: --start is missing, so ComfyUI is left as it is');
	return comfy;
}

/** The first requests of a node: it finds the server, uploads a file, submits a workflow. */
async function checkOff(stage: Stage, comfy: ComfyProcess): Promise<string> {
	const { settings, signal, folder, inputFolder, waitForServerMs: patienceMs } = stage;
	await comfy.stop();
	const connection = connect({ ...settings, readBudgetMs: patienceMs });
	const { jobs, assets } = connection;
	const graph = colorGraph(0, `${folder}/off`);
	const reports = await Promise.all([
		timeFailure('search', stage, findServer({ ...settings, engineUrl: '', wanted: 'any' }, { signal, patienceMs })),
		timeFailure('upload', stage, assets.upload(pngSource(Buffer.from('off')), { filePath: `${inputFolder}/off.png`, signal })),
		timeFailure('submission', stage, jobs.submit({ graph }, { idempotencyKey: `live-${randomUUID()}`, signal, retryBudgetMs: patienceMs })),
	]);
	await connection.close();
	await comfy.start();
	await assertNoJobs(stage);
	for (const { name, ms } of reports)
		assertThat(ms <= patienceMs + LAST_ATTEMPT_MS, `${name} reported it after ${seconds(ms)}, not after ${seconds(patienceMs)}`);
	return `${reports.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(', ')}: ${reports[0]?.message}`;
}

/** ComfyUI ends during two jobs, one of which is queued. It stays away until both waits have failed, and has lost them when it is back. */
async function checkKilled(stage: Stage, comfy: ComfyProcess): Promise<string> {
	const { settings, signal } = stage;
	const contact = new ServerContact(stage.waitForServerMs, { lostAfterMs: LOST_AFTER_MS });
	const connection = connect({ ...settings, contact, readBudgetMs: LAST_ATTEMPT_MS / 2 });
	const jobs = [await submitEndlessJob({ ...stage, connection }), await submitEndlessJob({ ...stage, connection })] as const;
	await untilRunning(stage, jobs[0].job_id);
	const waits = jobs.map(async (submitted) => {
		const options = { mode: 'live', maxWaitMs: 3 * LOST_AFTER_MS, signal, submitted } as const;
		return await timeFailure('wait', stage, waitForJob(connection.jobs, submitted.job_id, options));
	});
	await comfy.crash();
	const failures = await Promise.all(waits);
	await connection.close();
	await comfy.start();
	const { origin } = new URL(settings.baseUrl);
	for (const [index, { job_id: id }] of jobs.entries()) {
		const { error, ms = NaN } = failures[index] ?? {};
		assertThat(error instanceof UnreadableJobError, `it is not reported as a job that could not be read: ${String(error)}`);
		assertThat(error.jobId === id && error.address === origin, `it names job ${error.jobId} at ${error.address}, not ${id} at ${origin}`);
		assertThat(ms <= LOST_AFTER_MS + 2 * LAST_ATTEMPT_MS, `it was reported after ${seconds(ms)}, not after ${seconds(LOST_AFTER_MS)}`);
		const read = await outcomeOf(stage.connection.jobs.get(id, { signal }));
		if (read.ok) assertLost(read.value);
		else assertThat(read.error instanceof ApiError && read.error.status === NOT_FOUND, `job ${id} is not gone: ${String(read.error)}`);
	}
	await assertNoJobs(stage);
	return `both jobs were reported after ${seconds(failures[0]?.ms ?? NaN)}: ${failures[0]?.message}; then they were lost`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function submitEndlessJob({
	connection,
	folder,
	signal,
}: Pick<Stage, 'folder' | 'signal'> & { connection: Connection }): Promise<Job> {
	return await connection.jobs.submit({ graph: slowGraph(randomInt(0xffffff), STEPS, `${folder}/endless`) }, { signal });
}

async function untilRunning({ stranger, signal }: Stage, id: string): Promise<void> {
	while ((await stranger.jobs.get(id, { signal })).status === 'queued') await delay(LOOK_EVERY_MS, signal);
}

/** @throws CheckFailure for a request that succeeded, and for an error that does not name the address. */
async function timeFailure(name: string, { settings, signal }: Stage, promise: Promise<unknown>) {
	const begunAt = clock.now();
	const outcome = await outcomeOf(promise);
	const ms = clock.now() - begunAt;
	signal.throwIfAborted();
	assertThat(!outcome.ok, `the ${name} succeeded although ComfyUI was off`);
	const { error } = outcome;
	// The API proxy may have handed a submission on: its outcome is unconfirmed, for this cause.
	const cause = error instanceof UnknownOutcomeError || error instanceof UnreadableJobError ? error.cause : error;
	const { host } = new URL(settings.baseUrl);
	// The API proxy answers at its own address. Its answer names ComfyUI, but no address.
	const isFromProxy = settings.interface === 'v2' && cause instanceof ApiError && OFF_BEHIND_PROXY.includes(cause.code);
	const message = isFromProxy ? `${host} answers: ${cause.message}` : describeError(cause);
	assertThat(message.includes(host), `the ${name} does not name ${host}: ${message}`);
	return { name, ms, error, message };
}

async function assertNoJobs({ stranger, signal }: Stage): Promise<void> {
	const { jobs } = await stranger.jobs.list({ signal });
	const left = jobs.filter(({ status }) => status !== 'expired').map(({ job_id, status }) => [job_id, status]);
	assertThat(left.length === 0, `a job was submitted without a request for it: ${JSON.stringify(left)}`);
}

/** Through the API proxy, the sign is that the job is not past its own `expires_at`. */
function assertLost({ status, job_error, expires_at }: Job): void {
	assertThat(status === 'expired', `the job reads ${status}, not expired`);
	const isLost = job_error?.code === FORGOTTEN_BY_ENGINE || Date.parse(expires_at ?? '') > Date.now();
	assertThat(isLost, `nothing shows that ComfyUI lost the job: ${JSON.stringify({ job_error, expires_at })}`);
}
