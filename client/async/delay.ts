import { clock } from './clock';
import { StoppedError } from '../errors/errors';
import { onAnyAbort } from './abort';

/** Node's timers ignore fractions of a millisecond, and may fire this much early by the clock that measures budgets. */
const EARLIEST_BY_MS = 1;

/** Resolves after `milliseconds`; rejects with a StoppedError as soon as one of the signals fires. */
export async function delay(milliseconds: number, ...signals: Array<AbortSignal | undefined>): Promise<void> {
	throwIfStopped(...signals);
	await new Promise<void>((resolve, reject) => {
		const timer = clock.after(Math.ceil(milliseconds) + EARLIEST_BY_MS, () => {
			stopListening();
			resolve();
		});
		const stopListening = onAnyAbort(signals, () => {
			clearTimeout(timer);
			reject(new StoppedError());
		});
	});
}

/** @throws StoppedError when one of the signals has fired. */
export function throwIfStopped(...signals: Array<AbortSignal | undefined>): void {
	if (signals.some((signal) => signal?.aborted)) throw new StoppedError();
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
