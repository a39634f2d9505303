/**
 * One taxonomy: every error that leaves a room of the client is one of these, or a ComfyError beside its facts
 * (`files/web/fault.ts`, `router/inputForm/inputError.ts`). Errors carry facts; `nodes/shared/messages` finds the words. None holds a secret or a
 * link's query.
 */
import type { GraphFault } from './graphFaults';
import type { ApiGraph, InterfaceName } from './job';
import { shallow } from './shallow';

/** Whose words a refusal is in. */
export type ServiceName = InterfaceName | 'router';

export abstract class ComfyError extends Error {
	/** Set when the server did not answer for this whole time limit, in milliseconds, and nothing is tried again. */
	unansweredForMs?: number;

	override get name(): string {
		return this.constructor.name;
	}
}

export interface AnswerFacts {
	status: number;
	retryAfterMs?: number;
	requestId?: string;
}

export interface ApiErrorFacts extends AnswerFacts {
	interface: ServiceName;
	/** Machine-readable; a code that is new to us passes through. */
	code: string;
	/** The service's own words. */
	message: string;
	details?: unknown;
}

/** An answer came, and it is not what was asked for. */
export abstract class AnswerError extends ComfyError {
	/** Of HTTP. */
	readonly status: number;
	readonly requestId?: string;
	/** What the service asked for. */
	readonly retryAfterMs?: number;

	constructor(message: string, { status, requestId, retryAfterMs }: AnswerFacts, options?: ErrorOptions) {
		super(message, options);
		this.status = status;
		this.requestId = requestId;
		this.retryAfterMs = retryAfterMs;
	}
}

/** The service refused, in its own words. */
export class ApiError extends AnswerError {
	readonly interface: ServiceName;
	readonly code: string;
	readonly details: unknown;
	/** What was refused, where it is a workflow: its nodes have classes and titles that the refusal may not name. */
	graph?: ApiGraph;
	/** A submission was refused for so long, at last with so many jobs of this connection in flight. `field`: the setting that says how long. */
	refusedWith?: { inFlight: number; forMs: number; field?: string };

	constructor(facts: ApiErrorFacts) {
		super(facts.message, facts);
		this.interface = facts.interface;
		this.code = facts.code;
		this.details = shallow(facts.details);
	}
}

/** @param answer a refusal that says so. */
export const notImplemented = (name: InterfaceName, message: string, { status = 501, requestId }: Partial<AnswerError> = {}): ApiError =>
	new ApiError({ interface: name, code: 'not_implemented', status, requestId, message });

/** A queued request of the router is over, and nothing came of it that could be charged: another one may be made in its place. */
export class NothingCameError extends ApiError {
	/** For a program it is the same. */
	override get name(): string {
		return ApiError.name;
	}
}

/** An answer is JSON, but not of the shape it must have. Whoever sent the request makes an UnreadableAnswerError of it. */
export class ShapeError extends ComfyError {}

/** What people take for one another. `service`: one of jobs that wants a key. */
export type Product = 'comfyui' | 'proxy' | 'service' | 'router' | 'n8n';

export interface UnreadableAnswerFacts extends AnswerFacts {
	contentType: string | null;
	/**
	 * `html`: a web page came back. `truncated`: the body ended early. `unexpected`: JSON, but not of the known shape.
	 * `other_origin`: a redirect of an API request to another server, which is not followed.
	 */
	reason: 'html' | 'truncated' | 'not_json' | 'unexpected' | 'other_origin';
	/** The origin that the redirect leads to. */
	redirectsTo?: string;
	/** Scheme, host and path; never the query. */
	address: string;
	/** What stands there, where that has been found out. */
	product?: Product;
}

/** An answer came, but not one this service gives: a proxy's page, half a body, another product. */
export class UnreadableAnswerError extends AnswerError {
	constructor(
		readonly facts: UnreadableAnswerFacts,
		options?: ErrorOptions,
	) {
		super(`Unreadable answer (${facts.reason}, HTTP ${facts.status}) from ${facts.address}`, facts, options);
	}
}

export type ConnectionTrouble =
	| 'refused'
	| 'dns'
	| 'tls'
	| 'no_tls'
	| 'only_tls'
	| 'timeout'
	/** A download brought less than the least rate for a minute. */
	| 'too_slow'
	| 'lost'
	| 'blocked'
	/** A link or a redirect led to a link-local or metadata address. */
	| 'link_local'
	| 'invalid_address';

/** No answer came. */
export class ConnectionError extends ComfyError {
	readonly trouble: ConnectionTrouble;
	/** Scheme, host and port. */
	readonly origin: string;
	/** False only when it is certain that the service received nothing. */
	readonly mayHaveArrived: boolean;
	constructor(facts: { trouble: ConnectionTrouble; origin: string; mayHaveArrived: boolean; message: string }, options?: ErrorOptions) {
		super(facts.message, options);
		this.trouble = facts.trouble;
		this.origin = facts.origin;
		this.mayHaveArrived = facts.mayHaveArrived;
	}
}

/** Nothing answers at any of several addresses. */
export class NoServerError extends ConnectionError {
	/** @param tried one for each address. */
	constructor(readonly tried: readonly [ConnectionError, ...ConnectionError[]]) {
		const [{ trouble, origin }] = tried;
		super({ trouble, origin, mayHaveArrived: false, message: tried.map(({ message }) => message).join('; ') }, { cause: tried[0] });
	}
}

/** The caller's signal fired: the execution was stopped. */
export class StoppedError extends ComfyError {
	constructor() {
		super('Stopped');
	}
}

/** A submission got no answer and its job cannot be found: it may or may not exist. */
export class UnknownOutcomeError extends ComfyError {
	readonly idempotencyKey: string | undefined;
	/** The id that the job was to have, where it could be chosen. */
	readonly jobId: string | undefined;
	/**
	 * Set where a process that is gone may have sent it, and this one has not. `key_in_use`: it has, and its job is not
	 * found. `untold`: the service does not tell.
	 */
	readonly before: 'key_in_use' | 'untold' | undefined;

	constructor(
		idempotencyKey: string | undefined,
		{ jobId, before, ...options }: ErrorOptions & Partial<Pick<UnknownOutcomeError, 'jobId' | 'before'>> = {},
	) {
		super('The submission got no answer; a job may have been created', options);
		this.idempotencyKey = idempotencyKey;
		this.jobId = jobId;
		this.before = before;
	}
}

/** The service answers, but for minutes nothing about this job: it may go on all the same. */
export class UnreadableJobError extends ComfyError {
	/** @param options.cause the latest answer, as an error. */
	constructor(
		readonly jobId: string,
		readonly forMs: number,
		options: ErrorOptions,
	) {
		super(`Job ${jobId} could not be read`, options);
	}
}

/** The bytes that came are not the bytes that were announced. */
export class IntegrityError extends ComfyError {
	constructor(
		/** `version`: the file changed in the service while it was received. */
		readonly what: 'size' | 'hash' | 'version',
		readonly expected: string,
		readonly actual: string,
	) {
		super(`The ${what} of the received bytes is ${actual}, not ${expected}`);
	}
}

/** The workflow or its input values are unusable; nothing was sent. */
export class GraphError extends ComfyError {
	constructor(readonly facts: GraphFault) {
		super(`Unusable workflow: ${facts.fault}`);
	}
}
