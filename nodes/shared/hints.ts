import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { onePerKey } from './caches';

const messagesOf = onePerKey<IExecuteFunctions, Set<string>>(() => new Set());

/** Adds a hint that all items of an execution share. n8n shows it only in its editor. */
export function hintOnce(execution: IExecuteFunctions, hint: NodeExecutionHint): void {
	const messages: Set<string> = messagesOf(execution);
	if (messages.has(hint.message)) return;
	messages.add(hint.message);
	execution.addExecutionHints(hint);
}

export const warnOnce = (execution: IExecuteFunctions, message: string): void => hintOnce(execution, { message, type: 'warning' });
