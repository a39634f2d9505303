import { clock } from '../async/clock';
import { hasNoEffect, mayHaveMadeJob, retryAfterOf } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import type { RejectionKind, Slot } from '../concurrency/concurrencyLimiter';
import type { SubmissionQueue } from '../concurrency/submissionQueue';
import { ApiError, ConnectionError, GraphError, StoppedError, UnknownOutcomeError } from '../errors/errors';
import { isSendableKey, SENDABLE_KEYS } from '../text/identifiers';
import type { Job } from '../ports/job';
import { createdAt } from '../list/listJobs';
import type { Labels } from '../ports/madeBy';
import { logDecision, withAttempt } from '../log/observer';
import type { NewJob, SubmitOptions } from '../ports/jobService';
import { claimedJobs } from '../recovery/claimedJobs';
import type { JobRecovery } from '../recovery/jobRecovery';
import type { Ownership } from '../recovery/judgeOwnership';
import { CLOCK_SKEW_MS, mayBeForgotten, ownerOf, sentSince, toSearchRequest } from '../recovery/searchRequest';
import { SubmissionSeries, toSubmissionBody } from '../requests/submissionSeries';
import { STOP_LIMIT_MS, withGrace } from '../async/grace';
import { outcomeOf } from '../async/outcome';
import type { V2Api } from './api';
import { decodeJob } from './decode';
import type { JobLabels } from './labels';
import { editorFilePart } from './optionalPart';

/**
 * The service accepts jobs again after one has finished. A 429 with an unknown code means the same if it has
 * Retry-After.
 */
const QUEUE_FULL = 'queue_full';
/** The service accepts nothing for now, regardless of the number of jobs in flight. */
const BUSY_CODES: ReadonlySet<string> = new Set(['rate_limited', 'deployment_not_ready']);
/** The service checks the key before it answers these, so they prove that no attempt with this key made a job. */
const NO_JOB_STATUSES: ReadonlySet<number> = new Set([402, 422]);

/**
 * Submits once. Every attempt sends the same key. Without a key, nothing is sent again after bytes may have left. While
 * the service is full or busy, all submissions of the connection wait in one queue.
 * @throws ApiError if the service rejects it; UnknownOutcomeError if a job may exist but was not found.
 */
export async function submitJob(parts: V2SubmitParts, newJob: NewJob, options: SubmitOptions): Promise<Job> {
	const { idempotencyKey: key } = options;
	if (key !== undefined && !isSendableKey(key)) {
		throw new GraphError({ fault: 'bad_values', detail: SENDABLE_KEYS });
	}
	const since = sentSince(options);
	if (since !== undefined && (key === undefined || mayBeForgotten(since))) {
		const recovered = await parts.recovery.recoverBeforeSending(newJob, options);
		if (recovered !== undefined) return recovered;
	}
	return await new JobSubmission(parts, newJob, options).run();
}

export interface V2SubmitParts {
	api: V2Api;
	recovery: JobRecovery;
	/** Shared by all submissions of the connection. */
	queue: SubmissionQueue;
	labels: JobLabels;
}

/** The attempts of one submission. */
class JobSubmission {
	private readonly startedAtWall = clock.wallNow();
	private readonly position: number;
	private readonly series: SubmissionSeries;

	constructor(
		private readonly parts: V2SubmitParts,
		private readonly newJob: NewJob,
		private readonly options: SubmitOptions,
	) {
		this.position = parts.queue.newPosition();
		this.series = new SubmissionSeries(parts.api.http, options);
	}

	async run(): Promise<Job> {
		const { labels } = this.parts;
		const send = async (metadata?: Labels | string) => await this.sendWithEditorFile(metadata);
		for (;;) {
			const { attempt } = this.series;
			const slot = await this.waitForSlot(attempt === 1);
			const outcome = await outcomeOf(withAttempt(attempt, async () => await labels.sendWithLabels(this.newJob.madeBy, send)));
			if (outcome.ok) return await this.acceptJob(outcome.value);
			const { error } = outcome;
			const failure = classifyFailure(error);
			this.returnSlot(slot, failure, error);
			if (failure.kind === 'keyInUse' && this.mayHaveBeenSent) return await this.recover(error);
			this.reportFailure(failure, error);
			await this.pauseOrThrow(failure, error);
		}
	}

	/** Whether an attempt of ours may have used the key. */
	private get mayHaveBeenSent(): boolean {
		const { keyIsOurs, earlier } = this.options;
		return this.series.isUnconfirmed || keyIsOurs === true || earlier?.lostRecord !== undefined;
	}

	/** @throws the error of another request that got no answer from the server, unless a job may exist. */
	private async waitForSlot(isFirst: boolean): Promise<Slot> {
		const { queue, api } = this.parts;
		const slot = await queue.waitForSlot(this.position, this.series.leftMs, this.options.signal, isFirst);
		const unanswered = this.series.isUnconfirmed ? undefined : api.http.contact?.takeFailure();
		if (unanswered === undefined) return slot;
		queue.releaseSlot();
		throw unanswered;
	}

	private async sendWithEditorFile(metadata?: Labels | string): Promise<Job> {
		if (this.newJob.toEditorFile === undefined) return await this.send(this.newJob, metadata);
		const { toEditorFile, ...withoutFile } = this.newJob;
		const send = async (hasFile: boolean) => await this.send(hasFile ? { ...withoutFile, toEditorFile } : withoutFile, metadata);
		return await editorFilePart.send(this.parts.api.address, send);
	}

