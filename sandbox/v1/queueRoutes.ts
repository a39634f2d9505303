/** The queue of an account: read, delete from it, and interrupt what runs. */
import type { FastifyInstance } from 'fastify';
import { outputNodeIds } from '../graphEngine';
import type { Job } from '../service/job';
import type { Service } from '../service/service';
import { readIdSelection } from './idSelection';

export function v1QueueRoutes(app: FastifyInstance, service: Service): void {
	const { behaviour, jobs, ledger, runner, surface } = service;
	const inFlight = (account: string): Job[] => [...jobs.values()].filter((job) => job.account === account && !job.terminal);
	const isPending = ({ status }: Job): boolean => status === 'queued';
	const cancel = (job: Job): void => {
		ledger.cancels.push({ jobId: job.id, surface, at: Date.now() });
		runner.cancel(job);
	};

	app.get('/queue', ({ account }) => {
		const numbers = new Map([...jobs.keys()].map((id, number) => [id, number]));
		const entry = ({ id, graph, createdAt }: Job): unknown[] => [
			numbers.get(id),
			id,
			graph,
			outputNodeIds(graph),
			{ create_time: createdAt },
		];
		const all = inFlight(account);
		return {
			queue_running: all.filter((job) => !isPending(job)).map(entry),
			queue_pending: all.filter(isPending).map(entry),
		};
	});

	app.post('/queue', ({ account, body }) => {
		const { ids, clear } = readIdSelection(body);
		const chosen = inFlight(account).filter((job) => {
			if (clear && isPending(job)) return true;
			return ids.includes(job.id) && (isPending(job) || behaviour.v1QueueDelete === 'pending_and_running');
		});
		for (const job of chosen) cancel(job);
		return { deleted: chosen.filter(({ id }) => ids.includes(id)).map(({ id }) => id), cleared: clear };
	});

	app.post('/interrupt', ({ account }, reply) => {
		for (const job of inFlight(account)) if (!isPending(job)) cancel(job);
		return reply.code(200).send();
	});
}
