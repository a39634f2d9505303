/** ComfyUI is switched off, restarted or killed, is busy, and loses its queue: each time the client reports it with the right cause. */
import { randomInt, randomUUID } from 'node:crypto';
import {
	ApiError,
	cancelAndConfirm,
	connect,
	type Connection,
	findServer,
	FORGOTTEN_BY_ENGINE,
	type Job,
	type JobService,
	outcomeOf,
	ServerContact,
	UnknownOutcomeError,
	UnreadableJobError,
	waitForJob,
} from '../../../client';
import { clock } from '../../../client/clock';
import { delay } from '../../../client/transport/delay';
import type { ComfyProcess } from '../comfyProcess';
import { colorGraph, slowGraph } from '../pictures';
import { assertThat, CheckSkipped, type Report, type Stage, describeError, waitForSuccess } from '../stage';
import { pngSource } from '../../../test/client/support/pictures';

/** Of a job that no computer ends within a minute, so that it is interrupted for certain. */
const STEPS = 400;
const LOOK_EVERY_MS = 100;
/** What the API proxy answers while ComfyUI is off: reads and submissions, uploads. */
const OFF_BEHIND_PROXY = ['upstream_unreachable', 'upstream_error'];
/** A last attempt may begin just before the time is over. */
const LAST_ATTEMPT_MS = 5_000;
/** Within which a ComfyUI that ended during a job must be reported. */
const LOST_AFTER_MS = 10_000;
/** A ComfyUI that accepts connections may be busy for longer than this, which is the limit for one that does not. */
const UNREACHABLE_AFTER_MS = 3_000;
const BUSY_MS = 3 * UNREACHABLE_AFTER_MS;
const BUSY_LIMIT_MS = 60_000;

export interface Outages {
	comfy: ComfyProcess | undefined;
	waitForServerMs: number;
}

