/**
 * The errors of the client. Each one is declared here, or is a ComfyError in the file of its facts (`WebFileError`,
 * `InputError`). Errors contain facts, and `nodes/shared/messages` turns them into text. No error contains a secret or
 * the query of a link.
 */
import type { GraphFault } from './graphFaults';
import type { ApiGraph, InterfaceName } from '../ports/job';
import { limitDepth } from '../json/exactJson';

/** The service that an error comes from. */
export type ServiceName = InterfaceName | 'router';

/** A server gave no answer for too long. */
export interface Silence {
	/** The time limit that is over, in milliseconds. */
	limitMs: number;
	/** Since when, in epoch milliseconds. */
	since: number;
	/** The server had answered before, and may have our work. */
	hadWork: boolean;
}

export abstract class ComfyError extends Error {
	/** Set if the server gave no answer during a whole time limit. Nothing is retried then. */
	silence?: Silence;
	/** The address of the server that the error comes from, if it is one of a pool. */
	server?: string;
	/** The errors of other servers of the pool that refused the same request. Each one has its `server`. */
	refusals?: readonly ComfyError[];

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
	/** The machine-readable code. Unknown codes pass through. */
	code: string;
	/** The service's own message. */
	message: string;
	details?: unknown;
}

/** A response came, but not a successful one. */
export abstract class AnswerError extends ComfyError {
	/** The HTTP status. */
	readonly status: number;
	readonly requestId?: string;
	/** The pause that the service asked for. */
	readonly retryAfterMs?: number;

	constructor(message: string, { status, requestId, retryAfterMs }: AnswerFacts, options?: ErrorOptions) {
		super(message, options);
		this.status = status;
		this.requestId = requestId;
		this.retryAfterMs = retryAfterMs;
	}
}

/** The service rejected a request, with a code and a message of its own. */
export class ApiError extends AnswerError {
	readonly interface: ServiceName;
	readonly code: string;
	readonly details: unknown;
	/** The rejected workflow, if it was one. Its nodes have classes and titles that the error may not name. */
	graph?: ApiGraph;
	/**
	 * Set if a submission was rejected during this whole time, and how many jobs of this connection were in flight at the
	 * end. `field` is the setting that limits the time.
	 */
	refusedWith?: { inFlight: number; forMs: number; field?: string };

	constructor(facts: ApiErrorFacts & ErrorOptions) {
		super(facts.message, facts);
		this.interface = facts.interface;
		this.code = facts.code;
		this.details = limitDepth(facts.details);
	}
}

/** Whether the service does not have what was requested, for example a job. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** @param answer the response that says so. */
export const notImplemented = (name: InterfaceName, message: string, { status = 501, requestId }: Partial<AnswerError> = {}): ApiError =>
	new ApiError({ interface: name, code: 'not_implemented', status, requestId, message });

/** A queued request of the router has ended without a result that could be charged. A new one may replace it. */
export class NoResultError extends ApiError {
	/** Users of the error see an ApiError. */
	override get name(): string {
		return ApiError.name;
	}
}

/** A JSON response has the wrong shape. The sender of the request converts it to an UnreadableAnswerError. */
export class ShapeError extends ComfyError {}

/** Servers that users confuse with each other. `service` has jobs and requires a key. */
export type Product = 'comfyui' | 'proxy' | 'service' | 'router' | 'n8n';

export interface UnreadableAnswerFacts extends AnswerFacts {
	contentType: string | null;
	/**
	 * `html`: a web page came back. `truncated`: the body ended early. `unexpected`: JSON, but not of the known shape.
	 * `other_origin`: a redirect of an API request to another server, which is not followed.
	 */
	reason: 'html' | 'truncated' | 'not_json' | 'unexpected' | 'other_origin';
	/** The origin of the redirect's target. */
	redirectsTo?: string;
	/** Scheme, host and path, without the query. */
	address: string;
	/** The kind of server at this address, if it was recognized. */
	product?: Product;
}

/** A response came that this service does not give: the page of a proxy, half a body, or the answer of another product. */
export class UnreadableAnswerError extends AnswerError {
	constructor(
		readonly facts: UnreadableAnswerFacts,
		options?: ErrorOptions,
	) {
		super(`Unreadable response (${facts.reason}, HTTP ${facts.status}) from ${facts.address}`, facts, options);
	}
}

export type ConnectionTrouble =
	| 'refused'
	| 'dns'
	| 'tls'
	| 'no_tls'
	| 'only_tls'
	| 'timeout'
	/** A download stayed below the lowest accepted rate for a minute. */
	| 'too_slow'
	| 'lost'
	| 'blocked'
	/** A link or a redirect leads to a link-local or metadata address. */
	| 'link_local'
	/** A link or a redirect of a server leads to an address that is not one of the web. */
	| 'not_web'
	/** An address that was entered cannot be used. */
	| 'invalid_address';

