import { clock } from '../clock';
import { StoppedError } from '../errors';
import { onAbort } from './abort';

/** Node's timers ignore fractions of a millisecond, and may fire this much early by the clock that measures budgets. */
const EARLIEST_BY_MS = 1;

/** Resolves after `milliseconds`; rejects with a StoppedError as soon as the signal fires. */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
	throwIfStopped(signal);
	await new Promise<void>((resolve, reject) => {
		const timer = clock.after(Math.ceil(milliseconds) + EARLIEST_BY_MS, () => {
			stopListening();
			resolve();
		});
		const stopListening = onAbort(signal, () => {
			clearTimeout(timer);
			reject(new StoppedError());
		});
	});
}

/** @throws StoppedError when the signal has fired. */
export function throwIfStopped(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new StoppedError();
}

/** @returns the result of the work; undefined if it takes longer than `milliseconds`. The work itself continues. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
	if (milliseconds <= 0) return undefined;
	const done = new AbortController();
	const timeout = delay(milliseconds, done.signal).then(() => undefined);
	try {
		return await Promise.race([work, timeout]);
	} finally {
		done.abort();
	}
}
