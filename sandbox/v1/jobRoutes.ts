/** Reading jobs: list, single job and status; and removing finished jobs from the list. */
import type { FastifyInstance } from 'fastify';
import type { AccountName } from '../vocabulary';
import type { Job } from '../service/job';
import type { Service } from '../service/service';
import { toIsoTime } from '../json';
import { Refusal } from '../service/traits';
import { invalid, readCount, readIdSelection, unknown } from './refusals';
import { JOBS_WORDS, jobsWord, presentSummary, presentV1Job, statusWord } from './jobs';

export function jobsRoutes(app: FastifyInstance, service: Service): void {
	/** Finished jobs that their account removed from its history. */
	const removed = new WeakSet<Job>();
	const jobsOf = (account: AccountName): Job[] =>
		[...service.jobs.values()].filter((job) => job.account === account && job.expiresAt > Date.now() && !removed.has(job));

	app.get<{ Querystring: Record<string, string | string[]> }>('/jobs', ({ account, query }) => {
		if (!service.behaviour.v1JobsRead) throw unknown('route');
		return listJobs(jobsOf(account), readListQuery(query));
	});

	app.get<{ Params: { id: string } }>('/jobs/:id', ({ account, params }) => {
		if (!service.behaviour.v1JobsRead) throw unknown('route');
		const job = jobsOf(account).find(({ id }) => id === params.id);
		if (job === undefined) throw unknown('job');
		return presentV1Job(job);
	});

	app.post('/history', ({ account, body }, reply) => {
		const { ids, clear } = readIdSelection(body);
		if (ids.length === 0 && !clear) throw invalid('delete or clear is required');
		for (const job of jobsOf(account)) if (job.isTerminal && (clear || ids.includes(job.id))) removed.add(job);
		return reply.code(200).send();
	});
}

function listJobs(jobs: Job[], { statuses, sortBy, descending, offset, limit }: ListQuery): Record<string, unknown> {
	const found = jobs.filter((job) => statuses === undefined || statuses.includes(jobsWord(job)));
	const sorted = found.toSorted((left, right) => sortKey(left, sortBy) - sortKey(right, sortBy));
	const page = (descending ? sorted.reverse() : sorted).slice(offset, offset + limit);
	return {
		jobs: page.map(presentSummary),
		pagination: { offset, limit, total: found.length, has_more: offset + page.length < found.length },
	};
}

const sortKey = ({ createdAt, startedAt, completedAt }: Job, sortBy: ListQuery['sortBy']): number =>
	sortBy === 'create_time' ? createdAt : (completedAt ?? Date.now()) - (startedAt ?? Date.now());

const ANY_COUNT = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };
const DEFAULT_LIMIT = 100;
const HIGHEST_LIMIT = 1000;
const SORT_KEYS = ['create_time', 'execution_duration'] as const;

interface ListQuery {
	statuses: string[] | undefined;
	sortBy: (typeof SORT_KEYS)[number];
	descending: boolean;
	offset: number;
	limit: number;
}

/** Newest first by default. @throws Refusal. */
function readListQuery(query: Record<string, string | string[]>): ListQuery {
	const text = (name: string): string | undefined => [query[name]].flat()[0];
	const statuses = text('status')?.split(',');
	const invalidStatus = statuses?.find((word) => !JOBS_WORDS.includes(word));
	if (invalidStatus !== undefined) throw invalid(`status has no value ${JSON.stringify(invalidStatus)}`);
	const order = text('sort_order') ?? 'desc';
	if (order !== 'asc' && order !== 'desc') throw invalid('sort_order must be asc or desc');
	const wanted = text('sort_by') ?? 'create_time';
	const sortBy = SORT_KEYS.find((key) => key === wanted);
	if (sortBy === undefined) throw invalid(`sort_by must be ${SORT_KEYS.join(' or ')}`);
	return {
		statuses,
		sortBy,
		descending: order === 'desc',
		offset: readCount(query, 'offset', ANY_COUNT),
		limit: readCount(query, 'limit', { least: 1, most: HIGHEST_LIMIT, otherwise: DEFAULT_LIMIT }),
	};
}

export function statusRoute(app: FastifyInstance, service: Service): void {
	const { jobs, runner, behaviour, controls } = service;

	app.get<{ Params: { id: string } }>('/job/:id/status', ({ account, params }) => {
		const job = jobs.get(params.id);
		if (job === undefined || job.expiresAt <= Date.now()) throw unknown('job');
		if (job.account !== account) throw new Refusal({ status: 403, code: 'forbidden', message: 'The job belongs to another account' });
		const changedAt = toIsoTime(job.completedAt ?? job.startedAt ?? job.createdAt);
		return {
			id: job.id,
			status: controls.v1Statuses.get(job.id) ?? statusWord(job, behaviour.v1StatusWords, (queued) => runner.positionOf(queued) === 1),
			created_at: toIsoTime(job.createdAt),
			updated_at: changedAt,
			last_state_update: changedAt,
			...(job.startedAt !== null && { assigned_inference: 'sandbox-worker' }),
			...(job.error !== null && { error_message: job.error.message }),
		};
	});
}
