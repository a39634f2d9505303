import type { ILoadOptionsFunctions } from 'n8n-workflow';

import {
	type ApiGraph,
	Cache,
	clock,
	type Connection,
	type Definitions,
	type NodeReplacements,
	outcomeOf,
	untilStopped,
} from '../../../client';
import { editorCredential, withCredential } from '../connect/editorConnections';
import { serverKey, type ServiceCredential } from '../credentials';
import { logDecision } from '../debugLog';
import { definitionsLine } from '../messages/logLines';
import type { ItemRun } from '../operation';

/** A cache of the definitions of node classes, for all nodes of this process. */

/** Long enough to edit a node and for a run. A new model is found soon. */
const TTL_MS = 5 * 60_000;
/** An older definition may lack a model that was added since. */
export const JUST_NOW_MS = 5_000;
/** The shorter time for a class without a definition, and for a server that did not answer. */
const NONE_TTL_MS = 60_000;
/** The longest wait for optional definitions. */
const OPTIONAL_WAIT_MS = 3_000;
/** A later answer still goes into the cache. All definitions of a server are some megabytes. */
const LOAD_LIMIT_MS = 60_000;
const MOST_SERVERS = 50;
/** The limit for each server. Servers have a few thousand classes, but an untrusted workflow may name more. */
const MOST_CLASSES = 5_000;

type LoadDefinitions = (classes: string[], signal: AbortSignal) => Promise<Definitions | undefined>;

type NodeDefinition = Definitions[string] | undefined;

interface CachedDefinition {
	requestedAt: number;
	/** The answer of the server, undefined if it does not have the class. Rejects if the server did not answer. */
	answer: Promise<NodeDefinition>;
	/** The same, but undefined if the answer did not come within `OPTIONAL_WAIT_MS` or failed. */
	optional: Promise<NodeDefinition>;
	isNone: boolean;
}

type ServerDefinitions = Cache<string, CachedDefinition>;

/** By credential and address, because the definitions of one server may depend on the user. */
const servers = new Cache<string, ServerDefinitions>({ mostEntries: MOST_SERVERS });

function cacheOf(credential: ServiceCredential): ServerDefinitions {
	const key = serverKey(credential);
	return servers.get(key) ?? servers.set(key, new Cache({ mostEntries: MOST_CLASSES }));
}

const ageOf = ({ requestedAt }: CachedDefinition): number => clock.now() - requestedAt;

const isFresh = (entry: CachedDefinition): boolean => ageOf(entry) < (entry.isNone ? NONE_TTL_MS : TTL_MS);

/** Requests several classes at once. Callers that want them meanwhile wait for the same answer. @returns them by their names. */
function request(cache: ServerDefinitions, classes: string[], load: LoadDefinitions): Map<string, CachedDefinition> {
	const requested = new Map<string, CachedDefinition>();
	const loading = load(classes, clock.signalAfter(LOAD_LIMIT_MS));
	const timeout = new Promise<undefined>((resolve) => clock.after(OPTIONAL_WAIT_MS, () => resolve(undefined)).unref());
	for (const name of classes) {
		const answer = loading.then((all): NodeDefinition => (all !== undefined && Object.hasOwn(all, name) ? all[name] : undefined));
		const answered = outcomeOf(answer).then((outcome) => {
			const definition = outcome.ok ? outcome.value : undefined;
			entry.optional = Promise.resolve(definition);
			entry.isNone = definition === undefined;
			return definition;
		});
		const entry: CachedDefinition = {
			requestedAt: clock.now(),
			isNone: false,
			answer,
			optional: Promise.race([answered, timeout]),
		};
		requested.set(name, cache.set(name, entry));
	}
	return requested;
}

async function gather(found: ReadonlyMap<string, CachedDefinition>, part: 'answer' | 'optional'): Promise<Definitions> {
	const entries = await Promise.all([...found].map(async ([name, entry]) => [name, await entry[part]] as const));
	return Object.fromEntries(entries.filter((entry): entry is [string, Definitions[string]] => entry[1] !== undefined));
}

