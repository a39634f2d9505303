import { mayPass } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import { Backoff } from '../contact/retry';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import type { SourceListener } from './eventSource';

/** Opens a connection as soon as its server responds, and reports each failure. @returns undefined if the signal fires first. */
export async function openWhenUp<T>(
	open: () => Promise<T>,
	listener: Pick<SourceListener, 'onTrouble'>,
	signal: AbortSignal,
): Promise<T | undefined> {
	const backoff = new Backoff(POLICIES.search);
	while (!signal.aborted) {
		const opened = await outcomeOf(open());
		if (opened.ok) return opened.value;
		if (signal.aborted) break;
		const retryInMs = backoff.next(opened.error, { mayHelp: mayPass(opened.error) });
		listener.onTrouble({ error: opened.error, retryInMs });
		await outcomeOf(delay(retryInMs, signal));
	}
	return undefined;
}
