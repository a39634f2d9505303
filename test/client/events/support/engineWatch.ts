import { type EventSource, isTerminal, type Job, type JobOutput, openPoolEvents, openServerEvents, type Trouble } from '../../../../client';
import { until } from '../../../support/until';
import { newGraph } from '../../engine/support/engine';
import { usePool } from '../../pool/support/pool';

export interface WatchOptions {
	/** The engines that are watched, by their number. */
	engines: readonly number[];
	jobIds?: string[];
	/** Epoch milliseconds. */
	since?: number;
	/** Jobs that were in flight when n8n stopped. */
	inFlight?: string[];
	/** A dispatcher remembers only the newest ends. */
	forgetsEnds?: boolean;
}

/** Watches of engines, alone or as a pool. They stop after each test. */
export function useEngineWatches() {
	const pool = usePool({ workers: 8 });
	const open: Array<{ source: EventSource; stop: AbortController; watching: Promise<void> }> = [];
	afterEach(async () => {
		for (const { source, stop, watching } of open.splice(0)) {
			stop.abort();
			await Promise.all([watching, source.close()]);
		}
	});
	const settingsOf = (nth: number) => ({ baseUrl: pool.address(nth), engineUrl: '', wanted: 'engine' }) as const;

	return {
		pool,
		/** Runs jobs on one engine as another program does, until all of them have ended. */
		finish: async (nth: number, count: number): Promise<string[]> => {
			const engine = pool.engine(nth);
			engine.configure({ engineConcurrency: 8 });
			const { jobs } = pool.open({ servers: [settingsOf(nth)] });
			const submitted = await Promise.all(Array.from({ length: count }, async () => await jobs.submit({ graph: newGraph() })));
			const jobIds = submitted.map(({ job_id: jobId }) => jobId);
			await until(() => jobIds.every((jobId) => engine.job(jobId)?.status === 'succeeded'));
			return jobIds.sort();
		},
		watch: ({ engines, jobIds = [], since = Date.now(), inFlight = [], forgetsEnds = false }: WatchOptions) => {
			const servers = engines.map(settingsOf);
			const [first] = servers;
			if (first === undefined) throw new Error('At least one engine is watched');
			const source = servers.length > 1 ? openPoolEvents({ servers }, jobIds) : openServerEvents(first, jobIds);
			const seen = { outputs: [] as JobOutput[], ends: [] as Job[], troubles: [] as Trouble[], connects: [] as Array<string | undefined> };
			const followed = new Set(inFlight);
			const stop = new AbortController();
			const watching = source.watch(
				{
					since,
					onEvent: (event, jobId) => {
						if (jobId !== null && event.kind === 'status') followed.add(jobId);
						if (event.kind === 'output') seen.outputs.push(event.output);
					},
					onJob: (job) => {
						if (!isTerminal(job.status)) return;
						seen.ends.push(job);
						followed.delete(job.job_id);
					},
					onConnect: (server) => seen.connects.push(server),
					onTrouble: (trouble) => seen.troubles.push(trouble),
					inFlight: () => [...followed],
					hasEnded: (jobId) => !forgetsEnds && seen.ends.some(({ job_id }) => job_id === jobId),
				},
				stop.signal,
			);
			open.push({ source, stop, watching });
			return { ...seen, endedIds: () => seen.ends.map(({ job_id: jobId }) => jobId).sort(), followed: () => [...followed] };
		},
	};
}
