/** The values of the model router: one partner model per request. Field names of the service stay as they are on the wire. */
import type { JsonRecord } from '../json/decode';
import type { CallOptions } from '../ports/jobService';

/** `<provider>/<model>`. */
export type RouterModelId = string;

export interface RouterModel {
	id: RouterModelId;
	provider: string;
	model: string;
	/** Whether a content-policy rejection is charged. An unknown value means `unknown`. */
	charges_on_policy_rejection: 'yes' | 'no' | 'unknown';
	/** Absent if the model has no schema. */
	input_schema_url?: string;
	[unknownField: string]: unknown;
}

/** The facts of every response of the router. */
export interface RouterFacts {
	request_id: string | null;
}

export interface RouterModelPage extends RouterFacts {
	models: RouterModel[];
	/** Absent on the last page. */
	nextCursor?: string;
	/** The size of the returned page. */
	limit: number;
}

export interface RouterInputSchema extends RouterFacts {
	/** A standalone OpenAPI document. */
	document: JsonRecord;
	/** The schema of the request body, with `$ref`s into the document; undefined if there is none. */
	schema: JsonRecord | undefined;
	/** False if any object is accepted, and only the provider checks it. */
	authored: boolean;
}

/** The estimated cost of a run, in US dollars. An absent amount does not mean that the run is free. */
export interface RouterEstimate extends RouterFacts {
	source: 'exact' | 'estimated' | 'unknown';
	/** Only if `exact`. */
	amount_usd: number | null;
	/** Only if `estimated`. The router may leave out the lower one. */
	min_amount_usd: number | null;
	max_amount_usd: number | null;
	/** Why the cost is unknown, in the router's words. */
	reason: string | null;
	/** Why the cost is unknown, if the router's answer could not be used. */
	fault?: EstimateFault;
	/** The time of the prices, as the router writes it. */
	pricing_as_of: string | null;
}

/** No usable source, no usable amount, or another currency than US dollars. */
export type EstimateFault = 'source' | 'amount' | 'currency';

export interface RouterSpend {
	/** US cents. */
	limit: number | null;
	current: number | null;
	remaining: number | null;
}

/** The facts of a finished run. */
export interface RouterRunFacts extends RouterFacts {
	idempotency_key: string | null;
	/** The result is a stored one and not billed again. */
	replayed: boolean;
	/** A decimal text from the service; null if it did not say, which differs from "0". */
	credits_used: string | null;
	/** US dollars. Absent if the response does not contain the cost, which differs from 0. */
	cost_usd?: number;
	spend: RouterSpend | null;
	/** Inputs that the router ignored. */
	dropped_parameters: string[];
	fallback_provider: string | null;
	/** The error bucket of a queued request that has a result despite it. */
	error_type?: string;
}

export type RouterOutput =
	| { kind: 'json'; value: unknown }
	/** Streamed without a limit. Read it or end it. JSON above 64 MiB has this form too. */
	| { kind: 'bytes'; contentType: string; sizeBytes: number | null; bytes: AsyncIterable<Uint8Array> };

export interface RouterRun {
	facts: RouterRunFacts;
	output: RouterOutput;
}

export interface RouterRunOptions extends CallOptions {
	/** Queued delivery: fires with `signal`, and at a shutdown. At a shutdown the wait ends, but nothing is canceled. */
	shutdownSignal?: AbortSignal;
	/** The same in every attempt of one logical call. */
	idempotencyKey: string;
	/** Time for all attempts and pauses together, in milliseconds. */
	maxWaitMs: number;
	/**
	 * When this key was first sent (epoch milliseconds). Default: now. The router forgets a key after 24 hours and would
	 * run again, so it is not sent after that.
	 */
	firstSentAt?: number;
	/**
	 * Use it instead of `firstSentAt` if an earlier process may have sent this key since this time (epoch milliseconds).
	 * If it did, its result is returned; otherwise the call runs now.
	 */
	mayExistSince?: number;
	/** Called if the first response belongs to an earlier call with this key: its result, or that it still runs. */
	onRecovered?: () => void;
	/** Called right before the first attempt is sent. Earlier failures sent nothing. */
	onSending?: () => void;
	/** Called as soon as a run exists or may exist. From then on, a request under another key could be billed twice. */
	onMayHaveRun?: () => void;
	/** Query parameters such as `model_provider`, `strict_mode`, `fallback_provider`, `reject_unknown_fields`. */
	query?: Record<string, string>;
}

export interface EstimateOptions extends CallOptions {
	/** The provider to price, if the model has several. */
	modelProvider?: string;
}

/** A queued request, as the router reports it. */
export interface RouterRequest extends RouterFacts {
	/** The id of the queued request, which differs from the `request_id` of the response. */
	id: string;
	/** `IN_QUEUE`, `IN_PROGRESS` or `COMPLETED`. Unknown values pass through. */
	status: string;
	queue_position: number | null;
	/** The error bucket, if it failed. */
	error_type: string | null;
	/** The pause before the next read, in milliseconds. */
	retryAfterMs?: number;
	[unknownField: string]: unknown;
}

/** Identifies a queued request. */
export interface RouterRequestAddress {
	model: RouterModelId;
	id: string;
}
