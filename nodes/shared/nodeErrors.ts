import { type IExecuteFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ApiError } from '../../client';
import type { Words } from './messages/words';

export type NodeError = NodeApiError | NodeOperationError;

/** @param itemIndex undefined in triggers, which have no items. */
export function nodeErrorFor(execution: Pick<IExecuteFunctions, 'getNode'>, cause: unknown, words: Words, itemIndex?: number): NodeError {
	const options = { message: words.message, description: words.advice, itemIndex };
	const error =
		cause instanceof ApiError
			? new NodeApiError(execution.getNode(), { message: words.message }, { ...options, httpCode: String(cause.status) })
			: new NodeOperationError(execution.getNode(), words.message, options);
	// n8n swaps a message that happens to contain a word such as ENOENT for one of its own; ours are meant.
	error.message = words.message;
	error.description = words.advice;
	return error;
}
