import {
	isNotFound,
	listClasses,
	listOutputNodes,
	type ApiGraph,
	bareWorkflowPath,
	Cache,
	clock,
	type ChosenWorkflow,
	type Connection,
	type EmbeddedWorkflow,
	GraphError,
	onePerKey,
	outcomeOf,
	type ParsedWorkflow,
	parseWorkflow,
	readChosenWorkflow,
	readEmbeddedWorkflow,
} from '../../../client';
import { readInputFile } from '../files/inputFile';
import { wordsFor } from '../explain/wordsFor';
import { messages } from '../messages/catalogue';
import { shorten, type Words } from '../messages/words';
import type { ItemRun } from '../operation';
import { EmptyField, ItemFault } from '../itemFault';
import { type ConversionContext, conversionContext } from './controlServer';
import { type EditorWorkflow, type LoadedWorkflow, readDefinitions, replaceRetired, toApiFormat } from './convert';
import { FILE_LABEL, isEmptyWorkflow, type WorkflowSource } from './source';

/** A workflow as its source has it, before it is converted. */
interface FoundWorkflow {
	workflow: ParsedWorkflow;
	title?: string;
	/** The file in the editor's format that an image contains next to the graph. */
	editor?: unknown;
	/** How many values were not numbers and became null. */
	lostNumbers?: number;
	blueprint?: ChosenWorkflow['blueprint'];
}

/** Removes what ComfyUI and other programs add to the nodes of a workflow that has run. */
const removeAdditions = (graph: ApiGraph): ApiGraph =>
	Object.fromEntries(
		Object.entries(graph).map(([id, { class_type, inputs, _meta }]) => [id, { class_type, inputs, ...(_meta !== undefined && { _meta }) }]),
	);

/** Parses a workflow that has run before. */
function parseSubmitted(content: unknown): ParsedWorkflow {
	const workflow = parseWorkflow(content);
	return workflow.format === 'api' ? { ...workflow, graph: removeAdditions(workflow.graph) } : workflow;
}

/** Returns the path without its extension, because several folders may have the same title. */
const titleOf = ({ choice }: ChosenWorkflow): string => (choice.from === 'saved' ? bareWorkflowPath(choice.path) : choice.name);

async function readFromLibrary({ library }: Connection, name: string, signal: AbortSignal): Promise<FoundWorkflow> {
	if (library === undefined) throw new ItemFault(messages.SAVED_WORKFLOWS_NOT_AVAILABLE());
	const chosen = await readChosenWorkflow(library, name, { signal });
	return { workflow: parseWorkflow(chosen.content), title: titleOf(chosen), blueprint: chosen.blueprint };
}

/** Reads a saved workflow or a template of ComfyUI. */
export async function readSavedWorkflow({ findControlServer, signal }: ConversionContext, name: string): Promise<FoundWorkflow> {
	const server = await findControlServer();
	if (server === undefined) throw new ItemFault(messages.SAVED_WORKFLOWS_NOT_AVAILABLE());
	const found = await outcomeOf(server.use(async (connection) => await readFromLibrary(connection, name, signal)));
	if (found.ok) return found.value;
	if (signal.aborted || found.error instanceof ItemFault) throw found.error;
	// The message must name the address of this server, which may not be the one that runs the jobs.
	throw new ItemFault(wordsFor(found.error, server.credential));
}

async function readFromFile({ execution, itemIndex }: ItemRun, field: string): Promise<FoundWorkflow> {
	const { source, contentType } = await readInputFile(execution, itemIndex, field, FILE_LABEL);
	const embedded = await readEmbeddedWorkflow(await source.open());
	const content = embedded?.api ?? embedded?.editor;
	if (content !== undefined) return { workflow: parseSubmitted(content), editor: embedded?.editor, lostNumbers: embedded?.lostNumbers };
	if (embedded?.kind === 'json' && !embedded.isForeign) throw noWorkflowError(embedded);
	throw new ItemFault(noWorkflowWords(shorten(field, LONGEST_NAME), contentType, embedded));
}

const LONGEST_NAME = 200;

function noWorkflowWords(field: string, contentType: string, embedded: EmbeddedWorkflow | undefined): Words {
	if (embedded?.isForeign) return messages.IMAGE_OF_OTHER_PROGRAM(field);
	return embedded?.unreadable === undefined
		? messages.FILE_WITHOUT_WORKFLOW(field, contentType)
		: messages.WORKFLOW_IN_FILE_NOT_READ(field, contentType, shorten(embedded.unreadable, LONGEST_NAME));
}

