/** A server of a pool ends during its jobs: they are reported, or they run on another server. */
import { isTerminal, type Job, outcomeOf, StoppedError, waitForJob } from '../../../client';
import type { ComfyProcess } from '../comfyProcess';
import { slowGraph } from '../pictures';
import {
	assertRunOnce,
	closeStage,
	countByServer,
	listRuns,
	newColor,
	openStage,
	type PoolStage,
	sendToAll,
	type SentJob,
} from '../poolStage';
import { assertThat, CheckSkipped, describeError, type Report, waitForSuccess } from '../stage';

/** Of a job that runs long enough to be interrupted. */
const STEPS = 16;

/** A server that `--start` started. */
export interface StartedServer {
	process: ComfyProcess;
	/** Which one of the servers of the pool. */
	index: number;
}

export async function checkPoolOutages(stage: PoolStage, server: StartedServer | undefined, report: Report): Promise<void> {
	const killed = (): StartedServer => {
		if (server === undefined) throw new CheckSkipped('not shown: --start is missing, so all servers are left as they are');
		return server;
	};

	await report.check('Server killed', async () => {
		const { process, index } = killed();
		return await withNewPool(stage, 'killed', async (pool) => await checkReported(pool, process, index));
	});

	await report.check('Run elsewhere', async () => {
		const { process, index } = killed();
		return await withNewPool(stage, 'elsewhere', async (pool) => await checkRunElsewhere(pool, process, index));
	});
}

/** Opens a connection without records of earlier jobs, as a new execution does. */
async function withNewPool<T>({ servers, folder, signal }: PoolStage, name: string, work: (stage: PoolStage) => Promise<T>): Promise<T> {
	const stage = openStage({ servers, folder: `${folder}/${name}`, signal });
	try {
		return await work(stage);
	} finally {
		await closeStage(stage);
	}
}

const slowJobs = async (stage: PoolStage, whenLost: 'report' | 'runElsewhere'): Promise<SentJob[]> => {
	const jobs = await sendToAll(stage, 'job', (prefix) => slowGraph(newColor(), STEPS, prefix), { whenLost });
	countByServer(stage, jobs);
	return jobs;
};

/** @returns the jobs of the server that was killed, and the others. */
function split({ connection }: PoolStage, jobs: readonly SentJob[], index: number) {
	const address = connection.members[index]?.address;
	return { lost: jobs.filter(({ job }) => job.server === address), others: jobs.filter(({ job }) => job.server !== address), address };
}

async function checkReported(stage: PoolStage, process: ComfyProcess, index: number): Promise<{ said: string }> {
	const { connection, stranger, signal } = stage;
	const jobs = await slowJobs(stage, 'report');
	const { lost, others, address = '' } = split(stage, jobs, index);
	await process.crash();
	const reads = await Promise.all(lost.map(async ({ job }) => await outcomeOf(connection.jobs.get(job.job_id, { signal }))));
	const finished = await Promise.all(others.map(async ({ job }) => await waitForSuccess(stage, job.job_id)));
	const { unanswered = [] } = await stranger.jobs.list({ signal });
	await process.start();
	// The id of each job is derived, so a connection without records of the job also knows that there was one.
	// Both connections remember for some seconds that the server does not respond, so both wait.
	const waited = await Promise.all(
		[connection, stranger].flatMap(({ jobs: reader }) =>
			lost.map(async ({ job }) => (await waitForJob(reader, job.job_id, { mode: 'live', maxWaitMs: Infinity, signal })).job),
		),
	);
	signal.throwIfAborted();
	assertThat(unanswered.includes(address), `the list does not name ${address} as a server that does not respond`);
	for (const read of reads) {
		assertThat(!read.ok && !(read.error instanceof StoppedError), 'a job of the server that was killed was read');
		const message = describeError(read.error);
		assertThat(message.includes(new URL(address).host), `the error does not name ${address}: ${message}`);
	}
	const wrong = waited.find(({ status }) => status !== 'expired');
	assertThat(wrong === undefined, `a job of the server that was killed reads ${wrong?.status}, not expired`);
	await assertRunOnce(others, connection.members, signal);
	const runs = await listRuns(connection.members, signal);
	assertThat(!lost.some(({ prefix }) => runs.includes(prefix)), 'a job of the server that was killed was submitted again');
	return { said: `${lost.length} jobs were reported as lost, the other ${finished.length} succeeded, and nothing was submitted again` };
}

async function checkRunElsewhere(stage: PoolStage, process: ComfyProcess, index: number): Promise<{ said: string }> {
	const { connection, signal } = stage;
	const jobs = await slowJobs(stage, 'runElsewhere');
	const { lost, address } = split(stage, jobs, index);
	await process.crash();
	const killedAt = Date.now();
	const waited = await outcomeOf(Promise.all(jobs.map(async ({ job }): Promise<Job> => await waitForSuccess(stage, job.job_id))));
	const seconds = (Date.now() - killedAt) / 1000;
	const survivors = connection.members.filter((_, nth) => nth !== index);
	const counted = await outcomeOf(assertRunOnce(jobs, survivors, signal));
	await process.start();
	if (!waited.ok) throw waited.error;
	if (!counted.ok) throw counted.error;
	assertThat(
		waited.value.every(({ status, server }) => isTerminal(status) && server !== address),
		`a job is reported on ${address}, which was killed`,
	);
	return { said: `${lost.length} jobs of ${address} ran elsewhere; all ${jobs.length} were delivered after ${seconds.toFixed(1)} s` };
}
