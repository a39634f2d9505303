/** One taxonomy. Errors carry facts; `nodes/shared/messages` finds the words. None holds a secret or a link's query. */
import type { ApiGraph, InterfaceName } from './job';
import { shallow } from './shallow';

/** Whose words a refusal is in. */
export type ServiceName = InterfaceName | 'router';

export abstract class ComfyError extends Error {
	override get name(): string {
		return this.constructor.name;
	}
}

export interface ApiErrorFacts {
	interface: ServiceName;
	/** Machine-readable; a code that is new to us passes through. */
	code: string;
	status: number;
	/** The service's own words. */
	message: string;
	details?: unknown;
	retryAfterMs?: number;
	requestId?: string;
}

/** The service refused, in its own words. */
export class ApiError extends ComfyError {
	readonly interface: ServiceName;
	readonly code: string;
	readonly status: number;
	readonly details: unknown;
	readonly retryAfterMs?: number;
	readonly requestId?: string;
	/** What was refused, where it is a workflow: its nodes have classes and titles that the refusal may not name. */
	graph?: ApiGraph;
	/** A submission was refused for so long, at last with so many jobs of this connection in flight. `field`: the setting that says how long. */
	refusedWith?: { inFlight: number; forMs: number; field?: string };

	constructor(facts: ApiErrorFacts) {
		super(facts.message);
		this.interface = facts.interface;
		this.code = facts.code;
		this.status = facts.status;
		this.details = shallow(facts.details);
		this.retryAfterMs = facts.retryAfterMs;
		this.requestId = facts.requestId;
	}
}

/** What people take for one another. `service`: one of jobs that wants a key. */
export type Product = 'comfyui' | 'proxy' | 'service' | 'router' | 'n8n';

export interface UnreadableAnswerFacts {
	status: number;
	contentType: string | null;
	requestId?: string;
	retryAfterMs?: number;
	/** `html`: a web page came back. `truncated`: the body ended early. `unexpected`: JSON, but not of the known shape. */
	reason: 'html' | 'truncated' | 'not_json' | 'unexpected';
	/** Scheme, host and path; never the query. */
	address: string;
	/** What stands there, where that has been found out. */
	product?: Product;
}

/** An answer came, but not one this service gives: a proxy's page, half a body, another product. */
export class UnreadableAnswerError extends ComfyError {
	readonly facts: UnreadableAnswerFacts;

	constructor(facts: UnreadableAnswerFacts, options?: ErrorOptions) {
		super(`Unreadable answer (${facts.reason}, HTTP ${facts.status}) from ${facts.address}`, options);
		this.facts = facts;
	}
}

export type ConnectionTrouble = 'refused' | 'dns' | 'tls' | 'no_tls' | 'only_tls' | 'timeout' | 'lost' | 'blocked' | 'invalid_address';

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

	constructor(idempotencyKey: string | undefined, { jobId, ...options }: ErrorOptions & { jobId?: string } = {}) {
		super('The submission got no answer; a job may have been created', options);
		this.idempotencyKey = idempotencyKey;
		this.jobId = jobId;
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

export type GraphFault =
	| { fault: 'not_json'; detail: string }
	| { fault: 'ui_format' }
	| { fault: 'not_a_graph'; detail: string }
	| { fault: 'unknown_node'; node: string; known: string[] }
	| { fault: 'ambiguous_title'; node: string; ids: string[] }
	| { fault: 'unknown_input'; node: string; input: string; known: string[] }
	/** `left`: what an object has kept of the number. */
	| { fault: 'lost_digits'; id: string; name: string; input: string; left: string }
	/** `isUnreadable`: it is text, and no JSON. */
	| { fault: 'bad_values'; detail: string; isUnreadable?: true }
	| GraphInputFault;

export type ExpectedValue = 'text' | 'integer' | 'number' | 'boolean' | 'json' | 'file';

/** What is wrong with one input that was to be changed. Inputs are listed as `6.text (Positive · text)`. */
export type GraphInputFault =
	| { fault: 'no_such_input'; name: string; near: string[]; known: string[] }
	| { fault: 'ambiguous_input'; name: string; inputs: string[] }
	/** What was called `chosenAs` is `now`; at `name` stands another. */
	| { fault: 'moved_input'; name: string; chosenAs: string; label: string; now: string }
	/** Its value comes from node `from`; `inputs`: what can be changed there. `title` is absent where that node is. */
	| { fault: 'linked_input'; name: string; from: string; title: string | undefined; inputs: string[] }
	/** `given`: the value as it may be shown. */
	| { fault: 'wrong_value'; label: string; expected: ExpectedValue; given: string }
	| { fault: 'value_out_of_range'; label: string; value: string; min?: string; max?: string }
	| { fault: 'value_not_offered'; label: string; value: string; near: string[]; offered: string[] }
	/** `left`: what a double has kept of it. */
	| { fault: 'value_lost_digits'; label: string; left: string };

/** The workflow or its input values are unusable; nothing was sent. */
export class GraphError extends ComfyError {
	constructor(readonly facts: GraphFault) {
		super(`Unusable workflow: ${facts.fault}`);
	}
}
