import { untilStopped, throwIfStopped } from '../async/stoppableWait';
import { parseBaseUrl } from '../requests/address';
import { clock } from '../async/clock';
import type { EngineConnection, PoolMember } from '../connection/connection';
import { ComfyError, ConnectionError } from '../errors/errors';
import { findServer, type ServerSettings, toNoServerError } from '../connect/findServer';
import type { Definitions } from '../graph/inputs/definitions';
import { runAsShared } from '../log/observer';
import type { Job } from '../ports/job';
import type { CallOptions } from '../ports/jobService';
import { delay } from '../async/delay';
import { type Outcome, outcomeOf, valueOrThrow } from '../async/outcome';
import { isRefusal, isTransient } from '../contact/failures';
import { POLICIES, POOL_LIMITS } from '../contact/policy';
import { retry } from '../contact/retry';
import { ServerContact } from '../contact/serverContact';

/** A server that takes longer to answer does not delay a job that other servers can run. */
export const QUICK_READ_MS = 1_000;
/** Users install models and custom nodes while a long batch runs. */
const DEFINITIONS_TTL_MS = 60_000;

/** One server of a pool. It is connected when it is first needed. */
export class PoolServer implements PoolMember {
	readonly address: string;
	readonly contact = new ServerContact(POOL_LIMITS.unansweredMs);
	private readonly settings: ServerSettings;
	private opening?: Promise<EngineConnection>;
	private latestFailure?: { error: unknown; at: number };
	private latestRefusal?: { error: unknown; at: number };
	private definitions: { read: Promise<Definitions>; classes: Set<string>; at: number } | undefined;

	/** @param closed fires when the pool is closed. */
	constructor(
		settings: ServerSettings,
		private readonly closed: AbortSignal,
	) {
		const { origin, prefix } = parseBaseUrl(settings.baseUrl);
		this.address = origin + prefix;
		this.settings = { ...settings, engineUrl: '', wanted: 'engine', contact: this.contact };
	}

	/** @throws StoppedError if the signal has fired, or the pool is closed. */
	async open({ signal }: CallOptions = {}): Promise<EngineConnection> {
		throwIfStopped(signal, this.closed);
		const opening = (this.opening ??= runAsShared(async () => await this.connect()));
		opening.catch(() => (this.opening = this.opening === opening ? undefined : this.opening));
		return await untilStopped(opening, signal);
	}

	/**
	 * Runs work on this server. If the server has just failed to respond, this returns the same failure without a request.
	 * @throws StoppedError if the signal has fired, or the pool is closed.
	 */
	async ask<T>(work: (connection: EngineConnection) => Promise<T>, { signal }: CallOptions = {}): Promise<Outcome<T>> {
		const { latestFailure } = this;
		if (latestFailure !== undefined && clock.now() - latestFailure.at < POOL_LIMITS.restMs) {
			// A caller that repeats its read without a pause must not block timers and sockets.
			await delay(0, signal, this.closed);
			return { ok: false, error: latestFailure.error };
		}
		const outcome = await outcomeOf(this.open({ signal }).then(work));
		throwIfStopped(signal, this.closed);
		this.noteOutcome(outcome);
		return outcome;
	}

	/** Why the latest request got no response; undefined if it got one. */
	get failure(): unknown {
		return this.latestFailure?.error;
	}

	/** Why it refused a job a short time ago; undefined if it did not, or has accepted one since. */
	get refusal(): unknown {
		const { latestRefusal } = this;
		return latestRefusal !== undefined && clock.now() - latestRefusal.at < POOL_LIMITS.refusedMs ? latestRefusal.error : undefined;
	}

	/** @param refusal undefined if the server accepted the job. */
	noteSubmission(refusal?: unknown): void {
		this.latestRefusal = refusal === undefined ? undefined : { error: refusal, at: clock.now() };
	}

	/** Whether an error is about another server, from which a file could not be copied. */
	isErrorOfOther(error: unknown): boolean {
		if (error instanceof ComfyError && error.server !== undefined) return error.server !== this.address;
		return error instanceof ConnectionError && new URL(this.address).origin !== error.origin;
	}

	noteOutcome(outcome: Outcome<unknown>): void {
		if (!outcome.ok && outcome.error instanceof ComfyError) outcome.error.server ??= this.address;
		if (outcome.ok || !isTransient(outcome.error)) this.latestFailure = undefined;
		else this.latestFailure = { error: outcome.error, at: clock.now() };
	}

	/** Returns the definitions of at least these classes that the server has, from the last minute. */
	async definitionsOf(classes: readonly string[], options: CallOptions = {}): Promise<Outcome<Definitions>> {
		const known = this.definitions;
		const isKnown = known !== undefined && clock.now() - known.at < DEFINITIONS_TTL_MS && classes.every((name) => known.classes.has(name));
		if (isKnown) return await outcomeOf(untilStopped(known.read, options.signal));
		const wanted = [...new Set([...(known?.classes ?? []), ...classes])];
		const read = runAsShared(async () =>
			valueOrThrow(await this.ask(async ({ control }) => await control.nodeDefinitions({ classes: wanted }))),
		);
		const entry = { read, classes: new Set(wanted), at: clock.now() };
		this.definitions = entry;
		read.catch(() => (this.definitions = this.definitions === entry ? undefined : this.definitions));
		return await outcomeOf(untilStopped(read, options.signal));
	}

