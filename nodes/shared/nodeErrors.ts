import { type IExecuteFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ApiError } from '../../client';
import { codeLine, type Words } from './messages/words';

export type NodeError = NodeApiError | NodeOperationError;

/** n8n shows an execution as *Canceled* if the message of its error contains that word, which may come from a service or a file name. */
export const avoidCanceledWord = (message: string): string => message.replaceAll('canceled', 'cancelled');

/** Adds lines to the description of an error. The code stays the last line. */
export function addAdvice(error: NodeError, ...lines: Array<string | undefined>): void {
	const own = error.description?.split('\n') ?? [];
	const code = own.at(-1)?.startsWith('Code: ') ? own.splice(-1) : [];
	error.description = [...own, ...lines, ...code].filter(Boolean).join('\n');
}

/** Returns n8n's own error with our words, and with their code at the end of the description. @param itemIndex is undefined in triggers, which have no items. */
export function nodeErrorFor(execution: Pick<IExecuteFunctions, 'getNode'>, cause: unknown, words: Words, itemIndex?: number): NodeError {
	const description = [words.advice, codeLine(words)].filter(Boolean).join('\n');
	const options = { message: words.message, description, itemIndex };
	const error =
		cause instanceof ApiError
			? new NodeApiError(execution.getNode(), { message: words.message }, { ...options, httpCode: String(cause.status) })
			: new NodeOperationError(execution.getNode(), words.message, options);
	// n8n replaces a message that contains a word such as ENOENT by a message of its own, so ours is set afterwards.
	error.message = avoidCanceledWord(words.message);
	error.description = description;
	return error;
}
