import { setMaxListeners } from 'node:events';

import { StoppedError } from '../errors';

/**
 * Calls the listener when the signal fires. One execution's signal serves any number of items and requests at once, so
 * Node's warning about many listeners would be a false alarm.
 * @returns what takes the listener off again.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
	if (!signal) return () => undefined;
	setMaxListeners(Infinity, signal);
	signal.addEventListener('abort', listener, { once: true });
	return () => signal.removeEventListener('abort', listener);
}

/** The work's result, unless the signal fires first; the work itself goes on. @throws StoppedError. */
export async function untilStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	let stopListening: (() => void) | undefined;
	const stopped = new Promise<never>((_, reject) => {
		const stop = () => reject(new StoppedError());
		if (signal?.aborted) stop();
		else stopListening = onAbort(signal, stop);
	});
	try {
		return await Promise.race([stopped, work]);
	} finally {
		stopListening?.();
	}
}

/** Rejects with the signal's reason. A carrier may notice a signal late: undici does once it is connected. */
export const aborted = (signal: AbortSignal): Promise<never> =>
	new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
