import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { isTemporary, LASTING_ERROR_RETRY_MS, type SourceListener } from './eventSource';

const SEARCH_RETRY_MS = 10_000;

/** Opens a connection as soon as its server responds, and reports each failure. @returns undefined if the signal fires first. */
export async function openWhenUp<T>(
	open: () => Promise<T>,
	listener: Pick<SourceListener, 'onTrouble'>,
	signal: AbortSignal,
): Promise<T | undefined> {
	while (!signal.aborted) {
		const opened = await outcomeOf(open());
		if (opened.ok) return opened.value;
		if (signal.aborted) break;
		const retryInMs = isTemporary(opened.error) ? SEARCH_RETRY_MS : LASTING_ERROR_RETRY_MS;
		listener.onTrouble({ error: opened.error, retryInMs });
		await outcomeOf(delay(retryInMs, signal));
	}
	return undefined;
}
