import { mayPass } from '../contact/failures';
import type { RetryPolicy } from '../contact/policy';
import { Backoff } from '../contact/retry';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import type { SourceListener } from './eventSource';

/**
 * Repeats the work until it succeeds, and reports each failure.
 * @returns the result; undefined if the signal fires first.
 */
export async function repeatUntilDone<T>(
	work: () => Promise<T>,
	policy: RetryPolicy,
	listener: Pick<SourceListener, 'onTrouble'>,
	signal: AbortSignal,
): Promise<T | undefined> {
	const backoff = new Backoff(policy);
	while (!signal.aborted) {
		const outcome = await outcomeOf(work());
		if (outcome.ok) return outcome.value;
		if (signal.aborted) break;
		const { error } = outcome;
		const retryInMs = backoff.next(error, { mayHelp: mayPass(error) });
		listener.onTrouble({ error, retryInMs });
		await outcomeOf(delay(retryInMs, signal));
	}
	return undefined;
}
