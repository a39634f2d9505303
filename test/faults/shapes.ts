/**
 * What the fault matrix is made of. A cell is one fault, done to one call, at its first attempt or at every one: the call goes
 * through a raw proxy of the cell's own to the sandbox, and must end as the cell says, with at most one job billed, nothing
 * left open, and no secret in what is reported.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Sandbox, SandboxOptions } from '../../sandbox';

/** Which attempts of the request meet the fault. */
export const ATTEMPTS = ['first', 'every'] as const;
export type Attempts = (typeof ATTEMPTS)[number];

/** What the service gets of a request that meets the fault. Late: after the caller was told that it is lost. */
export type Delivery = 'nothing' | 'whole' | 'late' | 'twice';

/** What kind of thing a call is on the wire: a fault names those that it can be done to. `bare`: no body of the answer is read. */
export type Wire = 'json' | 'bare' | 'upload' | 'file' | 'events' | 'socket' | 'web';

/** Calls of HTTP whose answer is one thing. */
export const ANSWERED: readonly Wire[] = ['json', 'bare', 'upload', 'file', 'web'];
/** Those that read its body. */
export const WITH_BODY: readonly Wire[] = ['json', 'upload', 'file', 'web'];
/** Those that read JSON of it. */
export const OF_JSON: readonly Wire[] = ['json', 'upload'];

/** One request as it comes in at the proxy, and what can be done with it. A WebSocket is one, too. */
export interface Exchange {
	readonly method: string;
	/** With its query. */
	readonly path: string;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** To the caller: for bytes as they are, resets and silence. */
	readonly socket: Socket;
	/** Resolves once some of the request's body has come; at once where it has none. */
	begun(): Promise<void>;
	/** Resolves once the request has come whole. */
	received(): Promise<void>;
	/** Resolves when the caller has reported the head of an answer. */
	noticed(): Promise<void>;
	/** The same once more, at the service. @returns its whole answer. */
	deliver(): Promise<RawAnswer>;
	/** The same once more, for sockets and streams: the answer as it comes. */
	open(): Promise<Upstream>;
	/** Delivers it after this, whatever comes of the caller; the cell ends only then. */
	deliverLater(after: Promise<unknown>): void;
	/** As if there were no proxy, from here to the end of this exchange. */
	passOn(): Promise<void>;
	/** A promise that resolves when the cell is over: for faults that never answer. */
	readonly over: Promise<void>;
	/** As the call's context has them. */
	readonly stranger: string;
}

export interface Upstream {
	answer: IncomingMessage;
	/** After an upgrade: what is written goes to the service. */
	socket?: Socket;
}

export interface RawAnswer {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	/** As the service meant it: without chunks. */
	body: Buffer;
}

/**
 * What the caller sees of a fault, from which the rules of outcomes.ts tell how a call ends.
 * - `refused`: nothing listens. `lost`: the connection ends before a usable head of an answer. `silent`: it stays, and nothing comes.
 * - `cut`: after a good head the body ends early, and that can be seen. `broken`: the body's coding is damaged.
 * - `fine`: nothing that anybody needs to notice.
 * - `half`, `page`, `no json`, `other`: 200 with half a JSON text, a web page, no JSON, JSON of another shape.
 * - `refusal`: an answer of this status, with this code in the service's own words; without one, what a gateway says by itself.
 */
export type Seen =
	| 'refused'
	| 'lost'
	| 'silent'
	| 'cut'
	| 'broken'
	| 'fine'
	| 'half'
	| 'page'
	| 'no json'
	| 'other'
	| { status: number; code?: string; page?: true };

export interface Fault {
	/** Forever: `--only` chooses by it. */
	name: string;
	/** Faults that are reported together. */
	family: string;
	on: readonly Wire[];
	/** Of requests that carry a body alone. */
	needsBody?: true;
	delivery: Delivery;
	seen: Seen;
	/** Done to a connection before anybody can know what it is for, in place of `strike`: at the port that the call's requests go to. */
	connecting?: 'closed port' | ((socket: Socket) => void);
	/** Where what is seen does not tell how a call ends: asked after the call, and before the rules. */
	expects?(call: Call, attempts: Attempts): Expectation | undefined;
	strike(exchange: Exchange): Promise<void>;
}

/** Where a call's connection goes: each address leads to its surface of the sandbox, through this cell's proxy. */
export interface CallContext {
	readonly sandbox: Sandbox;
	readonly urls: Sandbox['urls'];
	/** No two cells share it: for prompts, keys, file names. */
	readonly mark: string;
	/** A server that is not the service: it must never see a key. */
	readonly stranger: string;
}

export interface Call {
	/** Forever, as `v2 submit`. */
	name: string;
	/** Whose codes a failure has; those of v2 by default. */
	words?: 'v2' | 'v1' | 'engine' | 'router';
	wire: Wire;
	/** The requests that meet the fault: `POST /api/v2/jobs`, `GET /api/v2/jobs/*`. */
	on: string;
	/** Where these go: faults of connections are done to the calls that say so. Whatever must be there before is made at `context.sandbox.urls`. */
	at?: keyof Sandbox['urls'];
	/** After what it is tried again: `passing` failures (default), only what certainly had no effect, or nothing at all. */
	persists?: 'passing' | 'unheard' | 'never' | 'submission';
	/** A sandbox of its own, of this kind: where the cells of others would be in the way. */
	sandbox?: SandboxOptions;
	/** Whether sending it again can never make something a second time; where not, a loss leaves it open. */
	repeatable: boolean;
	/**
	 * Opens its own connection, does the one thing, checks what came, and closes. Failures are thrown as the client throws them.
	 * @returns an outcome that is neither `done` nor a failure.
	 */
	run(context: CallContext): Promise<Outcome | void>;
	/** Where the rules cannot know: how it ends then, and why. They are asked where this is silent. */
	expects?(fault: Fault, attempts: Attempts, call: Call): Expectation | undefined;
	/** How many jobs (or router runs) of this cell are paid. */
	billed?(context: CallContext): number;
}

export type Expects = NonNullable<Call['expects']>;

/** How a cell ends: `done`, or the one failure, as `outcomeOf(error)` of outcomes.ts names it: `api 503`, `unknown outcome`, `connection reset`. */
export type Outcome = string;

export interface Expectation {
	outcome: Outcome;
	because: string;
}

export interface Cell {
	fault: Fault;
	call: Call;
	attempts: Attempts;
	expected: Expectation;
}
