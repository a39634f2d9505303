import { setMaxListeners } from 'node:events';

/**
 * Calls the listener when the signal fires. Many items and requests share one execution's signal, so Node's warning
 * about many listeners is switched off.
 * @returns a function that removes the listener.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
	if (!signal) return () => undefined;
	setMaxListeners(Infinity, signal);
	signal.addEventListener('abort', listener, { once: true });
	return () => signal.removeEventListener('abort', listener);
}

/** Like `onAbort`, for several signals. `AbortSignal.any` would leave an entry in a signal that lives long. */
export function onAnyAbort(signals: ReadonlyArray<AbortSignal | undefined>, listener: () => void): () => void {
	const removals = signals.map((signal) => onAbort(signal, listener));
	return () => removals.forEach((remove) => remove());
}

/** Rejects with the signal's reason when it fires. undici notices a signal late, only when it is connected. */
export const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
	new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
