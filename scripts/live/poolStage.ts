/** A pool of servers under test, and what its checks share. */
import { randomInt } from 'node:crypto';
import {
	type Job,
	type JobEvent,
	listenAhead,
	openPool,
	type PlacementOptions,
	type PoolConnection,
	type PoolMember,
	type ServerSettings,
} from '../../client';
import type { ApiGraph } from '../../client';
import { assertThat, waitForSuccess } from './stage';

export interface PoolStage {
	servers: readonly ServerSettings[];
	connection: PoolConnection;
	/** A second connection to the same servers. It does not know which server has a job of the first connection. */
	stranger: PoolConnection;
	/** The output folder of this run. */
	folder: string;
	/** Fires when the time is over. */
	signal: AbortSignal;
}

/** How many finished jobs of each server are read. */
const HISTORY_SIZE = 200;
/** A run gives each server at most this number of unfinished jobs. */
const JOBS_PER_SERVER = 2;
/** With so many jobs to come, no server is too slow for one of them. */
const MANY_JOBS = 1_000;

export const newColor = (): number => randomInt(0xffffff);

export const openStage = (stage: Pick<PoolStage, 'servers' | 'folder' | 'signal'>): PoolStage => ({
	...stage,
	connection: openPool({ servers: stage.servers }),
	stranger: openPool({ servers: stage.servers }),
});

export async function closeStage({ connection, stranger }: PoolStage): Promise<void> {
	await Promise.all([connection.close(), stranger.close()]);
}

/** A submitted job, and the prefix of its output files. No other job has the same prefix. */
export interface SentJob {
	job: Job;
	graph: ApiGraph;
	prefix: string;
}

export interface SendOptions {
	whenLost?: PlacementOptions['whenLost'];
	/** How many jobs. Default: as many as the servers take at once, so that each server gets two. */
	jobs?: number;
	jobsToCome?: (nth: number) => number;
}

/** Submits jobs at once, as a run that waits for them. */
export const sendToAll = async (
	stage: PoolStage,
	name: string,
	graphOf: (prefix: string) => ApiGraph,
	options: SendOptions = {},
): Promise<SentJob[]> => await Promise.all(startOnAll(stage, name, graphOf, options));

/** As `sendToAll`, and waits for each job. */
export const runOnAll = async (
	stage: PoolStage,
	name: string,
	graphOf: (prefix: string) => ApiGraph,
	{ onEvent, ...options }: SendOptions & { onEvent?: (jobId: string, event: JobEvent) => void } = {},
): Promise<SentJob[]> => {
	await listenAhead(stage.connection, { signal: stage.signal });
	return await Promise.all(
		startOnAll(stage, name, graphOf, options).map(async (submitted) => {
			const sent = await submitted;
			const { job_id: id } = sent.job;
			return { ...sent, job: await waitForSuccess(stage, id, (event) => onEvent?.(id, event)) };
		}),
	);
};

function startOnAll(
	{ connection, folder, signal }: PoolStage,
	name: string,
	graphOf: (prefix: string) => ApiGraph,
	{ whenLost = 'report', jobs = connection.members.length * JOBS_PER_SERVER, jobsToCome = () => MANY_JOBS }: SendOptions,
): Array<Promise<SentJob>> {
	return Array.from({ length: jobs }, async (_, nth) => {
		const prefix = `${folder}/${name}-${nth}`;
		const graph = graphOf(prefix);
		const placement: PlacementOptions = { isAwaited: true, jobsToCome: jobsToCome(nth), whenLost };
		return { graph, prefix, job: await connection.jobs.submit({ graph }, { signal, placement }) };
	});
}

/** @returns how many of these jobs each server ran. @throws CheckFailure if a server has none. */
export function countByServer({ connection }: PoolStage, jobs: ReadonlyArray<{ job: Job }>): string {
	const counts = connection.members.map(({ address }) => ({
		address,
		count: jobs.filter(({ job }) => job.server === address).length,
	}));
	for (const { address, count } of counts) assertThat(count > 0, `${address} got none of ${jobs.length} jobs`);
	return counts.map(({ address, count }) => `${count} on ${new URL(address).host}`).join(', ');
}

/** Reads the histories of these servers. @throws CheckFailure if a job is not there exactly once. */
export async function assertRunOnce(
	jobs: ReadonlyArray<Pick<SentJob, 'prefix'>>,
	members: readonly PoolMember[],
	signal: AbortSignal,
): Promise<void> {
	const runs = await listRuns(members, signal);
	for (const { prefix } of jobs) {
		const count = runs.filter((one) => one === prefix).length;
		assertThat(count === 1, `the histories and queues of all servers have the job of ${prefix} ${count} times, not once`);
	}
}

/** Returns the prefixes of the output files of all jobs in the queues and histories. */
export async function listRuns(members: readonly PoolMember[], signal: AbortSignal): Promise<string[]> {
	const lists = await Promise.all(
		members.map(async (member) => {
			const { records } = await member.open({ signal });
			const { running, pending } = await records.queue({ signal });
			const recent = await records.recent(HISTORY_SIZE, { signal });
			const queued = [...running, ...pending].filter(({ job_id: id }) => !recent.some(({ job }) => job.job_id === id));
			return [...recent.map(({ graph }) => graph), ...queued.map(({ workflow }) => workflow)].flatMap(prefixesIn);
		}),
	);
	return lists.flat();
}

const prefixesIn = (graph: ApiGraph | null | undefined): string[] =>
	Object.values(graph ?? {}).flatMap(({ inputs: { filename_prefix: prefix } }) => (typeof prefix === 'string' ? [prefix] : []));
