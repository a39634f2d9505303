import { connect } from './connect';
import { parseBaseUrl } from './address';
import type { Connection, ConnectSettings, FoundService } from './connection';
import { ApiError, ConnectionError, NoServerError, UnreadableAnswerError } from './errors';
import { decided } from './observer';
import type { CallOptions } from './ports';
import { outcomeOf } from './transport/outcome';
import { retry } from './transport/retry';

/** A server of one's own: the v2 proxy, a bare ComfyUI, or both. */
export interface ServerSettings extends Omit<ConnectSettings, 'interface'> {
	/** Where an engine may be, if it is not at `baseUrl`; empty for nowhere else. */
	engineUrl: string;
	/** `engine`: for what the proxy does not offer. */
	wanted: 'any' | 'engine';
}

export interface FoundServer {
	connection: Connection;
	service: FoundService;
}

/**
 * Finds the v2 proxy at `baseUrl`, else an engine there. At `engineUrl` it looks only if nothing answers at `baseUrl`, so
 * that a wrong token or address is told and not passed over; where an engine is wanted, it looks there first.
 * @param options.patienceMs how long to look, for a server that is still starting (as `contact` says; else 30,000).
 * @throws NoServerError; else what the one that answered said.
 */
export async function findServer(
	settings: ServerSettings,
	{ signal, patienceMs = settings.contact?.waitMs ?? 30_000 }: CallOptions & { patienceMs?: number } = {},
): Promise<FoundServer> {
	const { contact } = settings;
	return await retry(async () => await lookOnce(settings, { signal }), { budgetMs: patienceMs, contact, signal });
}

async function lookOnce({ engineUrl, wanted, ...access }: ServerSettings, options: CallOptions): Promise<FoundServer> {
	const proxy: ConnectSettings = { ...access, interface: 'v2' };
	const engineAt = (baseUrl: string): ConnectSettings => ({ ...access, interface: 'engine', baseUrl });
	const atEngineUrl = engineUrl === '' ? [] : [engineAt(engineUrl)];
	const places = wanted === 'any' ? [[proxy, engineAt(access.baseUrl)], atEngineUrl] : [atEngineUrl, [engineAt(access.baseUrl)]];

	const unreachable: ConnectionError[] = [];
	let refusal: { error: unknown } | undefined;
	for (const candidates of places.filter(({ length }) => length > 0)) {
		const found = await firstThatAnswers(candidates, options);
		if ('connection' in found) return found;
		if (isUnreachable(found.error)) unreachable.push(found.error);
		else if (wanted === 'any') throw found.error;
		else refusal ??= found;
	}
	// The proxy answers for itself: what matters is that no engine answers where it should be.
	if (refusal !== undefined && !(isOtherProduct(refusal.error) && unreachable.length > 0)) throw refusal.error;
	throw noneOf(unreachable);
}

/** @returns the first one's error where none is what it should be. */
async function firstThatAnswers(candidates: readonly ConnectSettings[], options: CallOptions): Promise<FoundServer | { error: unknown }> {
	let first: { error: unknown } | undefined;
	for (const candidate of candidates) {
		const connection = connect(candidate);
		const asked = await outcomeOf(verify(connection, first?.error, options));
		const asWhat = { interface: candidate.interface, origin: parseBaseUrl(candidate.baseUrl).origin };
		if (asked.ok) {
			decided({ kind: 'service_found', ...asWhat, version: asked.value.version });
			return { connection, service: asked.value };
		}
		decided({ kind: 'service_not_there', ...asWhat, error: asked.error });
		await connection.close();
		first ??= { error: asked.error };
		if (isUnreachable(asked.error)) break;
	}
	return first as { error: unknown };
}

/**
 * The hosted service answers an engine's own check without a key. After a refused key, an engine must also list its jobs.
 * @throws as the connection's own check and list do.
 */
async function verify(connection: Connection, refusal: unknown, options: CallOptions): Promise<FoundService> {
	const service = await connection.verifyAccess(options);
	if (refusal instanceof ApiError && [401, 403].includes(refusal.status)) await connection.jobs.list({ ...options, limit: 1 });
	return service;
}

const isOtherProduct = (error: unknown): boolean => error instanceof UnreadableAnswerError && error.facts.reason === 'unexpected';

const isUnreachable = (error: unknown): error is ConnectionError =>
	error instanceof ConnectionError && ['refused', 'timeout'].includes(error.trouble);

/** The same address may have been entered twice. */
function noneOf(tried: ConnectionError[]): ConnectionError {
	const [first, ...others] = tried.filter(({ origin }, index) => tried.findIndex((other) => other.origin === origin) === index) as [
		ConnectionError,
		...ConnectionError[],
	];
	return others.length === 0 ? first : new NoServerError([first, ...others]);
}
