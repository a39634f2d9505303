import fc from 'fast-check';
import { type ApiGraph, isTerminal, type Job, type JobService, type MadeBy } from '../../../../client';
import { findJobs, type JobQuery } from '../../../../client/list/listJobs';
import type { Sandbox } from '../../../../sandbox';
import { until } from '../../../support/until';
import { failingGraph, gatedGraph, newGraph } from '../../support/graphs';

/** Kinds of jobs that an engine can have, in the order in which they can be made. */
export type JobKind = 'succeeded' | 'failed' | 'canceled' | 'running' | 'queued';

const ENDED: readonly JobKind[] = ['succeeded', 'failed', 'canceled'];
const STATUSES = [...ENDED, 'running', 'queued', 'canceling', 'expired'];

export const workflowOf = (id: string, item: number): MadeBy => ({
	workflow_id: id,
	workflow_name: `Workflow ${id}`,
	execution_id: '7',
	node: 'Run',
	item,
});

const graphOf: Record<JobKind, () => ApiGraph> = {
	succeeded: newGraph,
	failed: failingGraph,
	canceled: () => gatedGraph(1, 1),
	running: () => gatedGraph(1, 1),
	queued: () => gatedGraph(1, 1),
};

/**
 * Makes jobs of these kinds on an engine that runs one at a time. Each second one is of the workflow `b`, the others are of `a`.
 * @returns the jobs as they were submitted, the oldest first.
 */
export async function makeJobs(sandbox: Sandbox, jobs: JobService, kinds: readonly JobKind[]): Promise<Job[]> {
	const inOrder = [...kinds].sort((one, other) => Number(ENDED.includes(other)) - Number(ENDED.includes(one)));
	const made: Job[] = [];
	sandbox.configure({ gateOpen: false, engineConcurrency: 1 });
	for (const [index, kind] of inOrder.entries()) {
		const isRunning = (id: string): boolean => sandbox.job(id)?.status === 'running';
		const job = await jobs.submit({ graph: graphOf[kind](), madeBy: workflowOf(index % 2 === 0 ? 'a' : 'b', index) });
		made.push(job);
		if (kind === 'canceled') {
			await until(() => isRunning(job.job_id));
			await jobs.cancel(job.job_id);
		}
		if (ENDED.includes(kind)) await until(() => isTerminal(sandbox.job(job.job_id)?.status ?? ''));
		// The list has no order for two jobs of one millisecond.
		const at = Date.now();
		await until(() => Date.now() > at);
	}
	const [first] = inOrder.slice(made.findIndex((_, index) => !ENDED.includes(inOrder[index]!)));
	if (first !== undefined && !ENDED.includes(first)) await until(() => sandbox.jobs().some(({ status }) => status === 'running'));
	return made;
}

export const anyKinds = fc.array(fc.constantFrom<JobKind>('succeeded', 'failed', 'canceled', 'running', 'queued'), {
	minLength: 2,
	maxLength: 7,
});

/** `from` and `to` are positions among the jobs, the oldest first. */
export const anyQuery = fc.record({
	statuses: fc.subarray(STATUSES),
	pageSize: fc.integer({ min: 1, max: 4 }),
	from: fc.option(fc.nat(6)),
	to: fc.option(fc.nat(6)),
	workflow: fc.option(fc.constantFrom('a', 'b', 'c')),
});

type AnyQuery = (typeof anyQuery extends fc.Arbitrary<infer Query> ? Query : never) & object;

/** Lists the jobs with their records, as the operation Get Many does. */
export async function listBy(jobs: JobService, made: readonly Job[], query: AnyQuery): Promise<Job[]> {
	const listed: Job[] = [];
	for await (const job of findJobs(jobs, toQuery(query, made))) listed.push(job);
	return listed;
}

function toQuery({ statuses, pageSize, from, to, workflow }: AnyQuery, made: readonly Job[]): JobQuery {
	const timeOf = (index: number | null): number | undefined =>
		index === null ? undefined : Date.parse(made[index]?.created_at ?? new Date().toISOString());
	return {
		statuses,
		pageSize,
		madeAfter: timeOf(from),
		madeBefore: timeOf(to),
		...(workflow !== null && { madeInWorkflow: workflow }),
		withMadeBy: true,
	};
}
