import { type IDataObject, type IExecuteFunctions, type INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ApiError, ComfyError, UnknownOutcomeError, UnreadableAnswerError, UnreadableJobError } from '../../../client';
import type { NamedCredential } from '../credentials';
import { FILE_GONE, ItemFault } from '../itemFault';
import type { ItemProgress } from '../itemProgress';
import { wordsFor } from '../explain/wordsFor';
import { messages } from '../messages/catalogue';
import { PASSED_ON } from '../messages/topics/fields';
import { joinAdvice, shorten } from '../messages/words';
import { addAdvice, avoidCanceledWord, type NodeError, nodeErrorFor } from '../nodeErrors';
import { isRunNode } from '../operation';
import { withoutSecrets } from '../withoutSecrets';

export interface ItemFailure {
	error: NodeError;
	/** The item that Continue On Fail passes on. */
	item: INodeExecutionData;
}

function unreadableAnswerFacts({ name, status, requestId }: UnreadableAnswerError): IDataObject {
	const facts: IDataObject = { kind: name, http_status: status };
	return requestId === undefined ? facts : { ...facts, request_id: requestId };
}

/** Returns the facts of a failure for programs: ids, codes and the full text of the service. */
function failureFacts(cause: unknown): IDataObject {
	if (cause instanceof ItemFault && cause.facts.code !== undefined) return { code: cause.facts.code };
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

interface ExplainedError {
	error: NodeError;
	advice: string;
	/** Of the message. Undefined for n8n's own errors. */
	code?: string;
}

function toNodeError(
	execution: IExecuteFunctions,
	cause: unknown,
	credential: NamedCredential | undefined,
	itemIndex: number,
): ExplainedError {
	if (cause instanceof NodeApiError || cause instanceof NodeOperationError) {
		cause.message = avoidCanceledWord(cause.message);
		cause.context.itemIndex ??= itemIndex;
		return { error: cause, advice: cause.description ?? '' };
	}
	const words = wordsFor(cause, credential, isRunNode(execution));
	return { error: nodeErrorFor(execution, cause, words, itemIndex), ...words };
}

/**
 * Turns an error into n8n's own error, with our words. This is the only place that does so for items. The item index is
 * always set, and all reported facts of the item are kept, above all its job id.
 */
export function toItemFailure(
	execution: IExecuteFunctions,
	itemIndex: number,
	cause: unknown,
	reported: IDataObject,
	credential?: NamedCredential,
): ItemFailure {
	const index = cause instanceof ItemFault ? (cause.facts.itemIndex ?? itemIndex) : itemIndex;
	const { error, advice, code } = toNodeError(execution, cause, credential, index);
	const facts = withoutSecrets(failureFacts(cause), credential);
	const ids = withoutSecrets(reported, credential);
	error.context.data = { ...ids, ...facts };
	const json: IDataObject = { ...ids, error: error.message, error_description: advice, ...(code !== undefined && { error_code: code }) };
	if (Object.keys(facts).length > 0) json.error_facts = facts;
	const item: INodeExecutionData = { json, pairedItem: { item: index } };
	if (execution.getNode().onError === 'continueErrorOutput') markForErrorOutput(item, error);
	return { error, item };
}

/**
 * n8n moves an item with an `error` next to its `json` to the error output, copies it, and then replaces the `json` of each
 * copy that still has an `error`. A copy drops properties that are not enumerable, so the item is moved and keeps its ids.
 */
function markForErrorOutput(item: INodeExecutionData, error: NodeError): void {
	Object.defineProperty(item, 'error', { value: error, enumerable: false });
}

const MOST_JOBS_IN_TEXT = 20;

const codeOf = ({ context: { data } }: NodeError): unknown => (data as IDataObject | undefined)?.code;

/**
 * Adds to the failure the jobs that exist and that its message does not name. They are paid for, and their results can be
 * read by id.
 * @param progress of all items. A job that was only entered may not exist, so it is not listed.
 */
export function addExistingJobs(failure: ItemFailure, progress: ItemProgress[], advice?: string): NodeError {
	const { error } = failure;
	// A job that the service answered with 404 does not exist, and a retry does not get files that are gone.
	const isMissing = (error instanceof NodeApiError && error.httpCode === '404') || codeOf(error) === FILE_GONE;
	const missing = isMissing ? error.context.itemIndex : undefined;
	const exists = (id: string): boolean => progress.some((item) => item.hasConfirmed(id));
	const jobs = progress.flatMap(({ jobId: id }, item) =>
		id !== undefined && exists(id) && item !== missing && !error.message.includes(id) ? [{ item, job_id: id }] : [],
	);
	if (jobs.length === 0) return error;
	error.context.data = { ...(error.context.data as IDataObject | undefined), existing_jobs: jobs };
	const named = jobs.slice(0, MOST_JOBS_IN_TEXT).map(({ item, job_id: id }) => `item ${item}: ${id}`);
	if (jobs.length > named.length) named.push(`and ${jobs.length - named.length} more, see existing_jobs in the details of this error`);
	addAdvice(error, `Jobs that exist: ${named.join(', ')}.`, advice);
	return error;
}

const LONGEST_FOR_MODEL = 2_000;

/** Moves the advice into the message, because the model of an AI agent reads only the message. */
export function moveAdviceToMessage(error: NodeError): NodeError {
	error.message = avoidCanceledWord(shorten([error.message, error.description].filter(Boolean).join('\n'), LONGEST_FOR_MODEL));
	error.description = null;
	return error;
}

/** Returns a failure as the answer of a tool: with our words and the known facts of the job. */
export function toToolAnswer({ item: { json, pairedItem } }: ItemFailure): INodeExecutionData {
	const answer: IDataObject = { ...json, error_description: shorten(String(json.error_description ?? ''), LONGEST_FOR_MODEL) };
	delete answer.error_facts;
	return { json: answer, pairedItem };
}

/** The failure of an item in an earlier node of ours. */
interface EarlierFailure {
	fault: ItemFault;
	/** The facts that the earlier node reported about the item. */
	reported: IDataObject;
}

/** Returns the failure that Continue On Fail of an earlier node passed on with the item. It explains why the item lacks a value. */
export function findEarlierFailure({ error, error_description: advice, error_code, ...reported }: IDataObject): EarlierFailure | undefined {
	if (typeof error !== 'string' || typeof advice !== 'string') return undefined;
	const words = messages.EARLIER_NODE_FAILED(error, advice.includes(PASSED_ON) ? advice : joinAdvice(advice, PASSED_ON));
	return { fault: new ItemFault(typeof error_code === 'string' ? { ...words, code: error_code } : words), reported };
}