/** No response came. */
export class ConnectionError extends ComfyError {
	readonly trouble: ConnectionTrouble;
	/** Scheme, host and port. */
	readonly origin: string;
	/** False only if it is certain that the service received nothing. */
	readonly mayHaveArrived: boolean;
	constructor(facts: { trouble: ConnectionTrouble; origin: string; mayHaveArrived: boolean; message: string }, options?: ErrorOptions) {
		super(facts.message, options);
		this.trouble = facts.trouble;
		this.origin = facts.origin;
		this.mayHaveArrived = facts.mayHaveArrived;
	}
}

/** None of several addresses answers. */
export class NoServerError extends ConnectionError {
	/** @param tried one error for each address. */
	constructor(readonly tried: readonly [ConnectionError, ...ConnectionError[]]) {
		const [{ trouble, origin }] = tried;
		super({ trouble, origin, mayHaveArrived: false, message: tried.map(({ message }) => message).join('; ') }, { cause: tried[0] });
	}
}

/** Something that a workflow uses and a server does not have. */
export interface MissingOnServer {
	/** The address of the server. */
	server: string;
	/** The node class. It is missing itself if `input` is absent. */
	classType: string;
	/** The input, and its value that is not in the list of the server: for example a model. */
	input?: string;
	value?: string;
}

/** No server of a pool has everything that a workflow uses. */
export class NoFittingServerError extends ComfyError {
	constructor(
		readonly missing: readonly MissingOnServer[],
		/** The addresses of servers that did not respond. */
		readonly unanswered: readonly string[],
	) {
		super('No server of the pool can run the workflow');
	}
}

/** The engine does not have the user, or has several users with this name. */
export class UnknownUserError extends ComfyError {
	readonly user: string;
	/** From id to name. Undefined if the engine keeps no users. */
	readonly users: Readonly<Record<string, string>> | undefined;

	constructor({ user, users }: Pick<UnknownUserError, 'user' | 'users'>) {
		super('The engine does not have this user');
		this.user = user;
		this.users = users;
	}
}

/** The caller's signal fired, for example because the execution was stopped. */
export class StoppedError extends ComfyError {
	constructor() {
		super('Stopped');
	}
}

/** A submission got no answer, and its job was not found. The job may or may not exist. */
export class UnknownOutcomeError extends ComfyError {
	readonly idempotencyKey: string | undefined;
	/** The id that was requested for the job, if the interface allows a choice. */
	readonly jobId: string | undefined;
	/**
	 * Set if an earlier process may have sent the submission and this one has not. `key_in_use`: the key was used, but
	 * no job with this graph was found. `not_shown`: there is a job, but the service does not return its graph.
	 * `not_reported`: the service does not say whether there is a job.
	 */
	readonly before: 'key_in_use' | 'not_shown' | 'not_reported' | undefined;
	/** The addresses of the servers of a pool that may have the job. */
	readonly servers: readonly string[] | undefined;

	constructor(
		idempotencyKey: string | undefined,
		{ jobId, before, servers, ...options }: ErrorOptions & Partial<Pick<UnknownOutcomeError, 'jobId' | 'before' | 'servers'>> = {},
	) {
		super('The submission received no response; a job may exist', options);
		this.idempotencyKey = idempotencyKey;
		this.jobId = jobId;
		this.before = before;
		this.servers = servers;
	}
}

/** There was no usable answer about this job for minutes. The job may still run. */
export class UnreadableJobError extends ComfyError {
	readonly jobId: string;
	readonly forMs: number;
	/** Since when, in epoch milliseconds. */
	readonly since: number;
	/** The address of the server, if it is known. */
	readonly address: string | undefined;

	/** @param options.cause the latest failure. */
	constructor({ jobId, forMs, since, address }: Pick<UnreadableJobError, 'jobId' | 'forMs' | 'since' | 'address'>, options: ErrorOptions) {
		super(`Job ${jobId} could not be read`, options);
		this.jobId = jobId;
		this.forMs = forMs;
		this.since = since;
		this.address = address;
	}
}

/** The received bytes are not the announced ones. */
export class IntegrityError extends ComfyError {
	constructor(
		/** `version`: the file changed in the service during the download. */
		readonly what: 'size' | 'hash' | 'version',
		readonly expected: string,
		readonly actual: string,
	) {
		super(`The ${what} of the received bytes is ${actual}, not ${expected}`);
	}
}

/** The workflow or its input values are unusable. Nothing was sent. */
export class GraphError extends ComfyError {
	constructor(readonly facts: GraphFault) {
		super(`Unusable workflow: ${facts.fault}`);
	}
}
