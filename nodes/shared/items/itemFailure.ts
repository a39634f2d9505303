import { type IDataObject, type IExecuteFunctions, type INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ApiError, ComfyError, UnknownOutcomeError, UnreadableAnswerError, UnreadableJobError } from '../../../client';
import type { NamedCredential } from '../credentials';
import { ItemFault } from '../itemFault';
import type { ItemProgress } from '../itemProgress';
import { shortened } from '../messages/words';
import { wordsFor } from '../messages/wordsFor';
import { asFailure, type NodeError, nodeErrorFor } from '../nodeErrors';
import { isRunNode } from '../operation';
import { withoutSecrets } from '../withoutSecrets';

export interface ItemFailure {
	error: NodeError;
	/** What Continue On Fail passes on. */
	item: INodeExecutionData;
}

function unreadableAnswerFacts({ name, status, requestId }: UnreadableAnswerError): IDataObject {
	const known: IDataObject = { kind: name, http_status: status };
	return requestId === undefined ? known : { ...known, request_id: requestId };
}

/** What a program may want of a failure: ids, codes, and the service's own words in full. */
function failureFacts(cause: unknown): IDataObject {
	if (!(cause instanceof ComfyError)) return {};
	if (cause instanceof UnreadableAnswerError) return unreadableAnswerFacts(cause);
	if (cause instanceof UnknownOutcomeError || cause instanceof UnreadableJobError)
		return { ...failureFacts(cause.cause), kind: cause.name };
	if (!(cause instanceof ApiError)) return { kind: cause.name };
	const facts: IDataObject = { kind: cause.name, code: cause.code, http_status: cause.status, message: cause.message };
	if (cause.requestId !== undefined) facts.request_id = cause.requestId;
	if (cause.details !== undefined && cause.details !== null) facts.details = cause.details as IDataObject;
	return facts;
}

/**
 * The one place where something thrown becomes n8n's own error, in words: what happened, then what to do. The item
 * index is always set, and everything known of the item (its job id above all) is kept.
 */
export function toItemFailure(
	execution: IExecuteFunctions,
	itemIndex: number,
	cause: unknown,
	known: IDataObject,
	credential?: NamedCredential,
): ItemFailure {
	const index = cause instanceof ItemFault ? (cause.itemIndex ?? itemIndex) : itemIndex;
	let error: NodeError;
	if (cause instanceof NodeApiError || cause instanceof NodeOperationError) {
		error = cause;
		error.message = asFailure(error.message);
		error.context.itemIndex ??= index;
	} else {
		error = nodeErrorFor(execution, cause, wordsFor(cause, credential, isRunNode(execution)), index);
	}
	const facts = withoutSecrets(failureFacts(cause), credential);
	const ids = withoutSecrets(known, credential);
	error.context.data = { ...ids, ...facts };
	const json: IDataObject = { ...ids, error: error.message, error_description: error.description ?? '' };
	if (Object.keys(facts).length > 0) json.error_facts = facts;
	const item: INodeExecutionData = { json, pairedItem: { item: index } };
	if (execution.getNode().onError === 'continueErrorOutput') markForErrorOutput(item, error);
	return { error, item };
}

/**
 * n8n moves an item to the node's error output when it has an `error` beside its `json`, but then also replaces the
 * whole `json` of items that still have one. It copies the item in between, which drops what is not enumerable: so the
 * item is moved, and its ids are kept.
 */
function markForErrorOutput(item: INodeExecutionData, error: NodeError): void {
	Object.defineProperty(item, 'error', { value: error, enumerable: false });
}

const MOST_JOBS_IN_WORDS = 20;

/**
 * The failure, with the jobs that exist all the same and are not in its message: they were paid for and can be waited
 * for by id.
 * @param progress of all items. A job that was only entered may not exist, so it is not listed.
 */
export function withExistingJobs(failure: ItemFailure, progress: ItemProgress[], advice?: string): NodeError {
	const { error } = failure;
	// What a 404 was about does not exist.
	const missing = error instanceof NodeApiError && error.httpCode === '404' ? error.context.itemIndex : undefined;
	const exists = (id: string): boolean => progress.some((item) => item.hasConfirmed(id));
	const jobs = progress.flatMap(({ jobId: id }, item) =>
		id !== undefined && exists(id) && item !== missing && !error.message.includes(id) ? [{ item, job_id: id }] : [],
	);
	if (jobs.length === 0) return error;
	error.context.data = { ...(error.context.data as IDataObject | undefined), existing_jobs: jobs };
	const named = jobs.slice(0, MOST_JOBS_IN_WORDS).map(({ item, job_id: id }) => `item ${item}: ${id}`);
	if (jobs.length > named.length) named.push(`and ${jobs.length - named.length} more, under existing_jobs in the details of this failure`);
	error.description = [error.description, `Jobs that exist: ${named.join(', ')}.`, advice].filter(Boolean).join('\n');
	return error;
}

const LONGEST_FOR_MODEL = 2_000;

/** The model of an AI agent is told the message of a failure, and nothing else of it. */
export function inOneText(error: NodeError): NodeError {
	error.message = asFailure(shortened([error.message, error.description].filter(Boolean).join('\n'), LONGEST_FOR_MODEL));
	error.description = null;
	return error;
}

/** A failure as the answer of a tool: in words, and with what is known of the job. */
export function answerOf({ item: { json, pairedItem } }: ItemFailure): INodeExecutionData {
	const answer: IDataObject = { ...json, error_description: shortened(String(json.error_description ?? ''), LONGEST_FOR_MODEL) };
	delete answer.error_facts;
	return { json: answer, pairedItem };
}