const noWorkflowError = ({ unreadable }: EmbeddedWorkflow): GraphError =>
	new GraphError(
		unreadable === undefined
			? { fault: 'not_a_graph', detail: 'it is not a JSON object' }
			: { fault: 'not_json', detail: unreadable.replace(/^it is not valid JSON: /, '') },
	);

/** Reads the workflow that a job ran. */
export async function readJobWorkflow({ jobs }: Connection, jobId: string, signal: AbortSignal): Promise<ParsedWorkflow> {
	const answer = await outcomeOf(jobs.workflow(jobId, { signal }));
	if (answer.ok) return parseSubmitted(answer.value.workflow);
	throw isNotFound(answer.error) ? new ItemFault(messages.JOB_WORKFLOW_NOT_FOUND(shorten(jobId, LONGEST_NAME))) : answer.error;
}

function parsePasted(workflow: unknown): FoundWorkflow {
	if (!isEmptyWorkflow(workflow)) return { workflow: parseWorkflow(workflow) };
	throw new EmptyField(messages.WORKFLOW_EMPTY());
}

/** Reads the workflow from its source. @throws ItemFault or GraphError if there is none. */
export async function findWorkflow(item: ItemRun, source: WorkflowSource): Promise<FoundWorkflow> {
	switch (source.from) {
		case 'json':
			return parsePasted(source.workflow);
		case 'file':
			return await readFromFile(item, source.field);
		case 'job':
			return { workflow: await readJobWorkflow(item.connection, source.jobId, item.shutdownSignal) };
		case 'saved':
			return await readSavedWorkflow(conversionContext(item), source.name);
	}
}

const MOST_WORKFLOWS = 10;

/** The workflows of one run of a node, which has its own connection. Most batches have one workflow for all items. */
const loadedWorkflowsOf = onePerKey<Connection, Cache<string, Promise<LoadedWorkflow>>>(() => new Cache({ mostEntries: MOST_WORKFLOWS }));

/** Returns a key that is the same for the same workflow, or undefined if the workflow must be read to compare it. */
function keyOf({ execution, itemIndex }: ItemRun, source: WorkflowSource): string | undefined {
	switch (source.from) {
		case 'json':
			return typeof source.workflow === 'string' ? `json:${source.workflow}` : undefined;
		case 'file': {
			const { id } = execution.getInputData()[itemIndex]?.binary?.[source.field] ?? {};
			return id === undefined ? undefined : `file:${id}`;
		}
		case 'job':
			return `job:${source.jobId}`;
		case 'saved':
			return `saved:${source.name}`;
	}
}

/** Whether a second try would fail in the same way. */
const isFinal = (error: unknown): boolean => error instanceof GraphError || error instanceof ItemFault;

/** @throws ItemFault if a blueprint has no output node, so that ComfyUI would reject it. */
function withNotes({ blueprint, title = '' }: FoundWorkflow, converted: LoadedWorkflow): LoadedWorkflow {
	if (blueprint === undefined) return converted;
	if (listOutputNodes(converted.graph, converted.definitions).length === 0) throw new ItemFault(messages.BLUEPRINT_WITHOUT_OUTPUT(title));
	return { ...converted, notes: [...blueprint.notes, ...converted.notes] };
}

async function load(item: ItemRun, source: WorkflowSource): Promise<LoadedWorkflow> {
	const found = await findWorkflow(item, source);
	const { workflow, title, editor, lostNumbers } = found;
	const context = conversionContext(item);
	const converted = withNotes(found, await toApiFormat(context, workflow));
	const loaded = workflow.format === 'api' ? await replaceRetired(item, converted) : converted;
	const withEditor = loaded.editor === undefined && editor !== undefined ? { editor: await readEditorWorkflow(context, editor) } : {};
	return { ...loaded, ...withEditor, lostNumbers, ...(title !== undefined && { title }) };
}

/** An image contains the editor's file next to the graph that runs. Without definitions, the file is not needed. */
async function readEditorWorkflow(context: ConversionContext, file: unknown): Promise<EditorWorkflow | undefined> {
	const read = await outcomeOf((async () => await readDefinitions(context, listClasses(file)))());
	return read.ok ? { file, definitions: read.value, convertedAt: context.startedAt ?? new Date(clock.wallNow()) } : undefined;
}

/**
 * Loads the workflow of an item. Items with the same workflow share one read and one conversion.
 * @throws ItemFault or GraphError if there is no workflow that can be submitted.
 */
export async function loadWorkflow(item: ItemRun, source: WorkflowSource): Promise<LoadedWorkflow> {
	const key = keyOf(item, source);
	if (key === undefined) return await load(item, source);
	return await loadedWorkflowsOf(item.connection).getOrLoad(key, async () => await load(item, source), isFinal);
}
