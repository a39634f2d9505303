import { ApiError, ConnectionError, GraphError, StoppedError, UnknownOutcomeError, UnreadableAnswerError } from '../errors';
import type { Job } from '../job';
import type { Submission, SubmitOptions } from '../services';
import { STOP_GRACE_MS, SUBMIT_BUDGET_MS, submissionBody } from '../submission';
import { delay } from '../transport/delay';
import { withGrace } from '../transport/grace';
import { outcomeOf } from '../transport/outcome';
import type { RefusalKind } from '../pace/pace';
import type { SubmissionLine } from '../pace/submissionLine';
import { isTransient, isUnheard, pauseMs, retryAfterOf } from '../transport/retry';
import type { V2Api } from './api';
import { decodeJob } from './decode';
import { findLostJob, type LostJobSources } from './findLostJob';

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** Taken again once a job has ended. A 429 with a code that is new to us means the same when it says when to come again. */
const QUEUE_FULL = 'queue_full';
/** Nothing is taken for now, however few jobs are in flight. */
const BUSY_CODES: ReadonlySet<string> = new Set(['rate_limited', 'deployment_not_ready']);
/** The service checks the key before these, so they prove that no attempt with it made a job. */
const NO_JOB_STATUSES: ReadonlySet<number> = new Set([402, 422]);

/**
 * Submits once: every attempt carries the same key, and without a key nothing is sent again once bytes may have left.
 * While the service is full or busy, all submissions of the connection wait in one line.
 * @throws ApiError when the service refuses; UnknownOutcomeError when a job may exist but cannot be found.
 */
export async function submitJob(api: V2Api, sources: LostJobSources, line: SubmissionLine, submission: Submission, options: SubmitOptions): Promise<Job> {
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

	const place = line.newPlace();
	const remaining = () => retryBudgetMs - (performance.now() - startedAt);
	let answerLost = options.earlierAnswerLost ?? false;
	for (let failures = 1; ; failures++) {
		const attempt = await line.turn(place, remaining(), signal);
		const outcome = await outcomeOf(send());
		if (outcome.ok) {
			line.accepted(outcome.value.job_id);
			return outcome.value;
		}
		const { error } = outcome;
		const refusal = refusalKind(error);
		if (refusal === undefined) line.failed();
		else line.refused(attempt, refusal, retryAfterOf(error));
		if (isKeyReuse(error) && (answerLost || options.keyIsOurs)) return await findLostJob(sources, submission.graph, { ...options, firstSentAt }, error);
		const mayExist = mayHaveMadeJob(error);
		answerLost ||= mayExist;
		const mayResend = mayExist ? key !== undefined : isBusy(error);
		if (!mayResend || remaining() <= 0) {
			if (refusal !== undefined && error instanceof ApiError) error.refusedWith = { inFlight: line.inFlight, forMs: retryBudgetMs };
			throw answerLost && !isFinal(error) ? new UnknownOutcomeError(key, { cause: error }) : error;
		}
		if (refusal === undefined) await delay(Math.min(pauseMs(error, failures), remaining()), signal);
	}
}

const isKeyReuse = (error: unknown): boolean => error instanceof ApiError && error.code === 'idempotency_key_reuse';

/** No answer, half an answer, or a failure on the way back: the service may have accepted all the same. */
function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.facts.status < 300 || error.facts.status >= 500;
	return error instanceof ApiError && isTransient(error) && error.status !== 429;
}

/** Undefined for what is no matter of how much is sent. */
function refusalKind(error: unknown): RefusalKind | undefined {
	if (!isUnheard(error) || error instanceof ConnectionError) return undefined;
	if (!(error instanceof ApiError) || BUSY_CODES.has(error.code)) return 'busy';
	return error.code === QUEUE_FULL || retryAfterOf(error) !== undefined ? 'full' : undefined;
}

/** Nothing was heard of it, and it may be heard later. */
const isBusy = (error: unknown): boolean => error instanceof ConnectionError ? isUnheard(error) : refusalKind(error) !== undefined;

/** The caller's own stop, or proof that there is no job. */
const isFinal = (error: unknown): boolean => error instanceof StoppedError || (error instanceof ApiError && NO_JOB_STATUSES.has(error.status));
