/** `POST /jobs`: one key, one job. */
import type { FastifyInstance } from 'fastify';
import { linksFor } from '../links';
import { presentJob } from '../present';
import { keyReuse, Refusal } from '../../service/refusal';
import { requireEngine, type Service, UPSTREAM_UNREACHABLE } from '../../service/service';
import { readKey } from '../readKey';
import type { AccountName } from '../../vocabulary';
import type { Job } from '../../service/job';
import { BUSY_RETRY_AFTER_SECONDS, startJob } from '../../service/startJob';
import { checkGraph, readSubmission, type SubmissionBody } from './submission';

export function submitRoute(app: FastifyInstance, service: Service): void {
	app.post('/jobs', (request, reply) => {
		const { account } = request;
		const submission = readSubmission(request.body, service);
		const key = readKey(request, service.traits);
		const answer = (job: Job): unknown => reply.code(201).send(presentJob(job, service, linksFor(service, request)));
		if (key === undefined) return answer(create(service, account, submission));

		const claim = service.jobKeys.claim(account, key);
		if ('taken' in claim) {
			const first = service.jobs.get(claim.taken.madeId ?? '');
			if (service.behaviour.replaysKeys && first !== undefined) return answer(first);
			throw keyReuse();
		}
		try {
			const job = create(service, account, submission, key);
			claim.claimed.madeId = job.id;
			return answer(job);
		} catch (error) {
			if (error instanceof Refusal && error.facts.code !== UPSTREAM_UNREACHABLE) claim.release();
			throw error;
		}
	});
}

/** @throws Refusal, with no job made. */
function create(service: Service, account: AccountName, submission: SubmissionBody, idempotencyKey?: string): Job {
	if (service.surface === 'deployment') checkDeployment(service);
	requireEngine(service);
	const { graph, inputIds, targets } = checkGraph(service, account, submission.workflow);
	return startJob(service, account, {
		graph,
		inputIds,
		...(targets !== undefined && { targets }),
		partnerKey: submission.partnerKey,
		queueLimit: service.controls.queueLimit,
		...(idempotencyKey !== undefined && { idempotencyKey }),
		...(submission.metadata !== undefined && { metadata: submission.metadata }),
		...(submission.priority !== undefined && { priority: submission.priority }),
	});
}

function checkDeployment({ controls }: Service): void {
	if (controls.deploymentState === 'stopped') {
		throw new Refusal({ status: 422, code: 'deployment_stopped', message: 'The deployment is stopped' });
	}
	if (controls.deploymentState === 'not_ready') {
		throw new Refusal({
			status: 429,
			code: 'deployment_not_ready',
			message: 'The deployment is starting',
			retryAfter: BUSY_RETRY_AFTER_SECONDS,
		});
	}
}
