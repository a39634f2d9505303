import { writeJson } from '../exactJson';
import type { ApiGraph } from '../graphEngine/types';
import { digest } from '../ledger';
import type { AccountName, RunSurface } from '../vocabulary';
import { Refusal } from './refusal';
import type { Service } from './service';
import { Job, type NewJob } from './job';

export const BUSY_RETRY_AFTER_SECONDS = 1;

export interface JobOrder extends Pick<NewJob, 'id' | 'idempotencyKey' | 'metadata' | 'priority' | 'targets'> {
	/** Valid. */
	graph: ApiGraph;
	/** Assets that the graph reads. */
	inputIds: ReadonlySet<string>;
	partnerKey: { field: string; value: string } | undefined;
	/** Where the ledger says that it came from; the service's own surface by default. */
	cameBy?: RunSurface;
	/** How many jobs may be in flight already. */
	queueLimit: number;
}

/** Takes a credit, writes the ledger, and puts a job into the queue. @throws Refusal, with no job made. */
export function startJob(service: Service, account: AccountName, order: JobOrder): Job {
	const { surface, controls, behaviour, ledger, runner, jobs } = service;
	const { graph, inputIds, partnerKey, queueLimit, cameBy = surface, ...rest } = order;
	const credits = controls.credits.get(account) ?? Infinity;
	if (credits < 1) throw new Refusal({ status: 402, code: 'insufficient_credits', message: 'Not enough credits' });
	if (runner.inFlight >= queueLimit) {
		throw new Refusal({ status: 429, code: 'queue_full', message: 'Too many jobs in flight', retryAfter: BUSY_RETRY_AFTER_SECONDS });
	}
	controls.credits.set(account, credits - 1);
	const job = new Job({ surface, account, graph, lifetimeMs: behaviour.jobLifetimeMs, ...rest });
	job.inputIds = inputIds;
	jobs.set(job.id, job);
	if (partnerKey !== undefined) ledger.partnerKeys.push(digest(partnerKey.value));
	ledger.runs.push({
		jobId: job.id,
		surface: cameBy,
		account,
		idempotencyKey: job.idempotencyKey,
		graphHash: digest(writeJson(graph)),
		partnerKeyField: partnerKey?.field,
		at: job.createdAt,
	});
	runner.enqueue(job);
	return job;
}
