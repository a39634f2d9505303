/** When failed work is tried again, and when it is given up. Pure: it reads no clock and sends nothing. */
import { AnswerError } from '../errors/errors';
import { isTimeout, isTransient, retryAfterOf } from './failures';

/** How one kind of work is repeated. All times are in milliseconds. */
export interface RetryPolicy {
	/** The pause after the first failure. It grows with each further one. */
	firstMs: number;
	longestMs: number;
	/** Time for all attempts and pauses together. 0: one attempt. Infinity: until the caller stops. */
	budgetMs: number;
	/** The pause after an error that lasts, for example a wrong key. Undefined: such an error ends the work. */
	lastingMs?: number;
	/** After a connection of this length, the pauses start again from the shortest. */
	stableMs?: number;
	/** Each pause is this many times as long as the one before. Default: 2. */
	growth?: number;
	/** A factor for every pause. Default: 1. */
	scale?: number;
}

/** The pauses of requests that somebody waits for. */
const REQUEST = { firstMs: 250, longestMs: 8_000 };
/** The pauses of loops that keep a connection, as long as their caller needs it. */
const BACKGROUND = { firstMs: 1_000, longestMs: 60_000, budgetMs: Infinity, lastingMs: 300_000 };

/** The defaults for each use. */
export const POLICIES = {
	read: { ...REQUEST, budgetMs: 30_000 },
	/** Also for the search for the job of an unconfirmed submission. */
	submit: { ...REQUEST, budgetMs: 60_000 },
	upload: { ...REQUEST, budgetMs: 30_000 },
	/** A download that was interrupted. Its budget counts attempts without progress. */
	resume: { firstMs: 100, longestMs: 1_600, budgetMs: Infinity },
	/** The event stream of one job. Reads replace it meanwhile. */
	stream: { firstMs: 100, longestMs: 5_000, budgetMs: Infinity, stableMs: 10_000 },
	/** The socket for the events of all jobs. */
	socket: { ...BACKGROUND, stableMs: 10_000 },
	trigger: BACKGROUND,
	/** The search for a server that may start hours later. */
	search: { ...BACKGROUND, firstMs: 10_000, longestMs: 10_000 },
	/** The reads of a job that is waited for without a stream. */
	wait: { firstMs: 500, longestMs: 5_000, growth: 1.5, budgetMs: Infinity },
	/** The reads that confirm a cancel. */
	cancel: { firstMs: 250, longestMs: 2_000, budgetMs: 10_000 },
	/** One more submission than a full service has accepted so far. */
	fullService: { firstMs: 1_000, longestMs: 10_000, budgetMs: Infinity },
} satisfies Record<string, RetryPolicy>;

/** The pauses before each further read of what a service shows late, in milliseconds. The reads end with the first one that shows it. */
export const LATE_READS = {
	/** v1 may report the end of a job before its outputs. */
	outputs: [300, 1_000],
	/** After the event about the end of a job, the reads of v1 may still show the job as running. */
	end: [100, 250, 500, 1_000, 2_000, 4_000],
	/** A service may still be turning a submission into a job. */
	submission: [500, 1_500],
	/**
	 * The API proxy (0.1.6) reads the job, sends its status, and only then connects to ComfyUI. If the job ends in between, the
	 * stream stays silent for 15 s or more.
	 */
	silentStream: [1_000, 2_000],
	/**
	 * The API proxy reads the history first and then the queue. It misses a job that finishes in between, and reports it as
	 * expired.
	 */
	expired: [300],
	/** A service that starts, or a gateway in front of it, may not find what was listed before. */
	listed: [500],
} as const satisfies Record<string, readonly number[]>;

/** How a pool treats a server that fails. All times are in milliseconds. */
export const POOL_LIMITS = {
	/** How long requests to a server that does not respond are repeated. The other servers work meanwhile. */
	unansweredMs: 2_000,
	/** For this time after that, the server is not asked again. */
	restMs: 2_000,
	/** How long one server is tried with a submission before another one is. */
	submitMs: 5_000,
	/** A server that does not respond for this time after a job was sent to it has lost the job. */
	lostMs: 10_000,
	/** For this time after a server has refused a job, the others get all jobs. */
	refusedMs: 60_000,
} as const;

