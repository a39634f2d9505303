import {
	type ApiGraph,
	type App,
	type CheckedServer,
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
import { noted } from '../debugLog';
import { everyDefinition } from '../inputs/definitions';
import { wordsFor } from '../messages/wordsFor';
import { convertedLine } from '../messages/logLines';
import { definitionsUnread, noDefinitions, noDefinitionsToCheck } from '../messages/workflowSources';
import { ItemFault } from '../itemFault';
import { type Asker, type Asking, askerAtRun } from './besideJobs';

/** A workflow, ready to be changed and sent. Nobody changes its graph, only copies of it. */
export interface LoadedWorkflow {
	/** As it stands where it comes from: in API format, or the editor's. */
	content: unknown;
	/** In API format. */
	graph: ApiGraph;
	/** What is uncertain in it, since it was converted. */
	notes: ConversionNote[];
	/** Texts of which one choice is drawn for each item. */
	dynamicPrompts: Array<{ nodeId: string; input: string }>;
	/** Numbers that the editor changes after each run; none for what came in API format. */
	changedByEditor?: Array<{ nodeId: string; input: string }>;
	/** By which it was converted; none for what came in API format. */
	definitions: Definitions;
	/** Where its author has marked, in App Mode, what a user is to see. */
	app?: App;
	/** What it is called, where it came by a name. */
	title?: string;
	/** How many of its values were no numbers, and are null. */
	lostNumbers?: number;
	/** It is what the job of an earlier try of this item ran, with everything in place. */
	isOfEarlierTry?: true;
}

const NO_ANSWER = 'it did not answer within a minute';

async function definitionsFor({ beside: findBeside, signal }: Asker, classes: string[]): Promise<Definitions> {
	if (classes.length === 0) return {};
	const beside = await findBeside();
	if (beside === undefined) throw noDefinitions();
	const load = async (missing: string[], within: AbortSignal) =>
		await beside.ask(async ({ control }) => await control?.nodeDefinitions({ classes: missing, signal: within }));
	const told = await outcomeOf(untilStopped(everyDefinition(beside.credential, classes, load), signal));
	if (told.ok) return told.value;
	if (signal.aborted) throw told.error;
	throw definitionsUnread(told.error instanceof StoppedError ? NO_ANSWER : wordsFor(told.error, beside.credential).message);
}

/** What the server tells of these classes at this moment. @throws ItemFault where nobody does. */
export async function askServer(context: Asking, classes: string[]): Promise<CheckedServer> {
	const beside = await askerAtRun(context).beside();
	if (beside === undefined) throw noDefinitionsToCheck();
	const told = await outcomeOf(
		beside.ask(async ({ interface: name, control }) => ({
			definitions: (await control?.nodeDefinitions({ classes, signal: context.leaving })) ?? {},
			listsFiles: name === 'engine',
		})),
	);
	if (told.ok) return told.value;
	if (context.leaving.aborted || beside.credential === context.credential) throw told.error;
	// It is another address that has failed.
	const { message, advice } = wordsFor(told.error, beside.credential);
	throw new ItemFault(message, advice);
}

/** @throws GraphError `not_convertible`; ItemFault where nobody tells what its nodes take. */
export async function converted(asker: Asker, workflow: ParsedWorkflow): Promise<LoadedWorkflow> {
	if (workflow.format === 'api') return { content: workflow.graph, graph: workflow.graph, notes: [], dynamicPrompts: [], definitions: {} };
	const { file } = workflow;
	const definitions = await definitionsFor(asker, listClasses(file));
	const conversion = convertWorkflow(file, definitions, { now: asker.began });
	noted(() => convertedLine(Object.keys(conversion.graph).length, conversion.notes.length));
	const app = readApp(file, conversion.graph, definitions);
	return { content: file, ...conversion, definitions, ...(app !== undefined && { app }) };
}
