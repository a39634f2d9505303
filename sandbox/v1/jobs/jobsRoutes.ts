/** `GET /api/jobs`, `GET /api/jobs/{id}`, and the history. */
import type { FastifyInstance } from 'fastify';
import type { AccountName } from '../../vocabulary';
import type { Job } from '../../service/job';
import type { Service } from '../../service/service';
import { invalid, unknown } from '../refusals';
import { readIdSelection } from '../idSelection';
import { jobsWord } from '../statusWords';
import { v1HistoryRoutes } from './historyRoutes';
import { presentV1Job, presentSummary } from './present';
import { readListQuery, type ListQuery } from './listQuery';

export function jobsRoutes(app: FastifyInstance, service: Service): void {
	/** Ended jobs that their account has removed from its history. */
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

	v1HistoryRoutes(app, jobsOf);

	app.post('/history', ({ account, body }, reply) => {
		const { ids, clear } = readIdSelection(body);
		if (ids.length === 0 && !clear) throw invalid('delete or clear is required');
		for (const job of jobsOf(account)) if (job.terminal && (clear || ids.includes(job.id))) removed.add(job);
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
