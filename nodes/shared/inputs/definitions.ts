import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { type ApiGraph, clock, type Connection, type Definitions, outcomeOf } from '../../../client';
import { serverKey, type ServiceCredential } from '../credentials';
import { editorCredential, withCredential } from '../connect/editorConnect';
import type { ItemContext } from '../operation';
import { noted } from '../debugLog';
import { definitionsLine } from '../messages/logLines';
import { remember } from '../remember';

/** Long enough for setting up a node and for a run; a model that was just installed is found soon. */
const LIFETIME_MS = 5 * 60_000;
/** What was told longer ago may lack a model that was installed since. */
export const JUST_NOW_MS = 5_000;
/** Where there are none, or nobody answers, it is asked again this much later. */
const NONE_LIFETIME_MS = 60_000;
/** Where definitions only help, nobody waits for them longer. */
const PATIENCE_MS = 3_000;
/** What comes later is kept for the next one who asks: all definitions of a server are some megabytes. */
const LOAD_WITHIN_MS = 60_000;
const MOST_SERVERS = 50;
/** Of one server: some have a few thousand, a file of anybody's may name more. */
const MOST_CLASSES = 5_000;

export type Load = (classes: string[], signal: AbortSignal) => Promise<Definitions | undefined>;

type Definition = Definitions[string] | undefined;

interface Known {
	askedAt: number;
	/** However late it comes; undefined where the server has none. Rejects where nobody answers. */
	answer: Promise<Definition>;
	/** Undefined where there is none, or none yet. */
	soon: Promise<Definition>;
	isNone: boolean;
}

/** Of one credential at one address; definitions of one server may differ by who asks. */
const servers = new Map<string, Map<string, Known>>();

function serverOf(credential: ServiceCredential): Map<string, Known> {
	const key = serverKey(credential);
	return remember(servers, key, servers.get(key) ?? new Map<string, Known>(), MOST_SERVERS);
}

const isFresh = ({ askedAt, isNone }: Known): boolean => clock.realNow() - askedAt < (isNone ? NONE_LIFETIME_MS : LIFETIME_MS);

/** One question for all classes that are not known yet; whoever asks meanwhile waits for the same answer. */
function ask(known: Map<string, Known>, classes: string[], load: Load): void {
	const answers = load(classes, clock.signalAfter(LOAD_WITHIN_MS));
	const late = new Promise<undefined>((resolve) => clock.after(PATIENCE_MS, () => resolve(undefined)).unref());
	for (const name of classes) {
		const answer = answers.then((all): Definition => (all !== undefined && Object.hasOwn(all, name) ? all[name] : undefined));
		const told = outcomeOf(answer).then((outcome) => {
			const definition = outcome.ok ? outcome.value : undefined;
			entry.soon = Promise.resolve(definition);
			entry.isNone = definition === undefined;
			return definition;
		});
		const entry: Known = { askedAt: clock.realNow(), isNone: false, answer, soon: Promise.race([told, late]) };
		remember(known, name, entry, MOST_CLASSES + classes.length);
	}
}

async function gathered(classes: string[], definitionOf: (name: string) => Promise<Definition> | undefined): Promise<Definitions> {
	const told = await Promise.all(classes.map(async (name) => [name, await definitionOf(name)] as const));
	return Object.fromEntries(told.filter((entry): entry is [string, Definitions[string]] => entry[1] !== undefined));
}

async function definitionsOf(
	credential: ServiceCredential,
	classes: Iterable<string>,
	load: Load,
	{ olderThanMs = Infinity } = {},
): Promise<Definitions> {
	const known = serverOf(credential);
	const wanted = [...new Set(classes)];
	const isKnown = (entry: Known | undefined): boolean =>
		entry !== undefined && isFresh(entry) && clock.realNow() - entry.askedAt < olderThanMs;
	const unknown = wanted.filter((name) => !isKnown(known.get(name)));
	noted(() => definitionsLine(wanted.length - unknown.length, unknown.length));
	if (unknown.length > 0) ask(known, unknown, load);
	return await gathered(wanted, (name) => known.get(name)?.soon);
}

/**
 * All that the server has of these, waited for as long as it may take: without one of them a workflow cannot be converted.
 * One that was not there is asked for again: it may just have been installed.
 * @throws what kept it from answering.
 */
export async function everyDefinition(credential: ServiceCredential, classes: Iterable<string>, load: Load): Promise<Definitions> {
	const known = serverOf(credential);
	const wanted = [...new Set(classes)];
	const missing = wanted.filter((name) => {
		const entry = known.get(name);
		return entry === undefined || entry.isNone || !isFresh(entry);
	});
	noted(() => definitionsLine(wanted.length - missing.length, missing.length));
	if (missing.length > 0) ask(known, missing, load);
	return await gathered(wanted, (name) => known.get(name)?.answer);
}

const loadFrom = async ({ control }: Connection, classes: string[], signal: AbortSignal): Promise<Definitions | undefined> =>
	await control?.nodeDefinitions({ classes, signal });

/** The definitions of the graph's classes, where the chosen credential leads to a server that tells them, and soon. */
export async function definitionsInEditor(editor: ILoadOptionsFunctions, graph: ApiGraph): Promise<Definitions | undefined> {
	const credential = await outcomeOf(editorCredential(editor));
	if (!credential.ok) return undefined;
	const classes = Object.values(graph).map(({ class_type: name }) => name);
	const load: Load = async (missing, signal) =>
		await withCredential(editor, credential.value, async (connection) => await loadFrom(connection, missing, signal));
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
