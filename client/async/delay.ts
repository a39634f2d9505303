import { clock, type Timer } from './clock';
import { stoppableWait } from './stoppableWait';

/** Node's timers ignore fractions of a millisecond, and may fire this much early by the clock that measures budgets. */
const EARLIEST_BY_MS = 1;

/** Starts a timer that never fires early. */
export const afterAtLeast = (milliseconds: number, call: () => void): Timer => clock.after(Math.ceil(milliseconds) + EARLIEST_BY_MS, call);

/** Resolves after `milliseconds`; rejects with a StoppedError as soon as one of the signals fires. */
export async function delay(milliseconds: number, ...signals: Array<AbortSignal | undefined>): Promise<void> {
	await stoppableWait<void>(signals, (waiter) => {
		const timer = afterAtLeast(milliseconds, waiter.resolve);
		return () => clearTimeout(timer);
	});
}

/** @returns the result of the work; undefined if it takes longer than `milliseconds`. The work itself continues. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
	// If the work takes longer, no caller handles its failure.
	work.catch(() => undefined);
	if (milliseconds <= 0) return undefined;
	const done = new AbortController();
	const timeout = delay(milliseconds, done.signal).then(() => undefined);
	try {
		return await Promise.race([work, timeout]);
	} finally {
		done.abort();
	}
}
