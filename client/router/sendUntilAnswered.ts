import { clock } from '../async/clock';
import { AnswerError, ApiError, type ApiErrorFacts, StoppedError, UnknownOutcomeError } from '../errors/errors';
import { logDecision, withAttempt } from '../log/observer';
import { outcomeOf } from '../async/outcome';
import { POLICIES } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import { DEFAULT_LOST_AFTER_MS, type ServerContact } from '../contact/serverContact';
import type { RouterLimits } from './api';
import { isStillRunning, judgeFailure, leavesRunUnconfirmed } from './retryTable';
import type { RouterRunFacts, RouterRunOptions } from './types';

/** The least time for an attempt, so that one at the very end can still receive a response that is ready. */
const MIN_ATTEMPT_MS = 5_000;
/**
 * The router remembers a key for 24 hours from its first use, and would run the model again after that. The margin
 * covers an attempt that is in progress.
 */
const KEY_LIFE_MS = 24 * 60 * 60 * 1000 - 5 * 60 * 1000;

/** The end of a wait, in milliseconds from now. */
export class Deadline {
	private readonly at: number;

	constructor(milliseconds: number) {
		this.at = clock.now() + milliseconds;
	}

	get remainingMs(): number {
		return this.at - clock.now();
	}
}

export interface CallPolicy extends Pick<
	RouterRunOptions,
	'idempotencyKey' | 'firstSentAt' | 'mayExistSince' | 'onRecovered' | 'onSending' | 'onMayHaveRun'
> {
	deadline: Deadline;
	limits: RouterLimits;
	contact?: ServerContact;
	signal?: AbortSignal;
	/** Fires when the connection is closed. */
	closed: AbortSignal;
}

/**
 * Repeats one call with its idempotency key, by the retry table, until a response comes or the deadline is over. The
 * last pause is cut to the remaining time.
 * @param attempt gets the time until its response must begin, in milliseconds.
 * @throws ApiError for a final error, or for a key that is too old to send; UnknownOutcomeError if the time is over
 *   and a run may exist.
 */
export async function sendUntilAnswered<T extends { facts: RouterRunFacts }>(
	attempt: (answerMs: number) => Promise<T>,
	policy: CallPolicy,
): Promise<T> {
	const { idempotencyKey, limits, contact, signal, closed, onRecovered, onSending, onMayHaveRun } = policy;
	const deadline = toKeyDeadline(policy);
	const failureLimit = new FailureLimit(limits.failuresMs);
	const lostLimit = new FailureLimit(contact?.lostLimitMs ?? DEFAULT_LOST_AFTER_MS);
	const series = new RetrySeries({ policy: { ...POLICIES.submit, scale: limits.pauseScale }, contact, signal, closed });
	let mayHaveRun = false;
	onSending?.();
	for (;;) {
		const answerMs = Math.min(Math.max(deadline.remainingMs, MIN_ATTEMPT_MS), limits.holdMs);
		const outcome = await outcomeOf(withAttempt(series.attempt, async () => await attempt(answerMs)));
		const isEarlierCall = outcome.ok ? outcome.value.facts.replayed : isStillRunning(outcome.error);
		if (isEarlierCall && !mayHaveRun) {
			logDecision({ kind: 'job_recovered', by: 'key' });
			onRecovered?.();
		}
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		if (error instanceof StoppedError) throw error;
		const verdict = judgeFailure(error);
		mayHaveRun ||= verdict.mayHaveRun;
		if (verdict.mayHaveRun) {
			onMayHaveRun?.();
			contact?.noteWork();
		}
		const isLost = verdict.mayHaveRun && error instanceof AnswerError && error.status >= 500;
		const leftMs = Math.min(deadline.remainingMs, failureLimit.remainingMs(verdict.hasFailureLimit), lostLimit.remainingMs(isLost));
		const decision = series.decide(error, { leftMs, isBudgetHard: true, mayHelp: verdict.canRetry });
		if (decision.kind === 'giveUp') {
			const cause = series.toFinalError(error);
			const isUnknown = mayHaveRun && (verdict.canRetry || leavesRunUnconfirmed(error));
			throw isUnknown ? new UnknownOutcomeError(idempotencyKey, { cause }) : cause;
		}
		await series.pause(error, decision.inMs);
	}
}

/**
 * Returns the time until which the key may be sent.
 * @throws ApiError `idempotency_key_expired` if it is over.
 */
function toKeyDeadline({ deadline, firstSentAt = clock.wallNow(), mayExistSince }: CallPolicy): Deadline {
	const lifeMs = (mayExistSince ?? firstSentAt) + KEY_LIFE_MS - clock.wallNow();
	if (lifeMs > 0) return new Deadline(Math.min(deadline.remainingMs, lifeMs));
	throw new ApiError({ interface: 'router', code: 'idempotency_key_expired', status: 410, ...expiryFacts(firstSentAt, mayExistSince) });
}

function expiryFacts(firstSentAt: number, mayExistSince: number | undefined): Pick<ApiErrorFacts, 'message' | 'details'> {
	if (mayExistSince === undefined) return { message: `It was first sent at ${new Date(firstSentAt).toISOString()}` };
	const since = new Date(mayExistSince).toISOString();
	return { message: `It may have been sent at ${since} or later`, details: { may_exist_since: since } };
}

/** Limits the length of a series of failures. Any other response ends the series. */
class FailureLimit {
	private deadline?: Deadline;

	constructor(private readonly longestMs: number) {}

	/** @param isLimited whether the latest failure belongs to the series. */
	remainingMs(isLimited: boolean): number {
		if (!isLimited) this.deadline = undefined;
		else this.deadline ??= new Deadline(this.longestMs);
		return this.deadline?.remainingMs ?? Infinity;
	}
}
