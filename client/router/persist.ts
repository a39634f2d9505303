import { clock } from '../clock';
import { ApiError, type ApiErrorFacts, StoppedError, UnknownOutcomeError } from '../errors';
import { asAttempt, decided } from '../observer';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { SubmissionLimit } from '../submission';
import { pauseMs, tellRetry } from '../transport/retry';
import type { ServerContact } from '../transport/serverContact';
import type { RouterLimits } from './api';
import { isStillRunning, leavesItOpen, type Verdict, verdictOn } from './retryTable';
import type { RouterRunFacts, RouterRunOptions } from './types';

/** What an attempt gets in any case, so that one at the very end can still bring an answer that is ready. */
const SHORTEST_ATTEMPT_MS = 5_000;
/** The router knows a key for 24 hours from its first use, and runs anew after that; an attempt is under way for a while. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1000 - 5 * 60 * 1000;

/** The end of a wait, counted from now. */
export class Deadline {
	private readonly at: number;

	constructor(milliseconds: number) {
		this.at = clock.now() + milliseconds;
	}

	get remainingMs(): number {
		return this.at - clock.now();
	}
}

export interface Persistence extends Pick<
	RouterRunOptions,
	'idempotencyKey' | 'firstSentAt' | 'mayExistSince' | 'onFound' | 'onSending' | 'onMayHaveRun'
> {
	deadline: Deadline;
	limits: RouterLimits;
	contact?: ServerContact;
	signal?: AbortSignal;
}

/**
 * Sends one keyed call until its answer comes, by the retry table, until the deadline; the last pause is cut to what
 * remains.
 * @param attempt gets the time for its answer to begin, in milliseconds.
 * @throws ApiError for a refusal that is final, or a key too old to be sent; UnknownOutcomeError when the time is over and a run may exist.
 */
export async function persist<T extends { facts: RouterRunFacts }>(
	attempt: (answerMs: number) => Promise<T>,
	persistence: Persistence,
): Promise<T> {
	const { idempotencyKey, limits, contact, signal, onFound, onSending, onMayHaveRun } = persistence;
	const deadline = keyDeadline(persistence);
	const failing = new FailingTime(limits.failuresMs);
	const limit = new SubmissionLimit(contact);
	let mayHaveRun = false;
	onSending?.();
	for (let failures = 1; ; failures++) {
		const answerMs = Math.min(Math.max(deadline.remainingMs, SHORTEST_ATTEMPT_MS), limits.holdMs);
		const outcome = await outcomeOf(asAttempt(failures, async () => await attempt(answerMs)));
		const tellsOfAnother = outcome.ok ? outcome.value.facts.replayed : isStillRunning(outcome.error);
		if (tellsOfAnother && !mayHaveRun) {
			decided({ kind: 'found_again', by: 'key' });
			onFound?.();
		}
		if (outcome.ok) return outcome.value;
		const { error } = outcome;
		if (error instanceof StoppedError) throw error;
		const verdict = verdictOn(error);
		mayHaveRun ||= verdict.mayHaveRun;
		if (verdict.mayHaveRun) onMayHaveRun?.();
		const fullPauseMs = pauseMs(error, failures) * limits.pauseScale;
		const budgetMs = Math.min(deadline.remainingMs, failing.remainingMs(verdict));
		const contactMs = limit.timeLeft(error, { budgetMs, pauseMs: fullPauseMs, mayExist: mayHaveRun });
		const remainingMs = Math.min(budgetMs, contactMs);
		if (!verdict.again || remainingMs <= 0) {
			const isUnknown = mayHaveRun && (verdict.again || leavesItOpen(error));
			throw isUnknown ? new UnknownOutcomeError(idempotencyKey, { cause: error }) : error;
		}
		const inMs = Math.min(fullPauseMs, remainingMs);
		tellRetry(failures, inMs, error);
		await delay(inMs, signal);
	}
}

/** The end of what may be sent under a key. @throws ApiError `idempotency_key_expired` when that is over. */
function keyDeadline({ deadline, firstSentAt = clock.wallNow(), mayExistSince }: Persistence): Deadline {
	const lifeMs = (mayExistSince ?? firstSentAt) + KEY_LIFE_MS - clock.wallNow();
	if (lifeMs > 0) return new Deadline(Math.min(deadline.remainingMs, lifeMs));
	throw new ApiError({ interface: 'router', code: 'idempotency_key_expired', status: 410, ...expiryFacts(firstSentAt, mayExistSince) });
}

function expiryFacts(firstSentAt: number, mayExistSince: number | undefined): Pick<ApiErrorFacts, 'message' | 'details'> {
	if (mayExistSince === undefined) return { message: `It was first sent at ${new Date(firstSentAt).toISOString()}` };
	const since = new Date(mayExistSince).toISOString();
	return { message: `It may have been sent from ${since} on`, details: { may_exist_since: since } };
}

/** How long a series of failures has lasted; any other answer ends it. */
class FailingTime {
	private deadline?: Deadline;

	constructor(private readonly longestMs: number) {}

	remainingMs({ isBounded }: Verdict): number {
		if (!isBounded) this.deadline = undefined;
		else this.deadline ??= new Deadline(this.longestMs);
		return this.deadline?.remainingMs ?? Infinity;
	}
}
