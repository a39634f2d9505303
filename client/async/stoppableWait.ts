import { StoppedError } from '../errors/errors';
import { onAnyAbort } from './abort';

/** Ends one wait. What it has begun is ended at once. Further calls have no effect. */
export interface Waiter<T> {
	resolve(value: T): void;
	reject(error: unknown): void;
}

/**
 * Waits until the waiter is resolved. Every wait that signals can stop is one of these: for a time, for an alarm, for other work,
 * or in a line.
 * @param begin for example starts a timer, or adds the waiter to a line. @returns what ends that.
 * @throws StoppedError when one of the signals fires; else what the waiter is rejected with.
 */
export async function stoppableWait<T>(
	signals: ReadonlyArray<AbortSignal | undefined>,
	begin: (waiter: Waiter<T>) => () => void,
): Promise<T> {
	throwIfStopped(...signals);
	return await new Promise<T>((resolve, reject) => {
		let isOver = false;
		const end = (settle: () => void): void => {
			if (isOver) return;
			isOver = true;
			stopListening();
			endWork();
			settle();
		};
		const waiter: Waiter<T> = {
			resolve: (value) => end(() => resolve(value)),
			reject: (error) => end(() => reject(error)),
		};
		const stopListening = onAnyAbort(signals, () => waiter.reject(new StoppedError()));
		const endWork = begin(waiter);
	});
}

/** Adds the waiter to a set. @returns what removes it. */
export const joinSet =
	<T>(line: Set<Waiter<T>>) =>
	(waiter: Waiter<T>): (() => void) => {
		line.add(waiter);
		return () => line.delete(waiter);
	};

/** @throws StoppedError when one of the signals has fired. */
export function throwIfStopped(...signals: Array<AbortSignal | undefined>): void {
	if (signals.some((signal) => signal?.aborted)) throw new StoppedError();
}

/**
 * Returns the result of the work, unless the signal fires first. The work itself continues.
 * @throws StoppedError.
 */
export async function untilStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	// After a stop, no caller handles its failure.
	work.catch(() => undefined);
	return await stoppableWait<T>([signal], (waiter) => {
		work.then(waiter.resolve, waiter.reject);
		return () => undefined;
	});
}