	/** Closes its connection, also one that is being opened. */
	async close(): Promise<void> {
		const opened = this.opening === undefined ? undefined : await outcomeOf(this.opening);
		if (opened?.ok) await opened.value.close();
	}

	private async connect(): Promise<EngineConnection> {
		const { connection } = await findServer(this.settings, { patienceMs: 0, signal: this.closed });
		if (connection.interface === 'engine') return connection;
		throw new Error('findServer was asked for an engine');
	}
}

/** A job and the server that has it. */
export interface PlacedJob {
	job: Job;
	server: PoolServer;
}

/** What one server of a pool answered. */
export interface PoolAnswer<T> {
	server: PoolServer;
	outcome: Outcome<T>;
}

export type PoolWork<T> = (connection: EngineConnection, server: PoolServer) => Promise<T>;

/** Asks all servers at the same time. @throws StoppedError. */
export const askAll = async <T>(
	servers: readonly PoolServer[],
	work: PoolWork<T>,
	options: CallOptions = {},
): Promise<Array<PoolAnswer<T>>> =>
	await Promise.all(
		servers.map(async (server) => ({ server, outcome: await server.ask(async (connection) => await work(connection, server), options) })),
	);

/**
 * Asks the servers one after another, until one responds and has what is requested.
 * @param isElsewhere whether an error says that another server may have it.
 * @throws any other error; the error of the pool if no server has it.
 */
export async function askFirst<T>(
	servers: readonly PoolServer[],
	work: PoolWork<T>,
	isElsewhere: (error: unknown) => boolean,
	options: CallOptions = {},
): Promise<{ server: PoolServer; value: T }> {
	const errors: unknown[] = [];
	for (const server of servers) {
		const outcome = await server.ask(async (connection) => await work(connection, server), options);
		if (outcome.ok) return { server, value: outcome.value };
		if (!isTransient(outcome.error) && !isElsewhere(outcome.error)) throw outcome.error;
		errors.push(outcome.error);
	}
	throw toPoolError(errors);
}

/** What ends the repeated work of a pool. */
export interface PoolLimits {
	/** How long requests are repeated while no server responds. */
	contact: ServerContact;
	/** Fires when the pool is closed. */
	closed: AbortSignal;
}

/**
 * Repeats work that no server responds to, or that needs the server that does not respond.
 * @param pool its contact limits the time in which no server responds.
 * @param budgetMs limits other temporary failures. Default: the limit of the contact.
 */
export async function repeatWhileSilent<T>(
	{ contact, closed }: PoolLimits,
	work: () => Promise<T>,
	{ budgetMs = contact.waitMs, signal }: CallOptions & { budgetMs?: number } = {},
): Promise<T> {
	const attempt = async (): Promise<T> => {
		const startedAt = clock.now();
		const outcome = await outcomeOf(work());
		noteOnContact(contact, outcome.ok ? undefined : outcome.error, startedAt);
		return valueOrThrow(outcome);
	};
	return await retry(attempt, { policy: { ...POLICIES.read, budgetMs }, contact, signal, closed });
}

/** @param error undefined if the servers answered. @param startedAt when the work began, by `clock.now`. */
export function noteOnContact(contact: ServerContact, error: unknown, startedAt: number): void {
	if (error === undefined) contact.noteAnswer({ status: 200, isHtml: false });
	else contact.noteFailure(error, startedAt);
}

/** Returns the values of the servers that answered. */
export const listValues = <T>(answers: ReadonlyArray<PoolAnswer<T>>): Array<{ server: PoolServer; value: T }> =>
	answers.flatMap(({ server, outcome }) => (outcome.ok ? [{ server, value: outcome.value }] : []));

/** Returns the errors of the servers that did not answer, or rejected the request. */
export const listErrors = (answers: ReadonlyArray<PoolAnswer<unknown>>): unknown[] =>
	answers.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.error]));

/** @returns the values of the servers that answered. @throws the error of the pool if no server did. */
export function requireValues<T>(answers: ReadonlyArray<PoolAnswer<T>>): Array<{ server: PoolServer; value: T }> {
	const values = listValues(answers);
	if (values.length === 0) throw toPoolError(listErrors(answers));
	return values;
}

/** Returns the results of the servers that respond. @throws the error of the pool if none does. */
export const askEach = async <T>(servers: readonly PoolServer[], work: PoolWork<T>, options?: CallOptions): Promise<T[]> =>
	requireValues(await askAll(servers, work, options)).map(({ value }) => value);

/** Returns the addresses of the servers that did not respond. */
export const listUnanswered = (answers: ReadonlyArray<PoolAnswer<unknown>>): string[] =>
	answers.flatMap(({ server, outcome }) => (outcome.ok ? [] : [server.address]));

/** Returns one error for the errors of all servers. An error that lasts comes first, because waiting does not help. */
export function toPoolError(errors: readonly unknown[]): unknown {
	const lasting = errors.find((error) => error !== undefined && !isTransient(error));
	const error = lasting ?? toNoServerError(errors.filter((one) => one instanceof ConnectionError)) ?? errors[0];
	return withRefusals(error, errors);
}

/** Adds the refusals of other servers to the error, so that its message can name them. */
export function withRefusals(error: unknown, errors: readonly unknown[]): unknown {
	const refusals = errors.filter((one): one is ComfyError => one instanceof ComfyError && one !== error && isRefusal(one));
	if (error instanceof ComfyError && refusals.length > 0) error.refusals = refusals;
	return error;
}
