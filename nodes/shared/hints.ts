import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { onePerKey } from '../../client';
import { codeLine, inOneText, joinAdvice, type Words } from './messages/words';

type HintType = NodeExecutionHint['type'];

/** Adds a hint with the code of its message. n8n shows it only in its editor. */
export const addHint = (execution: IExecuteFunctions, words: Words, type?: HintType): void =>
	execution.addExecutionHints({ message: `${joinAdvice(inOneText(words))} ${codeLine(words)}`, ...(type !== undefined && { type }) });

const topicsOf = onePerKey<IExecuteFunctions, Set<string>>(() => new Set());

/**
 * Adds a hint that all items of an execution share.
 * @param topic of the hint. There is one hint for each topic. Default: its text.
 */
export function hintOnce(execution: IExecuteFunctions, words: Words, type?: HintType, topic = inOneText(words)): void {
	const topics: Set<string> = topicsOf(execution);
	if (topics.has(topic)) return;
	topics.add(topic);
	addHint(execution, words, type);
}

export const warnOnce = (execution: IExecuteFunctions, words: Words, topic?: string): void => hintOnce(execution, words, 'warning', topic);