/** The state of one series of attempts, when the latest one has failed. All times are in milliseconds. */
export interface FailedAttempt {
	error: unknown;
	/** How many attempts in a row have failed. */
	failures: number;
	/** The rest of the budget. */
	leftMs: number;
	/** The rest of the time that the server may give no answer. It replaces the budget. Undefined while the server answers. */
	silentLeftMs?: number;
	/** Whether another attempt may help. Default: whether the error is transient. */
	mayHelp?: boolean;
	/** From 0 to 1. It spreads the pause, so that a service that restarts does not get the requests of many clients at once. */
	random: number;
}

export type RetryDecision =
	| { kind: 'retry'; inMs: number }
	/** `lasting`: the error does not pass. `budget`: the time is over. `silence`: the server gave no answer for too long. */
	| { kind: 'giveUp'; because: 'lasting' | 'budget' | 'silence' };

/** Decides what follows a failed attempt. The last pause is cut to the remaining time. */
export function decideRetry(policy: RetryPolicy, attempt: FailedAttempt): RetryDecision {
	const { error, failures, leftMs, silentLeftMs, random, mayHelp = isTransient(error) } = attempt;
	if (!mayHelp) {
		return policy.lastingMs === undefined
			? { kind: 'giveUp', because: 'lasting' }
			: { kind: 'retry', inMs: spread(policy.lastingMs, random) };
	}
	const pauseMs = toPauseMs(policy, error, failures, random);
	if (silentLeftMs !== undefined) {
		// An attempt to reach a silent server takes its full time, so none starts at the end of the limit.
		const isOver = silentLeftMs <= (isTimeout(error) ? pauseMs : 0);
		return isOver ? { kind: 'giveUp', because: 'silence' } : { kind: 'retry', inMs: Math.min(pauseMs, silentLeftMs) };
	}
	// A first attempt that timed out has used the whole budget, even if the service is healthy.
	const deservesSecond = policy.budgetMs > 0 && failures === 1 && isTimeout(error);
	if (leftMs <= 0 && !deservesSecond) return { kind: 'giveUp', because: 'budget' };
	return { kind: 'retry', inMs: Math.max(0, Math.min(pauseMs, leftMs)) };
}

/**
 * Returns how long the job of an unconfirmed submission is searched for, in milliseconds. A service that answered with a
 * failure has most likely made no job. If no answer came, the server may return, and may have the job.
 * @param error how the submission failed.
 */
export function confirmLimitMs(error: unknown, { waitMs, lostLimitMs }: { waitMs: number; lostLimitMs: number }): number {
	const wasAnswered = error instanceof AnswerError && error.status >= 500;
	return wasAnswered ? Math.max(POLICIES.submit.budgetMs, waitMs) : lostLimitMs;
}

/** The pause that the service asked for, otherwise one that grows with the failures. A loop without an end never pauses less. */
function toPauseMs(policy: RetryPolicy, error: unknown, failures: number, random: number): number {
	const { budgetMs, scale = 1 } = policy;
	const ownMs = growingPauseMs(policy, failures, random);
	const retryAfterMs = retryAfterOf(error);
	return scale * (budgetMs === Infinity ? Math.max(ownMs, retryAfterMs ?? 0) : (retryAfterMs ?? ownMs));
}

/** Returns the pause after this many failures in a row, spread by up to a quarter. */
export const growingPauseMs = ({ firstMs, longestMs, growth = 2 }: RetryPolicy, failures: number, random: number): number =>
	spread(Math.min(firstMs * growth ** Math.max(0, failures - 1), longestMs), random);

/** Returns the pause after this one. A pause that is longer than all of the policy stays as it is. */
export const longerPauseMs = ({ longestMs, growth = 2 }: RetryPolicy, pauseMs: number): number =>
	Math.max(pauseMs, Math.min(pauseMs * growth, longestMs));

const spread = (milliseconds: number, random: number): number => milliseconds * (0.75 + random / 2);
