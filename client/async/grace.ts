import { clock, type Timer } from './clock';
import { onAbort } from './abort';
import { throwIfStopped } from './stoppableWait';

/** Limit for work after a stop or a shutdown, for example to cancel a job or to receive an answer. */
export const STOP_LIMIT_MS = 5_000;

/**
 * Runs work that a stop should not end at once. The signal of the work fires `milliseconds` after the caller's.
 * @throws StoppedError if the caller's signal has fired already.
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
