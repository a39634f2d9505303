import { throwIfStopped } from './delay';

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
	let timer: NodeJS.Timeout | undefined;
	const onStop = () => {
		timer = setTimeout(() => later.abort(), milliseconds);
	};
	signal?.addEventListener('abort', onStop, { once: true });
	try {
		return await work(later.signal);
	} finally {
		signal?.removeEventListener('abort', onStop);
		clearTimeout(timer);
	}
}
