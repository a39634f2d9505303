import { parseBaseUrl } from '../requests/address';
import { connect } from './connect';
import type { ConnectSettings, FoundService, ServerConnection } from '../connection/connection';
import { POLICIES } from '../contact/policy';
import { retry } from '../contact/retry';
import { firstOfEach } from '../json/decode';
import { ApiError, ConnectionError, NoServerError, UnknownUserError, UnreadableAnswerError } from '../errors/errors';
import { logDecision } from '../log/observer';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';

/** A self-hosted server: the API proxy, a bare ComfyUI, or both. */
export interface ServerSettings extends Omit<ConnectSettings, 'interface'> {
	/** A second address where an engine may answer. Empty if there is none. */
	engineUrl: string;
	/** `engine`: for operations that the API proxy does not offer. */
	wanted: 'any' | 'engine';
	/** The name or id of a user of an engine that was started with `--multi-user`. */
	comfyUser?: string;
}

export interface FoundServer {
	connection: ServerConnection;
	service: FoundService;
}

/**
 * Finds the API proxy at `baseUrl`, or else an engine at the same address. It tries `engineUrl` only if nothing answers at `baseUrl`,
 * so that a wrong token or address is reported. If an engine is wanted, `engineUrl` comes first.
 * @param options.patienceMs how long to look for a server that is still starting, in milliseconds. Default: the limit
 *   of `contact`, or 30,000.
 * @throws NoServerError; UnknownUserError; otherwise the error of the server that answered.
 */
export async function findServer(
	settings: ServerSettings,
	{ signal, patienceMs = settings.contact?.waitMs ?? 30_000 }: CallOptions & { patienceMs?: number } = {},
): Promise<FoundServer> {
	const { contact } = settings;
	const policy = { ...POLICIES.read, budgetMs: patienceMs };
	return await retry(async () => await tryCandidates(settings, { signal }), { policy, contact, signal });
}

async function tryCandidates({ engineUrl, wanted, comfyUser, ...access }: ServerSettings, options: CallOptions): Promise<FoundServer> {
	const proxy: ConnectSettings = { ...access, interface: 'v2' };
	const engineAt = (baseUrl: string): ConnectSettings => ({ ...access, interface: 'engine', baseUrl });
	const atEngineUrl = engineUrl === '' ? [] : [engineAt(engineUrl)];
	const candidateGroups = wanted === 'any' ? [[proxy, engineAt(access.baseUrl)], atEngineUrl] : [atEngineUrl, [engineAt(access.baseUrl)]];

	const unreachable: ConnectionError[] = [];
	let rejection: { error: unknown } | undefined;
	for (const candidates of candidateGroups.filter(({ length }) => length > 0)) {
		const found = await findAnswering(candidates, comfyUser, options);
		if ('connection' in found) return found;
		if (isUnreachable(found.error)) unreachable.push(found.error);
		else if (wanted === 'any') throw found.error;
		else rejection ??= found;
	}
	// The API proxy is not an engine. The useful error is that no engine answers at its own address.
	if (rejection !== undefined && !(isOtherProduct(rejection.error) && unreachable.length > 0)) throw rejection.error;
	throw toNoServerError(unreachable);
}

/** @returns the error of the first candidate if none of them is the expected server. */
async function findAnswering(
	candidates: readonly ConnectSettings[],
	comfyUser: string | undefined,
	options: CallOptions,
): Promise<FoundServer | { error: unknown }> {
	let first: { error: unknown } | undefined;
	for (const candidate of candidates) {
		const connection = connect(candidate);
		const result = await outcomeOf(verifyCandidate(connection, first?.error, options));
		const candidateFacts = { interface: candidate.interface, origin: parseBaseUrl(candidate.baseUrl).origin };
		if (result.ok) {
			logDecision({ kind: 'service_found', ...candidateFacts, version: result.value.version });
			const opened = await outcomeOf(connectAsUser(candidate, connection, comfyUser, options));
			return opened.ok ? { connection: opened.value, service: result.value } : { error: opened.error };
		}
		logDecision({ kind: 'service_not_found', ...candidateFacts, error: result.error });
		await connection.close();
		first ??= { error: result.error };
		if (isUnreachable(result.error)) break;
	}
	return first as { error: unknown };
}

/**
 * The hosted service passes an engine's check without a key. After a rejected key, an engine must therefore also list
 * its jobs.
 * @throws the errors of `verifyAccess` and `list`.
 */
async function verifyCandidate(connection: ServerConnection, rejection: unknown, options: CallOptions): Promise<FoundService> {
	const service = await connection.verifyAccess(options);
	if (rejection instanceof ApiError && [401, 403].includes(rejection.status)) await connection.jobs.list({ ...options, limit: 1 });
	return service;
}

/**
 * Returns a connection whose requests are those of the user. Only engines have users.
 * @throws UnknownUserError; the errors of a read. The connection is then closed.
 */
async function connectAsUser(
	settings: ConnectSettings,
	connection: ServerConnection,
	comfyUser: string | undefined,
	options: CallOptions,
): Promise<ServerConnection> {
	if (comfyUser === undefined || connection.interface !== 'engine') return connection;
	const users = await outcomeOf(connection.maintenance.users(options));
	await connection.close();
	if (!users.ok) throw users.error;
	return connect({ ...settings, headers: { ...settings.headers, 'comfy-user': findUserId(comfyUser, users.value) } });
}

/** An id comes first, because another user may have it as a name. @throws UnknownUserError also for a name that several users have. */
function findUserId(user: string, users: Record<string, string> | undefined): string {
	const ids = Object.keys(users ?? {}).filter((id) => /^[\x21-\x7e]+$/.test(id));
	if (ids.includes(user)) return user;
	const [id, ...others] = ids.filter((candidate) => users?.[candidate] === user);
	if (id === undefined || others.length > 0) throw new UnknownUserError({ user, users });
	return id;
}

const isOtherProduct = (error: unknown): boolean => error instanceof UnreadableAnswerError && error.facts.reason === 'unexpected';

const isUnreachable = (error: unknown): error is ConnectionError =>
	error instanceof ConnectionError && ['refused', 'timeout'].includes(error.trouble);

/** Returns one error for all addresses that did not respond; undefined for none. The user may have entered an address twice. */
export function toNoServerError(errors: readonly ConnectionError[]): ConnectionError | undefined {
	const [first, ...others] = firstOfEach(errors, ({ origin }) => origin);
	return first === undefined || others.length === 0 ? first : new NoServerError([first, ...others]);
}
