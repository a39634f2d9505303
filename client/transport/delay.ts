import { StoppedError } from '../errors';

/** Resolves after `milliseconds`; rejects with a StoppedError as soon as the signal fires. */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
	throwIfStopped(signal);
	await new Promise<void>((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(new StoppedError());
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', stop);
			resolve();
		}, milliseconds);
		signal?.addEventListener('abort', stop, { once: true });
	});
}

/** @throws StoppedError when the signal has fired. */
export function throwIfStopped(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new StoppedError();
}
