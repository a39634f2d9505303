import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { onePerKey } from '../../client';

const topicsOf = onePerKey<IExecuteFunctions, Set<string>>(() => new Set());

/**
 * Adds a hint that all items of an execution share. n8n shows it only in its editor.
 * @param topic of the hint. There is one hint for each topic. Default: its message.
 */
export function hintOnce(execution: IExecuteFunctions, hint: NodeExecutionHint, topic = hint.message): void {
	const topics: Set<string> = topicsOf(execution);
	if (topics.has(topic)) return;
	topics.add(topic);
	execution.addExecutionHints(hint);
}

export const warnOnce = (execution: IExecuteFunctions, message: string, topic?: string): void =>
	hintOnce(execution, { message, type: 'warning' }, topic);
