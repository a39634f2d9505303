import {
	type ApiGraph,
	type App,
	type CheckedServer,
	clock,
	type ConversionNote,
	convertWorkflow,
	type Definitions,
	listClasses,
	outcomeOf,
	type ParsedWorkflow,
	readApp,
	StoppedError,
	untilStopped,
} from '../../../client';
import { logDecision } from '../debugLog';
import { requiredDefinitions } from '../inputs/definitions';
import { wordsFor } from '../explain/wordsFor';
import { messages } from '../messages/catalogue';
import { convertedLine } from '../messages/logLines';
import { ItemFault } from '../itemFault';
import type { ItemRun } from '../operation';
import { conversionContext, type ConversionContext } from './controlServer';

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

/** Reads the current definitions of these classes, without a cache. @throws ItemFault if no server has definitions. */
export async function readServerToCheck(item: ItemRun, classes: string[]): Promise<CheckedServer> {
	const server = await conversionContext(item).findControlServer();
	if (server === undefined) throw new ItemFault(messages.CHECK_NEEDS_DEFINITIONS());
	const read = await outcomeOf(
		server.use(async ({ interface: name, control }) => ({
			definitions: (await control?.nodeDefinitions({ classes, signal: item.shutdownSignal })) ?? {},
			listsFiles: name === 'engine',
		})),
	);
	if (read.ok) return read.value;
	if (item.shutdownSignal.aborted || server.credential === item.credential) throw read.error;
	// The message must name the address of this server, which is not the one that runs the jobs.
	throw new ItemFault(wordsFor(read.error, server.credential));
}

/**
 * Returns the workflow in API format.
 * @throws GraphError `not_convertible`; ItemFault if the definitions of its nodes cannot be read.
 */
export async function toApiFormat(context: ConversionContext, workflow: ParsedWorkflow): Promise<LoadedWorkflow> {
	if (workflow.format === 'api') return { content: workflow.graph, graph: workflow.graph, notes: [], dynamicPrompts: [], definitions: {} };
	const { file } = workflow;
	const definitions = await readDefinitions(context, listClasses(file));
	const convertedAt = context.startedAt ?? new Date(clock.wallNow());
	const conversion = convertWorkflow(file, definitions, { now: convertedAt });
	logDecision(() => convertedLine(Object.keys(conversion.graph).length, conversion.notes.length));
	const app = readApp(file, conversion.graph, definitions);
	const editor = { file, definitions, convertedAt };
	return { content: file, ...conversion, definitions, editor, ...(app !== undefined && { app }) };
}
