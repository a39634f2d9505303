/** Node's own timer, so that it can be cleared, refreshed and unreferenced. */
export type Timer = NodeJS.Timeout;

/**
 * The clock for all waiting: pauses, budgets, limits, and how long cached data stays valid. Tests run it faster, while
 * servers and sockets keep real time. Durations that are reported, download rates and times that leave the process
 * therefore use `realNow` and `wallNow`.
 */
export interface Clock {
	/** Milliseconds for comparison with other values of `now`. Never goes back. */
	now(): number;
	after(milliseconds: number, call: () => void): Timer;
	every(milliseconds: number, call: () => void): Timer;
	/** Returns a signal that fires after this time. It does not keep the process running. */
	signalAfter(milliseconds: number): AbortSignal;
	/** Real milliseconds, for durations that are measured and reported. Never goes back. */
	realNow(): number;
	/** Epoch milliseconds, for times that are stored, reported, or compared with those of a service. */
	wallNow(): number;
}

/** Node fires a longer timer at once. */
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

/** The current clock. It delegates, so that tests can replace it at any time. */
export const clock: Clock = {
	now: () => current.now(),
	after: (milliseconds, call) => current.after(milliseconds, call),
	every: (milliseconds, call) => current.every(milliseconds, call),
	signalAfter: (milliseconds) => current.signalAfter(milliseconds),
	realNow: () => current.realNow(),
	wallNow: () => current.wallNow(),
};

/** For tests only. The entry point does not export it. */
export function setClock(other: Clock): void {
	current = other;
}
