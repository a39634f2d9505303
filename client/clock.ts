/** Node's own, so that it may be cleared, refreshed and left behind as any other. */
export type Timer = NodeJS.Timeout;

/**
 * What all waiting is timed by: pauses, budgets, limits, rests between two reads, and how long something that was read is
 * believed. Tests let it run faster, while servers and sockets keep their own time; so three things do not run on it:
 * what is told of how long something took, how fast bytes come, and moments that leave the process.
 */
export interface Clock {
	/** Milliseconds, for what is set against other milliseconds of this clock. It is never set back. */
	now(): number;
	after(milliseconds: number, call: () => void): Timer;
	every(milliseconds: number, call: () => void): Timer;
	/** Fires then; holds no process open. */
	signalAfter(milliseconds: number): AbortSignal;
	/** Real milliseconds, for what is measured: how long a job ran, how many bytes come in a second. Never set back. */
	realNow(): number;
	/** Epoch milliseconds, for moments that are kept, told, or set against those of a service. */
	wallNow(): number;
}

/** A timer for longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const atMost = (milliseconds: number): number => Math.min(milliseconds, LONGEST_TIMER_MS);

export const realClock: Clock = {
	now: () => performance.now(),
	after: (milliseconds, call) => setTimeout(call, atMost(milliseconds)),
	every: (milliseconds, call) => setInterval(call, atMost(milliseconds)),
	signalAfter: (milliseconds) => AbortSignal.timeout(atMost(milliseconds)),
	realNow: () => performance.now(),
	wallNow: () => Date.now(),
};

let current = realClock;

/** The one that everything reads, whenever it reads. */
export const clock: Clock = {
	now: () => current.now(),
	after: (milliseconds, call) => current.after(milliseconds, call),
	every: (milliseconds, call) => current.every(milliseconds, call),
	signalAfter: (milliseconds) => current.signalAfter(milliseconds),
	realNow: () => current.realNow(),
	wallNow: () => current.wallNow(),
};

/** For tests. The entry point does not export it. */
export function setClock(other: Clock): void {
	current = other;
}
