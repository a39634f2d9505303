import { type IExecuteFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ApiError } from '../../client';
import type { Words } from './messages/words';

export type NodeError = NodeApiError | NodeOperationError;

/** n8n shows an execution as *Canceled* if this word stands in the message of its error: a service or a file name may hold it. */
export const asFailure = (message: string): string => message.replaceAll('canceled', 'cancelled');

/** @param itemIndex undefined in triggers, which have no items. */
export function nodeErrorFor(execution: Pick<IExecuteFunctions, 'getNode'>, cause: unknown, words: Words, itemIndex?: number): NodeError {
	const options = { message: words.message, description: words.advice, itemIndex };
	const error =
		cause instanceof ApiError
			? new NodeApiError(execution.getNode(), { message: words.message }, { ...options, httpCode: String(cause.status) })
			: new NodeOperationError(execution.getNode(), words.message, options);
	// n8n swaps a message that happens to contain a word such as ENOENT for one of its own; ours are meant.
	error.message = asFailure(words.message);
	error.description = words.advice;
	return error;
}
