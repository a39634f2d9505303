import { clock, type Timer } from '../clock';
import { onAbort } from './abort';
import { throwIfStopped } from './delay';

/** What is done for whoever stops or leaves (a job canceled, an answer awaited, a last look) takes no longer. */
export const STOP_LIMIT_MS = 5_000;

/**
 * Runs work that a stop should not cut off at once: its signal fires `milliseconds` after the caller's.
 * @throws StoppedError when the caller's signal has fired already.
 */
export async function withGrace<Result>(
	signal: AbortSignal | undefined,
	milliseconds: number,
	work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	throwIfStopped(signal);
	const later = new AbortController();
	let timer: Timer | undefined;
	const stopListening = onAbort(signal, () => {
		timer = clock.after(milliseconds, () => later.abort());
	});
	try {
		return await work(later.signal);
	} finally {
		stopListening();
		clearTimeout(timer);
	}
}
