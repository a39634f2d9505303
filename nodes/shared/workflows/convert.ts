import {
	type ApiGraph,
	type App,
	type CheckedServer,
	clock,
	type ConversionNote,
	convertWorkflow,
	type Definitions,
	findDefinition,
	listClasses,
	listClassNames,
	type NodeReplacements,
	outcomeOf,
	type ParsedWorkflow,
	readApp,
	replaceInGraph,
	StoppedError,
	untilStopped,
} from '../../../client';
import { logDecision } from '../debugLog';
import { optionalReplacements, requiredDefinitions, requiredReplacements } from '../inputs/definitions';
import { wordsFor } from '../explain/wordsFor';
import { messages } from '../messages/catalogue';
import { convertedLine } from '../messages/logLines';
import { ItemFault } from '../itemFault';
import type { ItemRun } from '../operation';
import { conversionContext, type ConversionContext, useControlServer } from './controlServer';

/** The editor's file of a workflow, with what its conversion used. */
export interface EditorWorkflow {
	file: unknown;
	definitions: Definitions;
	convertedAt: Date;
}

/** A workflow that can be changed and submitted. Its graph is never changed, only copied. */
export interface LoadedWorkflow {
	/** The workflow as it was read: in API format or in the editor's format. */
	content: unknown;
	/** The workflow in API format. */
	graph: ApiGraph;
	/** What is uncertain in the conversion. */
	notes: ConversionNote[];
	/** The texts with wildcards, of which each item gets one choice. */
	dynamicPrompts: Array<{ nodeId: string; input: string }>;
	/** The numbers that the editor changes after each run. Undefined for a workflow in API format. */
	changedByEditor?: Array<{ nodeId: string; input: string }>;
	/** The definitions that the conversion used. Empty for a workflow in API format. */
	definitions: Definitions;
	/** Absent for a workflow in API format. */
	editor?: EditorWorkflow;
	/** The app, if the author has selected inputs or outputs in App Mode. */
	app?: App;
	/** The name of a saved workflow or template. */
	title?: string;
	/** How many values were not numbers and became null. */
	lostNumbers?: number;
	/** Whether this is the workflow that the job of an earlier try of the item ran. It contains the item's values already. */
	isOfEarlierTry?: true;
}

const NO_ANSWER = 'it did not respond within one minute';

/** Returns the definitions of these classes. @throws ItemFault if no server has definitions, or if it does not respond. */
export async function readDefinitions({ findControlServer, signal }: ConversionContext, classes: string[]): Promise<Definitions> {
	if (classes.length === 0) return {};
	const server = await findControlServer();
	if (server === undefined) throw new ItemFault(messages.CONVERSION_NEEDS_DEFINITIONS());
	const load = async (missing: string[], timeout: AbortSignal) =>
		await server.use(async ({ control }) => await control?.nodeDefinitions({ classes: missing, signal: timeout }));
	const read = await outcomeOf(untilStopped(requiredDefinitions(server.credential, classes, load), signal));
	if (read.ok) return read.value;
	if (signal.aborted) throw read.error;
	const reason = read.error instanceof StoppedError ? NO_ANSWER : wordsFor(read.error, server.credential).message;
	throw new ItemFault(messages.DEFINITIONS_NOT_READ(reason));
}

type ReadClasses = (classes: string[]) => Promise<Definitions>;

/**
 * Returns the definitions of these classes, the replacements of those that the server does not have, and the definitions of the new
 * classes. Without missing classes, the replacements are not read. If they cannot be read, the missing classes are reported.
 */
async function withReplacements(
	classes: string[],
	signal: AbortSignal,
	readClasses: ReadClasses,
	readAll: () => Promise<NodeReplacements>,
) {
	const definitions = await readClasses(classes);
	const missing = new Set(classes.filter((name) => findDefinition(definitions, name) === undefined));
	const all = missing.size === 0 ? undefined : await outcomeOf(readAll());
	if (all?.ok === false && signal.aborted) throw all.error;
	const entries = Object.entries(all?.ok ? all.value : {}).filter(([name]) => missing.has(name));
	const newClasses = await readClasses(entries.map(([, { newClass }]) => newClass));
	return { definitions: { ...newClasses, ...definitions }, replacements: Object.fromEntries(entries) };
}

/** Returns the replacements that the server reports. */
async function readReplacements({ findControlServer, signal }: ConversionContext): Promise<NodeReplacements> {
	const server = await findControlServer();
	if (server === undefined) return {};
	const load = async (timeout: AbortSignal) =>
		await server.use(async ({ control }) => await control?.nodeReplacements({ signal: timeout }));
	return await untilStopped(requiredReplacements(server.credential, load), signal);
}

/** Reads the current definitions of these classes, without a cache. @throws ItemFault if no server has definitions. */
export async function readServerToCheck(item: ItemRun, classes: string[]): Promise<CheckedServer> {
	const server = await conversionContext(item).findControlServer();
	if (server === undefined) throw new ItemFault(messages.CHECK_NEEDS_DEFINITIONS());
	const signal = item.shutdownSignal;
	return await useControlServer(item, server, async ({ interface: name, control }) => {
		const readClasses: ReadClasses = async (some) =>
			some.length === 0 ? {} : ((await control?.nodeDefinitions({ classes: some, signal })) ?? {});
		const known = await withReplacements(classes, signal, readClasses, async () => (await control?.nodeReplacements({ signal })) ?? {});
		return { ...known, listsFiles: name === 'engine' };
	});
}

/**
 * Returns the workflow in API format.
 * @throws GraphError `not_convertible`; ItemFault if the definitions of its nodes cannot be read.
 */
export async function toApiFormat(context: ConversionContext, workflow: ParsedWorkflow): Promise<LoadedWorkflow> {
	if (workflow.format === 'api') return { content: workflow.graph, graph: workflow.graph, notes: [], dynamicPrompts: [], definitions: {} };
	const { file } = workflow;
	const { definitions, replacements } = await withReplacements(
		listClasses(file),
		context.signal,
		async (classes) => await readDefinitions(context, classes),
		async () => await readReplacements(context),
	);
	const convertedAt = context.startedAt ?? new Date(clock.wallNow());
	const conversion = convertWorkflow(file, definitions, { now: convertedAt, replacements });
	logDecision(() => convertedLine(Object.keys(conversion.graph).length, conversion.notes.length));
	const app = readApp(file, conversion.graph, definitions);
	// The file has the widgets of the retired nodes, so no values of the new ones can be written into it.
	const editor = Object.keys(replacements).length > 0 ? undefined : { file, definitions, convertedAt };
	return { content: file, ...conversion, definitions, editor, ...(app !== undefined && { app }) };
}

/**
 * Replaces the retired nodes of a workflow in API format. ComfyUI does so as well, but without a mapping it drops all inputs of a node.
 * Only an engine whose jobs are found by their ids reports replacements, so the workflow may differ in a retry.
 */
export async function replaceRetired(item: ItemRun, workflow: LoadedWorkflow): Promise<LoadedWorkflow> {
	if (item.connection.interface !== 'engine') return workflow;
	const all = await optionalReplacements(item);
	const retired = listClassNames(workflow.graph).flatMap((name) => (Object.hasOwn(all, name) ? [name, all[name]?.newClass ?? name] : []));
	const read = await outcomeOf(readDefinitions(conversionContext(item), retired));
	return read.ok ? { ...workflow, ...replaceInGraph(workflow.graph, read.value, all) } : workflow;
}
