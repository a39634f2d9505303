/** The port of the model router: one partner model per request. Field names of the service stay as they are on the wire. */
import type { JsonRecord } from '../decode';
import type { CallOptions } from '../ports';

/** `<provider>/<model>`. */
export type RouterModelId = string;

export interface RouterModel {
	id: RouterModelId;
	provider: string;
	model: string;
	/** Whether a content-policy refusal is charged. A word that is new to us means `unknown`. */
	charges_on_policy_rejection: 'yes' | 'no' | 'unknown';
	/** Absent where no schema has been written for the model. */
	input_schema_url?: string;
	[unknownField: string]: unknown;
}

/** What every answer of the router carries. */
export interface RouterFacts {
	request_id: string | null;
}

export interface RouterModelPage extends RouterFacts {
	models: RouterModel[];
	/** Absent on the last page. */
	nextCursor?: string;
	/** The page size that was served. */
	limit: number;
}

export interface RouterInputSchema extends RouterFacts {
	/** A standalone OpenAPI document. */
	document: JsonRecord;
	/** The schema of the request body, with `$ref`s into the document left in place; undefined when it holds none. */
	schema: JsonRecord | undefined;
	/** False: any object is taken, and only the provider itself checks it. */
	authored: boolean;
}

export interface RouterSpend {
	/** US cents. */
	limit: number | null;
	current: number | null;
	remaining: number | null;
}

/** What a finished run is told with, beside its output. */
export interface RouterRunFacts extends RouterFacts {
	idempotency_key: string | null;
	/** A recorded result: not billed again. */
	replayed: boolean;
	/** A decimal text as the service sent it; null where it did not say, which is not the same as "0". */
	credits_used: string | null;
	spend: RouterSpend | null;
	/** Inputs that the router left out. */
	dropped_parameters: string[];
	fallback_provider: string | null;
	/** A queued request ended with this bucket, and has a result all the same. */
	error_type?: string;
}

export type RouterOutput =
	| { kind: 'json'; value: unknown }
	/** Streamed without a cap; must be read or ended. JSON above 64 MiB comes like this too. */
	| { kind: 'bytes'; contentType: string; sizeBytes: number | null; bytes: AsyncIterable<Uint8Array> };

export interface RouterRun {
	facts: RouterRunFacts;
	output: RouterOutput;
}

export interface RouterRunOptions extends CallOptions {
	/** Queued delivery: fires with `signal`, and when the wait is to end as a stop ends it, but nothing is cancelled. */
	leaving?: AbortSignal;
	/** The same in every attempt of one logical call. */
	idempotencyKey: string;
	/** Time for all attempts and pauses together, in milliseconds. */
	maxWaitMs: number;
	/**
	 * When this key was first sent, in epoch milliseconds; now, when absent. The router forgets a key after 24 hours and
	 * would run anew: it is not sent after that.
	 */
	firstSentAt?: number;
	/**
	 * In place of that: from then on (epoch milliseconds) a caller of whom nothing is known any more may have sent this
	 * key. What it was sent for is collected then, or run now, if it is the same.
	 */
	mayExistSince?: number;
	/** Called when the first answer tells of an earlier call with this key: its result, or that it still goes on. */
	onFound?: () => void;
	/** Called right before the first attempt leaves: what fails earlier was never sent. */
	onSending?: () => void;
	/** Called as soon as a run exists, or may exist: whatever is answered later, sending under another key could bill twice. */
	onMayHaveRun?: () => void;
	/** Query parameters such as `model_provider`, `strict_mode`, `fallback_provider`, `reject_unknown_fields`. */
	query?: Record<string, string>;
}

/** A queued request, as the router says. */
export interface RouterRequest extends RouterFacts {
	/** The id of the queued request; not the `request_id` of the answer. */
	id: string;
	/** `IN_QUEUE`, `IN_PROGRESS`, `COMPLETED`; new words pass through. */
	status: string;
	queue_position: number | null;
	/** The bucket, where it has ended badly. */
	error_type: string | null;
	/** How long to wait before asking again, in milliseconds. */
	retryAfterMs?: number;
	[unknownField: string]: unknown;
}

/** What a queued request is known by: the answers' own links are used where they are given. */
export interface RouterRequestAddress {
	model: RouterModelId;
	id: string;
}

export interface ModelRouter {
	/** One page; `limit` is clamped by the service. @throws ApiError `invalid_input` for a cursor that is no longer good. */
	page(options?: CallOptions & { cursor?: string; limit?: number }): Promise<RouterModelPage>;
	/** The whole catalog, page by page, until the service says that there is no more. */
	models(options?: CallOptions): AsyncGenerator<RouterModel, void, undefined>;
	/** @throws ApiError `model_not_found`, with the service's suggestions in its message. */
	model(id: RouterModelId, options?: CallOptions): Promise<RouterModel & RouterFacts>;
	/** Cached by its ETag for as long as the connection lives. */
	inputSchema(id: RouterModelId, options?: CallOptions): Promise<RouterInputSchema>;
	/** Runs a model and waits for its result, by the retry table of the interface, with one key throughout. */
	run(id: RouterModelId, input: JsonRecord, options: RouterRunOptions): Promise<RouterRun>;
	/** The same by queued delivery: survives a lost connection; polls by `Retry-After`; a stop cancels the request, leaving does not. */
	runQueued(
		id: RouterModelId,
		input: JsonRecord,
		options: RouterRunOptions & { onSubmitted?: (request: RouterRequest) => void },
	): Promise<RouterRun>;
	/** The result of a request that was accepted earlier, by reads alone; a stop cancels it, leaving does not. */
	collect(
		address: RouterRequestAddress,
		options: Pick<RouterRunOptions, 'idempotencyKey' | 'maxWaitMs' | 'signal' | 'leaving'>,
	): Promise<RouterRun>;
	requestStatus(address: RouterRequestAddress, options?: CallOptions): Promise<RouterRequest>;
	/**
	 * Undefined while it has not completed. @throws ApiError by its bucket when it ended badly, was cancelled or aged out.
	 * @param options.request what its status said, so that a bad end of the request is told from trouble of the read.
	 */
	requestResult(address: RouterRequestAddress, options?: CallOptions & { request?: RouterRequest }): Promise<RouterRun | undefined>;
	/** Repeatable. @returns the router's word, e.g. `CANCELLATION_REQUESTED` or `ALREADY_COMPLETED`. */
	cancelRequest(address: RouterRequestAddress, options?: CallOptions): Promise<{ status: string } & RouterFacts>;
}
