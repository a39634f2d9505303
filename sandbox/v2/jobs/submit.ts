/** `POST /jobs`: one key, one job. */
import type { FastifyInstance } from 'fastify';
import { digest } from '../../ledger';
import { linksFor } from '../links';
import { presentJob } from '../present';
import { keyReuse, Refusal } from '../refusal';
import type { Service } from '../service';
import { readKey } from '../requests';
import type { AccountName } from '../../types';
import { Job } from './job';
import { checkGraph, readSubmission, type SubmissionBody } from './submission';

const BUSY_RETRY_AFTER_SECONDS = 1;

export function submitRoute(app: FastifyInstance, service: Service): void {
	app.post('/jobs', (request, reply) => {
		const { account } = request;
		const submission = readSubmission(request.body, service.traits);
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
			if (error instanceof Refusal) claim.release();
			throw error;
		}
	});
}

/** @throws Refusal, with no job made. */
function create(service: Service, account: AccountName, submission: SubmissionBody, idempotencyKey?: string): Job {
	const { surface, controls, behaviour, ledger, runner, jobs } = service;
	if (surface === 'deployment') checkDeployment(service);
	const { graph, inputIds } = checkGraph(service, account, submission.workflow);
	const credits = controls.credits.get(account) ?? Infinity;
	if (credits < 1) throw new Refusal({ status: 402, code: 'insufficient_credits', message: 'Not enough credits' });
	if (runner.inFlight >= controls.queueLimit) {
		throw new Refusal({ status: 429, code: 'queue_full', message: 'Too many jobs in flight', retryAfter: BUSY_RETRY_AFTER_SECONDS });
	}
	controls.credits.set(account, credits - 1);
	const job = new Job({
		surface,
		account,
		graph,
		lifetimeMs: behaviour.jobLifetimeMs,
		...(idempotencyKey !== undefined && { idempotencyKey }),
		...(submission.metadata !== undefined && { metadata: submission.metadata }),
		...(submission.priority !== undefined && { priority: submission.priority }),
	});
	job.inputIds = inputIds;
	jobs.set(job.id, job);
	if (submission.partnerKey !== undefined) ledger.partnerKeys.push(digest(submission.partnerKey.value));
	ledger.runs.push({
		jobId: job.id,
		surface,
		account,
		idempotencyKey,
		graphHash: digest(JSON.stringify(graph)),
		partnerKeyField: submission.partnerKey?.field,
		at: job.createdAt,
	});
	runner.enqueue(job);
	return job;
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
