import { StoppedError } from '../errors/errors';
import { onAnyAbort } from './abort';
import { throwIfStopped } from './delay';

/** Ends one wait, which leaves its line at once. Further calls have no effect. */
export interface Waiter<T> {
	resolve(value: T): void;
	reject(error: unknown): void;
}

/**
 * Waits in a line of callers until the waiter is resolved. Whatever is limited uses this: slots, streams, submissions and places.
 * @param join adds the waiter to the line, and returns what removes it.
 * @throws StoppedError when one of the signals fires; else what the waiter is rejected with.
 */
export async function waitInLine<T>(signals: ReadonlyArray<AbortSignal | undefined>, join: (waiter: Waiter<T>) => () => void): Promise<T> {
	throwIfStopped(...signals);
	return await new Promise<T>((resolve, reject) => {
		let isOver = false;
		const end = (settle: () => void): void => {
			if (isOver) return;
			isOver = true;
			stopListening();
			leave();
			settle();
		};
		const waiter: Waiter<T> = {
			resolve: (value) => end(() => resolve(value)),
			reject: (error) => end(() => reject(error)),
		};
		const stopListening = onAnyAbort(signals, () => waiter.reject(new StoppedError()));
		const leave = join(waiter);
	});
}

/** Adds the waiter to a set. @returns what removes it. */
export const joinSet =
	<T>(line: Set<Waiter<T>>) =>
	(waiter: Waiter<T>): (() => void) => {
		line.add(waiter);
		return () => line.delete(waiter);
	};
