/** The deprecated `GET /api/history_v2`, whole and of one job. */
import type { FastifyInstance } from 'fastify';
import { outputNodeIds } from '../../graphEngine';
import type { Job } from '../../service/job';
import type { AccountName } from '../../vocabulary';
import { type Query, readCount } from '../assets/assetQuery';
import { unknown } from '../refusals';
import { presentV1Job } from './present';

/** @param jobsOf the jobs of an account that are still kept, oldest first. */
export function v1HistoryRoutes(app: FastifyInstance, jobsOf: (account: AccountName) => Job[]): void {
	const endedJobs = (account: AccountName): Job[] => jobsOf(account).filter(({ terminal }) => terminal);

	app.get<{ Querystring: Query }>('/history_v2', ({ account, query }) => {
		const [offset, limit] = [readCount(query, 'offset', ANY_COUNT), readCount(query, 'max_items', { ...ANY_COUNT, otherwise: 100 })];
		const newest = endedJobs(account).reverse();
		return { history: newest.slice(offset, offset + limit).map((job) => ({ create_time: job.createdAt, ...entry(job) })) };
	});

	app.get<{ Params: { id: string } }>('/history_v2/:id', ({ account, params: { id } }) => {
		const job = endedJobs(account).find((one) => one.id === id);
		if (job === undefined) throw unknown('job');
		const { prompt_id, prompt, ...rest } = entry(job);
		const whole = { ...prompt, prompt: job.graph, outputs_to_execute: outputNodeIds(job.graph) };
		return { [prompt_id]: { prompt: whole, ...rest } };
	});
}

const ANY_COUNT = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };

function entry(job: Job) {
	const { outputs, execution_status: status, execution_meta: meta } = presentV1Job(job);
	return { prompt_id: job.id, prompt: { priority: 0, prompt_id: job.id, extra_data: {} }, outputs, status, meta };
}
