import { ApiError, ConnectionError, GraphError, StoppedError, UnknownOutcomeError, UnreadableAnswerError } from '../errors';
import type { Job } from '../job';
import type { Submission, SubmitOptions } from '../services';
import { STOP_GRACE_MS, SUBMIT_BUDGET_MS, submissionBody } from '../submission';
import { delay } from '../transport/delay';
import { withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import { isTransient, isUnheard, pauseMs, retryAfterOf } from '../transport/retry';
import type { V2Api } from './api';
import { decodeJob } from './decode';
import { findLostJob, type LostJobSources } from './findLostJob';

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** Busy for now. A 429 with another code is retried only when it says when. */
const BUSY_CODES: ReadonlySet<string> = new Set(['queue_full', 'rate_limited', 'deployment_not_ready']);
/** The service checks the key before these, so they prove that no attempt with it made a job. */
const NO_JOB_STATUSES: ReadonlySet<number> = new Set([402, 422]);

/**
 * Submits once: every attempt carries the same key, and without a key nothing is sent again once bytes may have left.
 * @throws ApiError when the service refuses; UnknownOutcomeError when a job may exist but cannot be found.
 */
export async function submitJob(api: V2Api, sources: LostJobSources, submission: Submission, options: SubmitOptions): Promise<Job> {
	const { idempotencyKey: key, signal, retryBudgetMs = SUBMIT_BUDGET_MS, firstSentAt = Date.now() } = options;
	if (key !== undefined && !KEY.test(key)) {
		throw new GraphError({ fault: 'bad_values', detail: 'An idempotency key has 1 to 255 printable ASCII characters' });
	}
	const startedAt = performance.now();
	const body = submissionBody('workflow', submission);
	const headers = { ...body.headers, ...(key !== undefined && { 'idempotency-key': key }) };
	const send = async () =>
		await withGrace(signal, STOP_GRACE_MS, async (later) => {
			options.onSend?.();
			return await api.call({ method: 'POST', url: api.url('/jobs'), ...body, headers, signal: later }, decodeJob);
		});

	let answerLost = options.earlierAnswerLost ?? false;
	for (let failures = 1; ; failures++) {
		const outcome = await outcomeOf(send());
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		if (isKeyReuse(error) && (answerLost || options.keyIsOurs)) return await findLostJob(sources, submission.graph, { ...options, firstSentAt }, error);
		const mayExist = mayHaveMadeJob(error);
		answerLost ||= mayExist;
		const remainingMs = retryBudgetMs - (performance.now() - startedAt);
		const mayResend = mayExist ? key !== undefined : isBusy(error);
		if (!mayResend || remainingMs <= 0) {
			throw answerLost && !isFinal(error) ? new UnknownOutcomeError(key, { cause: error }) : error;
		}
		await delay(Math.min(pauseMs(error, failures), remainingMs), signal);
	}
}

const isKeyReuse = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';

/** No answer, half an answer, or a failure on the way back: the service may have accepted all the same. */
function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.facts.status < 300 || error.facts.status >= 500;
	return error instanceof ApiError && isTransient(error) && error.status !== 429;
}

function isBusy(error: unknown): boolean {
	if (!isUnheard(error)) return false;
	return !(error instanceof ApiError) || BUSY_CODES.has(error.code) || retryAfterOf(error) !== undefined;
}

/** The caller's own stop, or proof that there is no job. */
const isFinal = (error: unknown): boolean => error instanceof StoppedError || (error instanceof ApiError && NO_JOB_STATUSES.has(error.status));
