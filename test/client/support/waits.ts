import { until } from '../../support/until';
import { clock, type Connection, type Job, type JobEvent, type WaitOptions, type WaitResult } from '../../../client';
import type { ServiceSurface } from '../../../sandbox';
import { SharedWait } from '../../../client/wait/sharedWait';
import { SHARED_TIMES, type SharedTimes } from '../../../client/wait/times';
import { waitTogether } from '../../../client/wait/waitForJob';
import { slowGraph } from './graphs';
import { useSandbox, type SandboxHarness } from './sandbox';

export const READ = 'GET /api/v2/jobs/:id';
export const EVENTS = 'GET /api/v2/jobs/:id/events';
export const CANCEL = 'POST /api/v2/jobs/:id/cancel';

export interface Waited extends WaitResult {
	events: JobEvent[];
	/** On the client’s clock. */
	tookMs: number;
}

export interface WaitHarness {
	harness: SandboxHarness;
	/** A job just submitted; the submission itself is forgotten. */
	started(surface?: ServiceSurface, graph?: ReturnType<typeof slowGraph>): Promise<{ connection: Connection; job: Job }>;
	/** How many requests of a route came. */
	count(on: string): number;
	/** Until the service itself has ended the job. */
	finished(job: Job): Promise<void>;
}

export function useWaits(): WaitHarness {
	const harness = useSandbox({ progressIntervalMs: 50 });
	return {
		harness,
		started: async (surface = 'hosted', graph = slowGraph(5, 50)) => {
			const connection = harness.connect(surface);
			const job = await connection.jobs.submit({ graph });
			harness.sandbox.resetRecords();
			return { connection, job };
		},
		count: (on) => harness.sandbox.requests(on).length,
		finished: async ({ job_id }) => {
			await until(() => ['succeeded', 'failed', 'canceled', 'expired'].includes(harness.sandbox.job(job_id)?.status ?? ''));
		},
	};
}

/** A wait that shares nothing with any other. */
export const wait = async (
	connection: Connection,
	job: Job,
	options: Partial<WaitOptions> = {},
	times: Partial<SharedTimes> = {},
): Promise<Waited> => await waitAmong(new SharedWait({ ...SHARED_TIMES, ...times }), connection, job, options);

export async function waitAmong(
	shared: SharedWait,
	{ jobs }: Connection,
	{ job_id }: Job,
	options: Partial<WaitOptions> = {},
): Promise<Waited> {
	const events: JobEvent[] = [];
	const startedAt = clock.now();
	const result = await waitTogether(shared, jobs, job_id, {
		mode: 'live',
		maxWaitMs: 120_000,
		onEvent: (event) => events.push(event),
		...options,
	});
	return { ...result, events, tookMs: clock.now() - startedAt };
}
