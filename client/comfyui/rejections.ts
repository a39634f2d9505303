/** Decoding of failed answers and of the answer to a submission. v1 and engines send the same. */
import { isRecord, type JsonRecord, recordOf, requireRecord, textOr, without } from '../json/decode';
import { AnswerError, ApiError, type ApiErrorFacts, UnreadableAnswerError } from '../errors/errors';
import { outcomeOf } from '../async/outcome';
import { type HttpResponse, isGatewayStatus } from '../transport/response';

/** Whether a route or its object does not exist. Deployments differ in the routes that they have. */
export const isMissingRoute = (error: unknown): error is AnswerError =>
	error instanceof AnswerError && [404, 405, 501].includes(error.status);

/**
 * Reads the body of a failed answer: JSON, or the text if it is not JSON.
 * @returns undefined if the body is empty, or is the page of a gateway.
 * @throws UnreadableAnswerError.
 */
export async function readErrorBody(response: HttpResponse): Promise<unknown> {
	const read = await outcomeOf(parseBody(response));
	if (read.ok) return read.value;
	if (read.error instanceof UnreadableAnswerError && isGatewayStatus(response.status)) return undefined;
	throw read.error;
}

async function parseBody(response: HttpResponse): Promise<unknown> {
	const text = await response.text();
	return text.trim() === '' ? undefined : response.parseJson(text, { orElse: text });
}

/** What the body of a failed answer says about the error. */
export interface Rejection {
	/** The service's own code. Engines call it `type`. */
	code?: string;
	message?: string;
	/** `node_errors`, the engine's `type`, and other fields. */
	details: JsonRecord;
}

/** Decodes `{code, message}`, `{error: {type|code, message, …}, node_errors}`, `{error: "text"}`, `{message}`, `{detail}`, or a text. */
export function decodeRejection(body: unknown): Rejection {
	if (typeof body === 'string') return { message: body.trim(), details: {} };
	if (!isRecord(body)) return { details: {} };
	const inner = isRecord(body.error) ? body.error : body;
	const type = inner === body ? undefined : textOr(inner.type, undefined);
	return {
		code: textOr(inner.code, type),
		message: textOr(inner.message, textOr(body.error, textOr(inner.detail, undefined))),
		details: {
			...detailsOf(inner.details),
			...(type !== undefined && { type }),
			...(hasEntries(inner.extra_info) && { extra_info: inner.extra_info }),
			...((type !== undefined || body.node_errors !== undefined) && { node_errors: nodeErrorsOf(body) }),
		},
	};
}

/** Returns the errors by node id. ComfyUI sends an empty list instead of an empty object. */
const nodeErrorsOf = ({ node_errors: errors }: JsonRecord): JsonRecord => recordOf(errors);

/** Engines send a sentence instead of an object. */
function detailsOf(details: unknown): JsonRecord {
	if (isRecord(details)) return details;
	return details === undefined || details === null || details === '' ? {} : { details };
}

export const hasEntries = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

export interface AcceptedPrompt {
	jobId: string;
	/** The first status of the job, in the service's words. */
	serviceStatus: string;
	/** Other fields of the answer, for example `number`. */
	otherFields: JsonRecord;
}

export interface RejectedPrompt {
	rejection: Rejection;
	/** The service sends an id even here if a part of the graph is valid. */
	jobId: string | undefined;
}

export type PromptAnswer = AcceptedPrompt | RejectedPrompt;

const DEFAULT_MESSAGE = 'The workflow was refused; the nodes say why';

/**
 * Decodes the answer to a submission. An accepted prompt has an id and no errors. A prompt with errors is rejected, even if
 * a part of the graph runs.
 * @returns undefined if the answer has neither an id nor errors.
 * @throws ShapeError if the answer is not an object.
 */
export function decodePromptAnswer(value: unknown): PromptAnswer | undefined {
	const answer = requireRecord(value, 'answer');
	const jobId = textOr(answer.prompt_id, undefined);
	if (!hasEntries(answer.node_errors) && !hasError(answer.error)) {
		return jobId === undefined
			? undefined
			: { jobId, serviceStatus: textOr(answer.status, 'submitted'), otherFields: without(answer, 'prompt_id', 'error', 'node_errors') };
	}
	const { message = DEFAULT_MESSAGE, code, details } = decodeRejection(answer);
	const all = { ...details, node_errors: nodeErrorsOf(answer), ...(jobId !== undefined && { prompt_id: jobId }) };
	return { rejection: { code, message, details: all }, jobId };
}

const hasError = (error: unknown): boolean =>
	typeof error === 'object' ? hasEntries(error) : error !== undefined && error !== '' && error !== false;

const INVALID_WORKFLOW = 'invalid_workflow';

type PromptInterface = Extract<ApiErrorFacts['interface'], 'v1' | 'engine'>;

/** Returns the error for a workflow that was rejected with HTTP 200. */
export const toRejectionError = (name: PromptInterface, { rejection: { message = INVALID_WORKFLOW, details } }: RejectedPrompt): ApiError =>
	new ApiError({ interface: name, code: INVALID_WORKFLOW, status: 200, message, details });

/** Returns the error of a submission. HTTP 400 rejects the workflow. */
export function toSubmitError(name: PromptInterface, error: unknown): unknown {
	if (!(error instanceof ApiError) || error.status !== 400) return error;
	const { message, details, requestId } = error;
	return new ApiError({ interface: name, code: INVALID_WORKFLOW, status: 400, message, details, requestId });
}
