/** `GET /api/job/{id}/status`. */
import type { FastifyInstance } from 'fastify';
import { iso } from '../../iso';
import { Refusal } from '../../service/refusal';
import type { Service } from '../../service/service';
import { unknown } from '../refusals';
import { statusWord } from '../statusWords';

export function statusRoute(app: FastifyInstance, service: Service): void {
	const { jobs, runner, behaviour, controls } = service;

	app.get<{ Params: { id: string } }>('/job/:id/status', ({ account, params }) => {
		const job = jobs.get(params.id);
		if (job === undefined || job.expiresAt <= Date.now()) throw unknown('job');
		if (job.account !== account) throw new Refusal({ status: 403, code: 'forbidden', message: 'The job belongs to another account' });
		const changedAt = iso(job.completedAt ?? job.startedAt ?? job.createdAt);
		return {
			id: job.id,
			status: controls.v1Statuses.get(job.id) ?? statusWord(job, behaviour.v1StatusWords, (queued) => runner.positionOf(queued) === 1),
			created_at: iso(job.createdAt),
			updated_at: changedAt,
			last_state_update: changedAt,
			...(job.startedAt !== null && { assigned_inference: 'sandbox-worker' }),
			...(job.error !== null && { error_message: job.error.message }),
		};
	});
}
