import { createHash } from 'node:crypto';

import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { type ApiGraph, type Connection, type Definitions, outcomeOf } from '../../../client';
import { editorCredential, withCredential } from '../editorConnect';
import type { ItemContext, ServiceCredential } from '../operations';

/** Long enough for setting up a node and for a run; a model that was just installed is found soon. */
const LIFETIME_MS = 5 * 60_000;
/** Where there are none, or nobody answers, it is asked again this much later. */
const NONE_LIFETIME_MS = 60_000;
/** Definitions help; nobody waits for them longer. */
const PATIENCE_MS = 3_000;
/** What comes later is kept for the next one who asks: all definitions of a server are some megabytes. */
const LOAD_WITHIN_MS = 30_000;
const MOST_SERVERS = 50;

type Load = (classes: string[], signal: AbortSignal) => Promise<Definitions | undefined>;

interface Known {
	askedAt: number;
	/** Undefined where there is none, or none yet. */
	definition: Promise<Definitions[string] | undefined>;
	isNone: boolean;
}

/** Of one credential at one address; definitions of one server may differ by who asks. */
const servers = new Map<string, Map<string, Known>>();

function serverOf(credential: ServiceCredential): Map<string, Known> {
	const key = createHash('sha256').update(JSON.stringify(credential)).digest('hex');
	const known = servers.get(key) ?? new Map<string, Known>();
	servers.delete(key);
	servers.set(key, known);
	for (const oldest of servers.keys()) if (servers.size > MOST_SERVERS) servers.delete(oldest);
	return known;
}

const isFresh = ({ askedAt, isNone }: Known): boolean => performance.now() - askedAt < (isNone ? NONE_LIFETIME_MS : LIFETIME_MS);

/** One question for all classes that are not known yet; whoever asks meanwhile waits for the same answer. */
function ask(known: Map<string, Known>, classes: string[], load: Load): void {
	const answer = outcomeOf(load(classes, AbortSignal.timeout(LOAD_WITHIN_MS)));
	const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS, undefined).unref());
	for (const name of classes) {
		const told = answer.then((outcome) => {
			const definition = outcome.ok && outcome.value !== undefined && Object.hasOwn(outcome.value, name) ? outcome.value[name] : undefined;
			entry.definition = Promise.resolve(definition);
			entry.isNone = definition === undefined;
			return definition;
		});
		const entry: Known = { askedAt: performance.now(), isNone: false, definition: Promise.race([told, late]) };
		known.set(name, entry);
	}
}

async function definitionsOf(credential: ServiceCredential, classes: Iterable<string>, load: Load, { olderThanMs = Infinity } = {}): Promise<Definitions> {
	const known = serverOf(credential);
	const wanted = [...new Set(classes)];
	const isKnown = (entry: Known | undefined): boolean => entry !== undefined && isFresh(entry) && performance.now() - entry.askedAt < olderThanMs;
	const unknown = wanted.filter((name) => !isKnown(known.get(name)));
	if (unknown.length > 0) ask(known, unknown, load);
	const told = await Promise.all(wanted.map(async (name) => [name, await known.get(name)?.definition] as const));
	return Object.fromEntries(told.filter((entry): entry is [string, Definitions[string]] => entry[1] !== undefined));
}

const loadFrom = async ({ control }: Connection, classes: string[], signal: AbortSignal): Promise<Definitions | undefined> => await control?.nodeDefinitions({ classes, signal });

/** The definitions of the graph's classes, where the chosen credential leads to a server that tells them, and soon. */
export async function definitionsInEditor(editor: ILoadOptionsFunctions, graph: ApiGraph): Promise<Definitions | undefined> {
	const credential = await outcomeOf(editorCredential(editor));
	if (!credential.ok) return undefined;
	const classes = Object.values(graph).map(({ class_type: name }) => name);
	const load: Load = async (missing, signal) => await withCredential(editor, credential.value, async (connection) => await loadFrom(connection, missing, signal));
	return await definitionsOf(credential.value, classes, load);
}

/**
 * Those of a few classes, while an item runs: asked once for all items.
 * @param options.olderThanMs what was told longer ago is asked again.
 */
export async function definitionsAtRun(
	{ connection, credential, signal }: Pick<ItemContext<unknown>, 'connection' | 'credential' | 'signal'>,
	classes: string[],
	options?: { olderThanMs?: number },
): Promise<Definitions> {
	if (connection.control === undefined || classes.length === 0 || signal.aborted) return {};
	return await definitionsOf(credential, classes, async (missing, timeout) => await loadFrom(connection, missing, timeout), options);
}
