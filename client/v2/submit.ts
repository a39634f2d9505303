import { clock } from '../clock';
import { ApiError, ConnectionError, GraphError, StoppedError, UnknownOutcomeError } from '../errors';
import { isSendableKey, SENDABLE_KEYS } from '../idempotencyKey';
import type { Job } from '../job';
import { madeAt } from '../list/times';
import type { JobRecovery } from '../recovery/jobRecovery';
import { CLOCK_SKEW_MS, mayBeForgotten, ownerOf, sentSince, toSearchRequest } from '../recovery/searchRequest';
import { claimedJobs } from '../recovery/claimedJobs';
import type { Labels } from '../madeBy';
import type { RejectionKind } from '../concurrency/concurrencyLimiter';
import type { SubmissionQueue } from '../concurrency/submissionQueue';
import { asAttempt, decided } from '../observer';
import type { Submission, SubmitOptions } from '../ports';
import { mayHaveMadeJob, submissionBody, SubmissionLimit, SUBMIT_BUDGET_MS } from '../submission';
import { delay } from '../transport/delay';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isUnheard, pauseMs, retryAfterOf, tellRetry } from '../transport/retry';
import type { V2Api } from './api';
import { decodeJob } from './decode';
import type { JobLabels } from './labels';

/** Taken again once a job has ended. A 429 with a code that is new to us means the same when it says when to come again. */
const QUEUE_FULL = 'queue_full';
/** Nothing is taken for now, however few jobs are in flight. */
const BUSY_CODES: ReadonlySet<string> = new Set(['rate_limited', 'deployment_not_ready']);
/** The service checks the key before these, so they prove that no attempt with it made a job. */
const NO_JOB_STATUSES: ReadonlySet<number> = new Set([402, 422]);

/**
 * Submits once: every attempt carries the same key, and without a key nothing is sent again once bytes may have left.
 * While the service is full or busy, all submissions of the connection wait in one queue.
 * @throws ApiError when the service refuses; UnknownOutcomeError when a job may exist but cannot be found.
 */
export async function submitJob(
	api: V2Api,
	recovery: JobRecovery,
	queue: SubmissionQueue,
	labels: JobLabels,
	submission: Submission,
	options: SubmitOptions,
): Promise<Job> {
	const { idempotencyKey: key, signal, retryBudgetMs = SUBMIT_BUDGET_MS, mayExistSince, firstSentAt = clock.wallNow() } = options;
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
			options.onSend?.();
			return await api.call({ method: 'POST', url: api.url('/jobs'), ...body, headers, signal: later }, decodeJob);
		});
	};

	const position = queue.newPosition();
	const limit = new SubmissionLimit(api.http.contact);
	const remaining = () => retryBudgetMs - (clock.now() - startedAt);
	let answerLost = options.earlierAnswerLost ?? false;
	const isSearched = () => answerLost || options.keyIsOurs === true || mayExistSince !== undefined;
	for (let failures = 1; ; failures++) {
		const slot = await queue.waitForSlot(position, remaining(), signal, failures === 1);
		const unanswered = answerLost ? undefined : api.http.contact?.takeFailure();
		if (unanswered !== undefined) {
			queue.releaseSlot();
			throw unanswered;
		}
		const outcome = await outcomeOf(asAttempt(failures, async () => await labels.sent(submission.madeBy, send)));
		if (outcome.ok) {
			const job = outcome.value;
			queue.markAccepted(job.job_id);
			claimedJobs.claim(job.job_id, ownerOf(options));
			// A server that replays keys: nobody else tells whether it has made the job just now.
			if (mayExistSince !== undefined && (madeAt(job) ?? Infinity) < begunAt - CLOCK_SKEW_MS) {
				decided({ kind: 'found_again', by: 'key', jobId: job.job_id });
				options.onFound?.();
			}
			return job;
		}
		const { error } = outcome;
		const refusal = refusalKind(error);
		if (refusal === undefined) queue.releaseSlot();
		else {
			decided({ kind: 'submission_put_off', inFlight: slot.inFlight, error });
			queue.markRejected(slot, refusal, retryAfterOf(error));
		}
		if (isKeyReuse(error) && isSearched()) {
			const request = toSearchRequest(submission, options, mayExistSince ?? firstSentAt);
			const before = request.before === undefined || answerLost ? undefined : 'key_in_use';
			return await recovery.recoverUnconfirmed({ ...request, before, isJobProven: answerLost || options.keyIsOurs === true, cause: error });
		}
		const mayExist = mayHaveMadeJob(error);
		answerLost ||= mayExist;
		if (mayExist) options.onAnswerLost?.();
		if (!answerLost && isBusy(error)) options.onNothingMade?.();
		const mayResend = mayExist ? key !== undefined : isBusy(error);
		const fullPauseMs = pauseMs(error, failures);
		const time = { budgetMs: remaining(), pauseMs: fullPauseMs, mayExist: answerLost };
		const leftMs = refusal === undefined ? limit.timeLeft(error, time) : time.budgetMs;
		if (!mayResend || leftMs <= 0) {
			if (refusal !== undefined && error instanceof ApiError) error.refusedWith = { inFlight: queue.inFlight, forMs: retryBudgetMs };
			throw answerLost && !isFinal(error) ? new UnknownOutcomeError(key, { cause: error }) : error;
		}
		if (refusal === undefined) {
			const inMs = Math.min(fullPauseMs, leftMs);
			tellRetry(failures, inMs, error);
			await delay(inMs, signal);
		}
	}
}

const isKeyReuse = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';

/** Undefined for what is no matter of how much is sent. */
function refusalKind(error: unknown): RejectionKind | undefined {
	if (!isUnheard(error) || error instanceof ConnectionError) return undefined;
	if (!(error instanceof ApiError) || BUSY_CODES.has(error.code)) return 'busy';
	return error.code === QUEUE_FULL || retryAfterOf(error) !== undefined ? 'full' : undefined;
}

/** Nothing was heard of it, and it may be heard later. */
const isBusy = (error: unknown): boolean => (error instanceof ConnectionError ? isUnheard(error) : refusalKind(error) !== undefined);

/** The caller's own stop, or proof that there is no job. */
const isFinal = (error: unknown): boolean =>
	error instanceof StoppedError || (error instanceof ApiError && NO_JOB_STATUSES.has(error.status));
