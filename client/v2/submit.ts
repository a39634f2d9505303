import { clock } from '../clock';
import { type RejectionKind } from '../concurrency/concurrencyLimiter';
import { type SubmissionQueue } from '../concurrency/submissionQueue';
import { ApiError, ConnectionError, GraphError, StoppedError, UnknownOutcomeError } from '../errors';
import { isSendableKey, SENDABLE_KEYS } from '../identifiers';
import type { Job } from '../job';
import { createdAt } from '../list/listJobs';
import type { Labels } from '../madeBy';
import { logDecision, withAttempt } from '../observer';
import type { Submission, SubmitOptions } from '../ports';
import { claimedJobs } from '../recovery/claimedJobs';
import { type JobRecovery } from '../recovery/jobRecovery';
import { CLOCK_SKEW_MS, mayBeForgotten, ownerOf, sentSince, toSearchRequest } from '../recovery/searchRequest';
import { mayHaveMadeJob, submissionBody, SubmissionLimit, SUBMIT_BUDGET_MS } from '../submission';
import { delay } from '../transport/delay';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { hasNoEffect, pauseMs, reportRetry, retryAfterOf } from '../transport/retry';
import type { V2Api } from './api';
import { decodeJob } from './decode';
import type { JobLabels } from './labels';

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
export async function submitJob(
	api: V2Api,
	recovery: JobRecovery,
	queue: SubmissionQueue,
	labels: JobLabels,
	submission: Submission,
	options: SubmitOptions,
): Promise<Job> {
	const { idempotencyKey: key, signal, retryBudgetMs = SUBMIT_BUDGET_MS, earlier = {} } = options;
	const { lostRecord, firstSentAt = clock.wallNow() } = earlier;
	if (key !== undefined && !isSendableKey(key)) {
		throw new GraphError({ fault: 'bad_values', detail: SENDABLE_KEYS });
	}
	const since = sentSince(options);
	if (since !== undefined && (key === undefined || mayBeForgotten(since))) {
		const found = await recovery.recoverBeforeSending(submission, options);
		if (found !== undefined) return found;
	}
	const begunAt = clock.wallNow();
	const startedAt = clock.now();
	const send = async (metadata?: Labels | string) => {
		const body = submissionBody('workflow', submission, { metadata });
		const headers = { ...body.headers, ...(key !== undefined && { 'idempotency-key': key }) };
		return await withGrace(signal, STOP_LIMIT_MS, async (later) => {
			options.onEvent?.({ type: 'sending' });
			return await api.call({ method: 'POST', url: api.url('/jobs'), ...body, headers, signal: later }, decodeJob);
		});
	};

	const position = queue.newPosition();
	const limit = new SubmissionLimit(api.http.contact);
	const remaining = () => retryBudgetMs - (clock.now() - startedAt);
	let answerLost = earlier.answerLost ?? false;
	const isSearched = () => answerLost || options.keyIsOurs === true || lostRecord !== undefined;
	for (let failures = 1; ; failures++) {
		const slot = await queue.waitForSlot(position, remaining(), signal, failures === 1);
		const unanswered = answerLost ? undefined : api.http.contact?.takeFailure();
		if (unanswered !== undefined) {
			queue.releaseSlot();
			throw unanswered;
		}
		const outcome = await outcomeOf(withAttempt(failures, async () => await labels.sendWithLabels(submission.madeBy, send)));
		if (outcome.ok) {
			const job = outcome.value;
			queue.markAccepted(job.job_id);
			claimedJobs.claim(job.job_id, ownerOf(options));
			// If a server returns the job of an earlier request with this key, only the job's time shows it.
			if (lostRecord !== undefined && (createdAt(job) ?? Infinity) < begunAt - CLOCK_SKEW_MS) {
				logDecision({ kind: 'found_again', by: 'key', jobId: job.job_id });
				options.onEvent?.({ type: 'recovered' });
			}
			return job;
		}
		const { error } = outcome;
		const rejection = findRejectionKind(error);
		if (rejection === undefined) queue.releaseSlot();
		else {
			logDecision({ kind: 'submission_put_off', inFlight: slot.inFlight, error });
			queue.markRejected(slot, rejection, retryAfterOf(error));
		}
		if (isKeyInUse(error) && isSearched()) {
			const request = toSearchRequest(submission, options, lostRecord?.since ?? firstSentAt);
			const before = request.before === undefined || answerLost ? undefined : 'key_in_use';
			return await recovery.recoverUnconfirmed({ ...request, before, isJobProven: answerLost || options.keyIsOurs === true, cause: error });
		}
		const mayExist = mayHaveMadeJob(error);
		answerLost ||= mayExist;
		if (mayExist) options.onEvent?.({ type: 'answerLost' });
		if (!answerLost && isBusy(error)) options.onEvent?.({ type: 'nothingMade' });
		const mayResend = mayExist ? key !== undefined : isBusy(error);
		const fullPauseMs = pauseMs(error, failures);
		const time = { budgetMs: remaining(), pauseMs: fullPauseMs, mayExist: answerLost };
		const leftMs = rejection === undefined ? limit.timeLeft(error, time) : time.budgetMs;
		if (!mayResend || leftMs <= 0) {
			if (rejection !== undefined && error instanceof ApiError) error.refusedWith = { inFlight: queue.inFlight, forMs: retryBudgetMs };
			throw answerLost && !isConclusive(error) ? new UnknownOutcomeError(key, { cause: error }) : error;
		}
		if (rejection === undefined) {
			const inMs = Math.min(fullPauseMs, leftMs);
			reportRetry(failures, inMs, error);
			await delay(inMs, signal);
		}
	}
}

const isKeyInUse = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';

/** Whether the service rejects because it is full or busy; undefined for other errors. */
function findRejectionKind(error: unknown): RejectionKind | undefined {
	if (!hasNoEffect(error) || error instanceof ConnectionError) return undefined;
	if (!(error instanceof ApiError) || BUSY_CODES.has(error.code)) return 'busy';
	return error.code === QUEUE_FULL || retryAfterOf(error) !== undefined ? 'full' : undefined;
}

/** The service did not process it, and may do so later. */
const isBusy = (error: unknown): boolean =>
	error instanceof ConnectionError ? hasNoEffect(error) : findRejectionKind(error) !== undefined;

/** A stop by the caller, or a proof that there is no job. */
const isConclusive = (error: unknown): boolean =>
	error instanceof StoppedError || (error instanceof ApiError && NO_JOB_STATUSES.has(error.status));