/** Requests the classes that are not usable in the cache. @returns the entries of all classes. */
function findOrRequest(
	credential: ServiceCredential,
	names: Iterable<string>,
	load: LoadDefinitions,
	isUsable: (entry: CachedDefinition) => boolean,
): Map<string, CachedDefinition> {
	const cache = cacheOf(credential);
	const found = new Map<string, CachedDefinition>();
	const missing: string[] = [];
	for (const name of new Set(names)) {
		const entry = cache.get(name);
		if (entry !== undefined && isFresh(entry) && isUsable(entry)) found.set(name, entry);
		else missing.push(name);
	}
	logDecision(() => definitionsLine(found.size, missing.length));
	return missing.length === 0 ? found : new Map([...found, ...request(cache, missing, load)]);
}

/** Returns the definitions that the server sends within a short time. @param olderThanMs older ones are requested again. */
async function optionalDefinitions(
	credential: ServiceCredential,
	names: Iterable<string>,
	load: LoadDefinitions,
	{ olderThanMs = Infinity } = {},
): Promise<Definitions> {
	return await gather(
		findOrRequest(credential, names, load, (entry) => ageOf(entry) < olderThanMs),
		'optional',
	);
}

/**
 * Returns all definitions that the server has, without a time limit of its own, because a workflow cannot be converted
 * without them. A class that the server did not have is requested again, because it may have been installed since.
 * @param options `olderThanMs`: older ones are requested again.
 * @throws the error of the request.
 */
export async function requiredDefinitions(
	credential: ServiceCredential,
	names: Iterable<string>,
	load: LoadDefinitions,
	{ olderThanMs = Infinity } = {},
): Promise<Definitions> {
	return await gather(
		findOrRequest(credential, names, load, (entry) => !entry.isNone && ageOf(entry) < olderThanMs),
		'answer',
	);
}

/** By credential and address. */
const replacementLists = new Cache<string, Promise<NodeReplacements>>({ mostEntries: MOST_SERVERS, ttlMs: TTL_MS });

/** Returns the replacements of retired classes that the server reports. @throws the error of the request. */
export const requiredReplacements = async (
	credential: ServiceCredential,
	load: (signal: AbortSignal) => Promise<NodeReplacements | undefined>,
): Promise<NodeReplacements> =>
	await replacementLists.getOrLoad(serverKey(credential), async () => (await load(clock.signalAfter(LOAD_LIMIT_MS))) ?? {});

/** Returns the replacements that the server of an item reports within a short time, or none. */
export async function optionalReplacements({
	connection,
	credential,
}: Pick<ItemRun, 'connection' | 'credential'>): Promise<NodeReplacements> {
	const load = async (signal: AbortSignal) => await connection.control?.nodeReplacements({ signal });
	const read = await outcomeOf(untilStopped(requiredReplacements(credential, load), clock.signalAfter(OPTIONAL_WAIT_MS)));
	return read.ok ? read.value : {};
}

const loadFrom = async ({ control }: Connection, classes: string[], signal: AbortSignal): Promise<Definitions | undefined> =>
	await control?.nodeDefinitions({ classes, signal });

/** Returns the optional definitions of a graph's classes in the editor, or undefined if no usable credential is chosen. */
export async function definitionsInEditor(editor: ILoadOptionsFunctions, graph: ApiGraph): Promise<Definitions | undefined> {
	const credential = await outcomeOf(editorCredential(editor));
	if (!credential.ok) return undefined;
	const classes = Object.values(graph).map(({ class_type: name }) => name);
	const load: LoadDefinitions = async (missing, signal) =>
		await withCredential(editor, credential.value, async (connection) => await loadFrom(connection, missing, signal));
	return await optionalDefinitions(credential.value, classes, load);
}

/** Returns the optional definitions of a few classes while an item runs. @param options `olderThanMs`: older ones are requested again. */
export type ReadDefinitions = (classes: string[], options?: { olderThanMs?: number }) => Promise<Definitions>;

/** Returns the function that reads definitions from the server of an item. */
export function definitionReader({
	connection,
	credential,
	signal,
}: Pick<ItemRun, 'connection' | 'credential' | 'signal'>): ReadDefinitions {
	return async (classes, options) => {
		if (connection.control === undefined || classes.length === 0 || signal.aborted) return {};
		return await optionalDefinitions(
			credential,
			classes,
			async (missing, timeout) => await loadFrom(connection, missing, timeout),
			options,
		);
	};
}