export async function checkOutages(stage: Stage, { comfy, waitForServerMs }: Outages, report: Report): Promise<void> {
	const controlled = (): ComfyProcess => {
		if (comfy === undefined) throw new CheckSkipped('not shown: --start is missing, so ComfyUI is left as it is');
		return comfy;
	};

	await report.check('Switched off', async () => {
		const process = controlled();
		await process.stop();
		const connection = connect({ ...stage.settings, readBudgetMs: waitForServerMs });
		const outcomes = await Promise.all(firstRequests(connection, stage, waitForServerMs).map(timeFailure));
		await connection.close();
		await process.start();
		const reports = outcomes.map((outcome) => toReport(outcome, stage));
		await assertNoJobs(stage);
		for (const { name, ms } of reports) {
			assertThat(
				ms <= waitForServerMs + LAST_ATTEMPT_MS,
				`${name} reported it after ${seconds(ms)}, not after ${seconds(waitForServerMs)}`,
			);
		}
		return { said: `${reports.map(({ name, ms }) => `${name} ${seconds(ms)}`).join(', ')}: ${reports[0]?.message}` };
	});

	await report.check('Restarted during a job', async () => {
		const process = controlled();
		const { connection, signal } = stage;
		const { job_id: id } = await submitEndlessJob(connection, stage);
		await untilRunning(connection.jobs, id, signal);
		const waited = waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
		waited.catch(() => undefined);
		await process.restart();
		const restartedAt = Date.now();
		assertLost((await waited).job);
		const ms = Date.now() - restartedAt;
		await assertNoJobs(stage);
		return { said: `reported as lost ${seconds(ms)} after ComfyUI was back, and nothing was submitted again` };
	});

	await report.check('Killed during a job', async () => await checkKilled(stage, controlled(), waitForServerMs));

	// The API proxy answers while ComfyUI is busy.
	if (stage.settings.interface === 'engine') await report.check('Busy before a job', async () => await checkBusy(stage, controlled()));

	await report.check('Queue cleared', async () => {
		controlled();
		const { connection, signal } = stage;
		const { job_id: running } = await submitEndlessJob(connection, stage);
		const { job_id: id } = await connection.jobs.submit({ graph: colorGraph(randomInt(0xffffff), `${stage.folder}/cleared`) }, { signal });
		const waited = waitForJob(connection.jobs, id, { mode: 'live', maxWaitMs: Infinity, signal });
		waited.catch(() => undefined);
		await untilRunning(connection.jobs, running, signal);
		await clearQueue(stage);
		const clearedAt = Date.now();
		const { job } = await waited;
		const ms = Date.now() - clearedAt;
		await cancelAndConfirm(connection.jobs, running, { signal, withinMs: 60_000 });
		assertLost(job);
		return { said: `reported as lost after ${seconds(ms)}` };
	});
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** ComfyUI ends during two jobs, one of which is queued, and stays away until both waits have failed. */
async function checkKilled(stage: Stage, process: ComfyProcess, waitForServerMs: number): Promise<{ said: string }> {
	const { settings, signal } = stage;
	const contact = new ServerContact(waitForServerMs, { lostAfterMs: LOST_AFTER_MS });
	const connection = connect({ ...settings, contact, readBudgetMs: LAST_ATTEMPT_MS / 2 });
	const jobs = [await submitEndlessJob(connection, stage), await submitEndlessJob(connection, stage)] as const;
	await untilRunning(connection.jobs, jobs[0].job_id, signal);
	const waits = jobs.map(async (submitted) => {
		const options = { mode: 'live', maxWaitMs: 3 * LOST_AFTER_MS, signal, submitted } as const;
		return await timeFailure({ name: 'wait', promise: waitForJob(connection.jobs, submitted.job_id, options) });
	});
	await process.crash();
	const killedAt = clock.now();
	const failures = await Promise.all(waits);
	const ms = clock.now() - killedAt;
	await connection.close();
	await process.start();
	const [report] = failures.map((failure) => toReport(failure, stage));
	for (const [index, { job_id: id }] of jobs.entries()) {
		assertUnreadable(failures[index]?.error, { id, origin: new URL(settings.baseUrl).origin, ms });
	}
	await assertNoJobs(stage);
	return { said: `both jobs were reported after ${seconds(ms)}, with the address and the time: ${report?.message}` };
}

/** The first requests find a ComfyUI that accepts connections and gives no answer. */
async function checkBusy({ settings, stranger, signal, folder }: Stage, process: ComfyProcess): Promise<{ said: string }> {
	const contact = new ServerContact(UNREACHABLE_AFTER_MS, { lostAfterMs: BUSY_LIMIT_MS, mayBeBusy: true });
	const access = { ...settings, contact, limits: { requestMs: UNREACHABLE_AFTER_MS } };
	const connection = connect(access);
	process.suspend();
	const requests = Promise.all([
		connection.jobs.submit({ graph: colorGraph(randomInt(0xffffff), `${folder}/busy`) }, { signal }),
		findServer({ ...access, engineUrl: '', wanted: 'any' }, { signal }),
	]);
	const outcome = outcomeOf(requests);
	await Promise.race([outcome, delay(BUSY_MS, signal)]).finally(() => process.resume());
	const resumedAt = clock.now();
	const sent = await outcome;
	if (!sent.ok) throw sent.error;
	const [{ job_id: id }, found] = sent.value;
	await waitForSuccess({ connection, signal }, id);
	const ms = clock.now() - resumedAt;
	await Promise.all([connection.close(), found.connection.close()]);
	const { jobs } = await stranger.jobs.list({ signal });
	const count = jobs.filter(({ status }) => status !== 'expired').length;
	assertThat(count === 1, `ComfyUI has ${count} jobs, not 1`);
	return { said: `not reported while ComfyUI gave no answer for ${seconds(BUSY_MS)}; its one job ran within ${seconds(ms)} after that` };
}

async function submitEndlessJob({ jobs }: Connection, { folder, signal }: Stage): Promise<Job> {
	return await jobs.submit({ graph: slowGraph(randomInt(0xffffff), STEPS, `${folder}/endless`) }, { signal });
}

async function untilRunning(jobs: JobService, id: string, signal: AbortSignal): Promise<void> {
	while ((await jobs.get(id, { signal })).status === 'queued') await delay(LOOK_EVERY_MS, signal);
}

interface Request {
	name: string;
	promise: Promise<unknown>;
}

/** The first requests of a node: it finds the server, uploads a file, submits a workflow. */
function firstRequests({ jobs, assets }: Connection, { settings, signal, folder, inputFolder }: Stage, patienceMs: number): Request[] {
	const submission = { graph: colorGraph(0, `${folder}/off`) };
	return [
		{ name: 'search', promise: findServer({ ...settings, engineUrl: '', wanted: 'any' }, { signal, patienceMs }) },
		{ name: 'upload', promise: assets.upload(pngSource(Buffer.from('off')), { filePath: `${inputFolder}/off.png`, signal }) },
		{ name: 'submission', promise: jobs.submit(submission, { idempotencyKey: `live-${randomUUID()}`, signal, retryBudgetMs: patienceMs }) },
	];
}

async function timeFailure({ name, promise }: Request) {
	const begunAt = clock.now();
	const outcome = await outcomeOf(promise);
	return { name, ms: clock.now() - begunAt, error: outcome.ok ? undefined : outcome.error };
}

type Failure = Awaited<ReturnType<typeof timeFailure>>;

/** @throws Unmet for a request that succeeded, and for an error that does not name the address. */
function toReport({ name, ms, error: reported }: Failure, { settings, signal }: Stage) {
	signal.throwIfAborted();
	assertThat(reported !== undefined, `the ${name} succeeded although ComfyUI was off`);
	// The API proxy may have handed a submission on: its outcome is unconfirmed, for this cause.
	const error = reported instanceof UnknownOutcomeError || reported instanceof UnreadableJobError ? reported.cause : reported;
	const { host } = new URL(settings.baseUrl);
	// The API proxy answers at its own address. Its answer names ComfyUI, but no address.
	const isFromProxy = settings.interface === 'v2' && error instanceof ApiError && OFF_BEHIND_PROXY.includes(error.code);
	const message = isFromProxy ? `${host} answers: ${error.message}` : describeError(error);
	assertThat(message.includes(host), `the ${name} does not name ${host}: ${message}`);
	return { name, ms, message };
}

/** @param expected.ms how long ago ComfyUI was killed, by `clock`. */
function assertUnreadable(error: unknown, { id, origin, ms }: { id: string; origin: string; ms: number }): void {
	assertThat(error instanceof UnreadableJobError, `it is not reported as a job that could not be read: ${String(error)}`);
	const { jobId, address, forMs } = error;
	assertThat(jobId === id && address === origin, `it names job ${jobId} at ${address}, not job ${id} at ${origin}`);
	assertThat(ms <= LOST_AFTER_MS + LAST_ATTEMPT_MS, `it was reported after ${seconds(ms)}, not after ${seconds(LOST_AFTER_MS)}`);
	assertThat(Math.abs(forMs - ms) <= LAST_ATTEMPT_MS, `it names an outage of ${seconds(forMs)}, not of ${seconds(ms)}`);
}

async function assertNoJobs({ stranger, signal }: Stage): Promise<void> {
	const { jobs } = await stranger.jobs.list({ signal });
	const left = jobs.filter(({ status }) => status !== 'expired');
	assertThat(
		left.length === 0,
		`a job was submitted without a request for it: ${JSON.stringify(left.map(({ job_id, status }) => [job_id, status]))}`,
	);
}

/** Through the API proxy, the sign is that the job is not past its own `expires_at`. */
function assertLost({ status, job_error, expires_at }: Job): void {
	assertThat(status === 'expired', `the job reads ${status}, not expired`);
	const isLost = job_error?.code === FORGOTTEN_BY_ENGINE || Date.parse(expires_at ?? '') > Date.now();
	assertThat(isLost, `nothing shows that ComfyUI lost the job: ${JSON.stringify({ job_error, expires_at })}`);
}

/** As a person does with the button in ComfyUI. The package itself never does it. */
async function clearQueue({ url, headers, signal }: Stage): Promise<void> {
	const { ok, status } = await fetch(`${url.replace(/\/+$/, '')}/api/queue`, {
		method: 'POST',
		body: JSON.stringify({ clear: true }),
		signal,
		headers: { 'content-type': 'application/json', ...headers },
	});
	assertThat(ok, `ComfyUI answered HTTP ${status} to the request to clear its queue`);
}
