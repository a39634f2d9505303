import { setMaxListeners } from 'node:events';

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
