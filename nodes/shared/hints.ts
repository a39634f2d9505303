import type { IExecuteFunctions } from 'n8n-workflow';

import { onePerKey } from './caches';

const hintsOf = onePerKey<IExecuteFunctions, Set<string>>(() => new Set());

/** Adds a warning that all items of an execution share. n8n shows it only in its editor. */
export function warnOnce(execution: IExecuteFunctions, message: string): void {
	const hints: Set<string> = hintsOf(execution);
	if (hints.has(message)) return;
	hints.add(message);
	execution.addExecutionHints({ message, type: 'warning' });
}
