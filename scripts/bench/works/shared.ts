/** The parts of the work that do not depend on the contestant. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { percentile, type Work } from '../work';
import { type JobCounts, type JobSettings, sharedNow, startJobService } from '../services';

export interface FileOptions {
	origin: string;
	/** The file to send. */
	path: string;
	/** Whether an upload asks first if the service has the file, and a download is compared with its hash. */
	hashes: boolean;
	/** A folder for downloads, which may be emptied. */
	folder: string;
}

/** How many jobs, and how long each of them runs. */
interface JobOptions {
	count: number;
	jobMs: number;
}

type WaitForEnd = (jobId: string) => Promise<number | void>;

/** How long after a job's end the next step begins, one job after another. @param waitAt waits, and returns when the next step began. */
export async function endsOf({ count, jobMs }: JobOptions, waitAt: (origin: string) => WaitForEnd | Promise<WaitForEnd>): Promise<Work> {
	const service = await startJobService({ maxStreams: null, lists: 'nothing', jobMs });
	const wait = await waitAt(service.origin);
	const one = async (): Promise<[id: string, at: number]> => {
		const id = randomUUID();
		await service.begin(id);
		return [id, (await wait(id)) ?? sharedNow()];
	};
	// The first loads code, which is not measured.
	await one();
	return {
		once: async () => {
			const ends: Array<[id: string, at: number]> = [];
			while (ends.length < count) ends.push(await one());
			const { endedAt } = await service.report();
			const late = ends.map(([id, at]) => at - (endedAt[id] ?? NaN));
			return { ms: percentile(late, 0.5), p99: percentile(late, 0.99) };
		},
	};
}

export type WaitsOptions = JobOptions & Pick<JobSettings, 'maxStreams' | 'lists'>;

/** Jobs begin one after another within this part of the time that one runs. */
const BEGIN_WITHIN = 1 / 12;

/** Waits for all jobs at the same time. */
export async function waitsOf(
	{ count, jobMs, maxStreams, lists }: WaitsOptions,
	waitAt: (origin: string) => Promise<WaitForEnd>,
): Promise<Work> {
	const service = await startJobService({ maxStreams, lists, jobMs });
	const wait = await waitAt(service.origin);
	return {
		once: async () => {
			const reportedAt: Array<[id: string, at: number]> = await Promise.all(
				Array.from({ length: count }, async (_, index) => {
					const id = randomUUID();
					await delay((index / count) * jobMs * BEGIN_WITHIN);
					await service.begin(id);
					await wait(id);
					return [id, sharedNow()] as [string, number];
				}),
			);
			const { counted, endedAt } = await service.report();
			const late = reportedAt.map(([id, at]) => at - (endedAt[id] ?? NaN));
			return {
				requests: counted.reads + counted.lists + counted.streams + counted.rejectedStreams,
				streamsAtOnce: counted.mostStreams,
				p50: percentile(late, 0.5),
				p99: percentile(late, 0.99),
			};
		},
	};
}

/** `maxJobs`: that the service takes at the same time; null for any number. */
export type BatchOptions = JobOptions & { concurrency: number; maxJobs: number | null };
type Batch = (items: number) => Promise<void>;

/** Submits many jobs, waits for them and saves their files. */
export async function batchOf(
	{ count, jobMs, concurrency, maxJobs }: BatchOptions,
	batchAt: (origin: string) => Batch | Promise<Batch>,
): Promise<Work> {
	const service = await startJobService({ maxStreams: null, lists: 'nothing', jobMs, maxJobs });
	const batch = await batchAt(service.origin);
	const sum = (counts: JobCounts): number => Object.values(counts).reduce((all, one) => all + one, 0) - counts.mostStreams;
	const idealMs = Math.ceil(count / Math.min(concurrency, maxJobs ?? Infinity)) * jobMs;
	// The first item loads code, which is not measured.
	await batch(1);
	return {
		once: async () => {
			const { counted: before } = await service.report();
			const startedAt = performance.now();
			await batch(count);
			const { counted: after } = await service.report();
			return {
				requestsPerJob: (sum(after) - sum(before)) / count,
				rejected: after.rejectedSubmits - before.rejectedSubmits,
				overIdeal: (performance.now() - startedAt) / idealMs,
			};
		},
	};
}
