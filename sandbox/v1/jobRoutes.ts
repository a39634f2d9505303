/** Reading jobs: list, single job and status. */
import type { FastifyInstance } from 'fastify';
import type { AccountName } from '../vocabulary';
import type { Job } from '../service/job';
import type { Service } from '../service/service';
import { toIsoTime } from '../json';
import { Refusal } from '../service/traits';
import { invalid, type Query, readCount, readIdSelection, unknown } from './refusals';
import { presentSummary, presentV1Job, statusWord } from './jobs';

export function jobsRoutes(app: FastifyInstance, service: Service): void {
	const jobsOf = (account: AccountName): Job[] =>
		[...service.jobs.values()].filter((job) => job.account === account && job.expiresAt > Date.now());

	app.get<{ Querystring: Query }>('/jobs', ({ account, query }) => {
		if (!service.behaviour.v1JobsRead) throw unknown('route');
		return listJobs(jobsOf(account), query);
	});

	app.get<{ Params: { id: string } }>('/jobs/:id', ({ account, params }) => {
		if (!service.behaviour.v1JobsRead) throw unknown('route');
		const job = jobsOf(account).find(({ id }) => id === params.id);
		if (job === undefined) throw unknown('job');
		return presentV1Job(job);
	});

	// Only the owner deletes finished jobs, in the editor. The sandbox keeps them.
	app.post('/history', ({ body }, reply) => {
		const { ids, clear } = readIdSelection(body);
		if (ids.length === 0 && !clear) throw invalid('delete or clear is required');
		return reply.code(200).send();
	});
}

const ANY_COUNT = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };
const PAGE_SIZE = { least: 1, most: 1000, otherwise: 100 };

/** Newest first. @throws Refusal. */
function listJobs(jobs: Job[], query: Query): Record<string, unknown> {
	const [offset, limit] = [readCount(query, 'offset', ANY_COUNT), readCount(query, 'limit', PAGE_SIZE)];
	const newest = jobs.toReversed().sort((left, right) => right.createdAt - left.createdAt);
	const page = newest.slice(offset, offset + limit);
	return {
		jobs: page.map(presentSummary),
		pagination: { offset, limit, total: jobs.length, has_more: offset + page.length < jobs.length },
	};
}

export function statusRoute(app: FastifyInstance, service: Service): void {
	const { jobs, runner, controls } = service;

	app.get<{ Params: { id: string } }>('/job/:id/status', ({ account, params }) => {
		const job = jobs.get(params.id);
		if (job === undefined || job.expiresAt <= Date.now()) throw unknown('job');
		if (job.account !== account) throw new Refusal({ status: 403, code: 'forbidden', message: 'The job belongs to another account' });
		const changedAt = toIsoTime(job.completedAt ?? job.startedAt ?? job.createdAt);
		return {
			id: job.id,
			status: controls.v1Statuses.get(job.id) ?? statusWord(job, runner.positionOf(job) === 1),
			created_at: toIsoTime(job.createdAt),
			updated_at: changedAt,
			last_state_update: changedAt,
			...(job.startedAt !== null && { assigned_inference: 'sandbox-worker' }),
			...(job.error !== null && { error_message: job.error.message }),
		};
	});
}