	private async send(newJob: NewJob, metadata?: Labels | string): Promise<Job> {
		const { idempotencyKey: key, signal, onEvent } = this.options;
		const { api } = this.parts;
		const body = toSubmissionBody('workflow', newJob, { metadata });
		const headers = { ...body.headers, ...(key !== undefined && { 'idempotency-key': key }) };
		return await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			onEvent?.({ type: 'sending' });
			return await api.call({ method: 'POST', url: api.url('/jobs'), ...body, headers, signal: later }, decodeJob);
		});
	}

	private async acceptJob(job: Job): Promise<Job> {
		const { earlier, onEvent } = this.options;
		this.parts.queue.markAccepted(job.job_id);
		// Some servers return the job of an earlier request with this key. Only the job's time shows it for certain.
		const isEarlier = (createdAt(job) ?? Infinity) < this.startedAtWall - CLOCK_SKEW_MS;
		const mayBeEarlier = isEarlier || job.status !== 'queued';
		if (earlier?.lostRecord !== undefined && mayBeEarlier) {
			const ownership = await this.judge(job);
			if (ownership === 'other') return await this.recover(undefined);
			if (isEarlier && ownership === 'unclear') throw new UnknownOutcomeError(this.options.idempotencyKey, { before: 'not_shown' });
			if (isEarlier) {
				logDecision({ kind: 'job_recovered', by: 'key', jobId: job.job_id });
				onEvent?.({ type: 'recovered' });
			}
		}
		claimedJobs.claim(job.job_id, ownerOf(this.options));
		return job;
	}

	/** @throws StoppedError. */
	private async judge(job: Job): Promise<Ownership> {
		const ownership = await outcomeOf(this.parts.recovery.judge(job, this.newJob.graph, this.options));
		if (!ownership.ok && ownership.error instanceof StoppedError) throw ownership.error;
		return ownership.ok ? ownership.value : 'unclear';
	}

	private returnSlot(slot: Slot, failure: AttemptFailure, error: unknown): void {
		const { queue } = this.parts;
		if (failure.kind !== 'postponed') return queue.releaseSlot();
		logDecision({ kind: 'submission_postponed', inFlight: slot.inFlight, error });
		queue.markRejected(slot, failure.rejection, retryAfterOf(error));
	}

	/** Searches for the job of an earlier attempt that used the key. */
	private async recover(cause: unknown): Promise<Job> {
		const { earlier, keyIsOurs } = this.options;
		const sentAt = earlier?.lostRecord?.since ?? earlier?.firstSentAt ?? this.startedAtWall;
		const request = toSearchRequest(this.newJob, this.options, sentAt);
		const before = request.before === undefined || this.series.isUnconfirmed ? undefined : 'key_in_use';
		const isJobProven = this.series.isUnconfirmed || keyIsOurs === true;
		return await this.parts.recovery.recoverUnconfirmed({ ...request, before, isJobProven, cause });
	}

	private reportFailure({ kind }: AttemptFailure, error: unknown): void {
		if (kind === 'unconfirmed') {
			this.series.markUnconfirmed(error);
			this.options.onEvent?.({ type: 'answerLost' });
		} else if (!this.series.isUnconfirmed && (kind === 'postponed' || kind === 'notSent')) {
			this.options.onEvent?.({ type: 'nothingMade' });
		}
	}

	/** Waits until the next attempt. The queue waits for a submission that the service postponed. @throws the final error. */
	private async pauseOrThrow(failure: AttemptFailure, error: unknown): Promise<void> {
		const isPostponed = failure.kind === 'postponed';
		const decision = this.series.decide(error, { mayHelp: maySendAgain(failure, this.options.idempotencyKey), isPostponed });
		if (decision.kind === 'giveUp') throw this.toFinalError(error, isPostponed);
		if (!isPostponed) await this.series.pause(error, decision.inMs);
	}

	private toFinalError(error: unknown, isPostponed: boolean): unknown {
		if (isPostponed && error instanceof ApiError) {
			error.refusedWith = { inFlight: this.parts.queue.inFlight, forMs: this.options.retryBudgetMs ?? POLICIES.submit.budgetMs };
		}
		if (isConclusive(error)) return error;
		const reason = this.series.toFinalError(error);
		return this.series.isUnconfirmed ? new UnknownOutcomeError(this.options.idempotencyKey, { cause: reason }) : reason;
	}
}

/** What the error of an attempt means for the submission. */
export type AttemptFailure =
	/** The service has received the key before. */
	| { kind: 'keyInUse' }
	/** The service is full or busy and made no job. */
	| { kind: 'postponed'; rejection: RejectionKind }
	/** The request did not reach the service. */
	| { kind: 'notSent' }
	/** The service may have made a job. */
	| { kind: 'unconfirmed' }
	/** The service rejected the submission, or the caller stopped it. */
	| { kind: 'final' };

export function classifyFailure(error: unknown): AttemptFailure {
	if (error instanceof ApiError && error.code === 'idempotency_key_reuse') return { kind: 'keyInUse' };
	if (mayHaveMadeJob(error)) return { kind: 'unconfirmed' };
	if (!hasNoEffect(error)) return { kind: 'final' };
	if (error instanceof ConnectionError) return { kind: 'notSent' };
	if (!(error instanceof ApiError) || BUSY_CODES.has(error.code)) return { kind: 'postponed', rejection: 'busy' };
	// A 429 with another code may be about this submission alone.
	const isFull = error.code === QUEUE_FULL || retryAfterOf(error) !== undefined;
	return isFull ? { kind: 'postponed', rejection: 'full' } : { kind: 'final' };
}

/** Without a key, a second request could make a second job. */
const maySendAgain = ({ kind }: AttemptFailure, key: string | undefined): boolean =>
	kind === 'postponed' || kind === 'notSent' || (kind === 'unconfirmed' && key !== undefined);

/** A stop by the caller, or a proof that there is no job. */
const isConclusive = (error: unknown): boolean =>
	error instanceof StoppedError || (error instanceof ApiError && NO_JOB_STATUSES.has(error.status));
