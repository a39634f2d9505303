import {
	ApiError,
	type ApiGraph,
	bareWorkflowPath,
	type ChosenWorkflow,
	type Connection,
	type EmbeddedWorkflow,
	GraphError,
	outcomeOf,
	type ParsedWorkflow,
	parseWorkflow,
	readChosenWorkflow,
	readEmbeddedWorkflow,
} from '../../../client';
import { inputFile } from '../files/binaryFields';
import { wordsFor } from '../messages/wordsFor';
import { foreignPicture, jobGone, noLibrary, noWorkflowInFile } from '../messages/workflowSources';
import type { ItemContext } from '../operation';
import { EmptyField, ItemFault } from '../itemFault';
import { remember } from '../remember';
import { type Asker, askerAtRun } from './besideJobs';
import { converted, type LoadedWorkflow } from './converted';
import { FILE_LABEL, type WorkflowSource } from './source';
import { isEmptyWorkflow } from './isEmptyWorkflow';

export type LoadContext = Pick<ItemContext<unknown>, 'execution' | 'itemIndex' | 'connection' | 'credential' | 'signal' | 'leaving'>;

/** What stands in a source, before it is converted. */
export interface Found {
	workflow: ParsedWorkflow;
	title?: string;
	/** The editor's file that a picture carries beside its graph. */
	editor?: unknown;
	/** How many of its values were no numbers, and are null. */
	lostNumbers?: number;
}

/** ComfyUI writes more into the nodes of what it has run, and whoever kept it may have written into it as well. */
const asSubmitted = (graph: ApiGraph): ApiGraph =>
	Object.fromEntries(
		Object.entries(graph).map(([id, { class_type, inputs, _meta }]) => [id, { class_type, inputs, ...(_meta !== undefined && { _meta }) }]),
	);

/** What has been run before. */
function kept(content: unknown): ParsedWorkflow {
	const workflow = parseWorkflow(content);
	return workflow.format === 'api' ? { ...workflow, graph: asSubmitted(workflow.graph) } : workflow;
}

/** With its folder, because several may have one title. */
const titleOf = ({ choice }: ChosenWorkflow): string => (choice.from === 'template' ? choice.name : bareWorkflowPath(choice.path));

async function savedIn({ library }: Connection, name: string, signal: AbortSignal): Promise<Found> {
	if (library === undefined) throw noLibrary();
	const chosen = await readChosenWorkflow(library, name, { signal });
	return { workflow: parseWorkflow(chosen.content), title: titleOf(chosen) };
}

/** What is saved in ComfyUI under this name, or is a template there. */
export async function saved({ beside: findBeside, signal }: Asker, name: string): Promise<Found> {
	const beside = await findBeside();
	if (beside === undefined) throw noLibrary();
	const found = await outcomeOf(beside.ask(async (connection) => await savedIn(connection, name, signal)));
	if (found.ok) return found.value;
	if (signal.aborted || found.error instanceof ItemFault) throw found.error;
	// It may stand at another address than the one that the jobs are sent to.
	const { message, advice } = wordsFor(found.error, beside.credential);
	throw new ItemFault(message, advice);
}

async function inFile({ execution, itemIndex }: LoadContext, field: string): Promise<Found> {
	const { source, contentType } = await inputFile(execution, itemIndex, field, FILE_LABEL);
	const carried = await readEmbeddedWorkflow(await source.open());
	const content = carried?.api ?? carried?.editor;
	if (content !== undefined) return { workflow: kept(content), editor: carried?.editor, lostNumbers: carried?.lostNumbers };
	if (carried?.isForeign) throw foreignPicture(field);
	if (carried?.kind === 'json') throw noWorkflow(carried);
	throw noWorkflowInFile(field, contentType, carried?.unreadable);
}

const noWorkflow = ({ unreadable }: EmbeddedWorkflow): GraphError =>
	new GraphError(
		unreadable === undefined
			? { fault: 'not_a_graph', detail: 'it is not a JSON object' }
			: { fault: 'not_json', detail: unreadable.replace(/^it is no JSON: /, '') },
	);

/** What a job ran. */
export async function ofJob({ jobs }: Connection, jobId: string, signal: AbortSignal): Promise<ParsedWorkflow> {
	const answer = await outcomeOf(jobs.workflow(jobId, { signal }));
	if (answer.ok) return kept(answer.value.workflow);
	throw answer.error instanceof ApiError && answer.error.status === 404 ? jobGone(jobId) : answer.error;
}

function pasted(workflow: unknown): Found {
	if (!isEmptyWorkflow(workflow)) return { workflow: parseWorkflow(workflow) };
	throw new EmptyField('Workflow is empty', 'Paste the workflow, or check that its expression finds one in the input item.');
}

/** @throws ItemFault or GraphError where there is none. */
export async function findWorkflow(context: LoadContext, source: WorkflowSource): Promise<Found> {
	switch (source.from) {
		case 'json':
			return pasted(source.workflow);
		case 'file':
			return await inFile(context, source.field);
		case 'job':
			return { workflow: await ofJob(context.connection, source.jobId, context.leaving) };
		case 'saved':
			return await saved(askerAtRun(context), source.name);
	}
}

const MOST_KEPT = 10;

/** Of this run of the node: its connection is of no other. A batch mostly has one workflow for all items. */
const ofRun = new WeakMap<Connection, Map<string, Promise<LoadedWorkflow>>>();

function loadedBefore(connection: Connection): Map<string, Promise<LoadedWorkflow>> {
	const known = ofRun.get(connection) ?? new Map<string, Promise<LoadedWorkflow>>();
	ofRun.set(connection, known);
	return known;
}

/** What the same workflow is known by; undefined where only reading it would tell. */
function keyOf({ execution, itemIndex }: LoadContext, source: WorkflowSource): string | undefined {
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

/** What a second look would find as well. */
const isFinal = (error: unknown): boolean => error instanceof GraphError || error instanceof ItemFault;

async function load(context: LoadContext, source: WorkflowSource): Promise<LoadedWorkflow> {
	const { workflow, title, lostNumbers } = await findWorkflow(context, source);
	return { ...(await converted(askerAtRun(context), workflow)), lostNumbers, ...(title !== undefined && { title }) };
}

/**
 * The workflow of an item, read and converted once in a run of the node for all items that have the same.
 * @throws ItemFault or GraphError where there is none that could be sent.
 */
export async function loadWorkflow(context: LoadContext, source: WorkflowSource): Promise<LoadedWorkflow> {
	const key = keyOf(context, source);
	if (key === undefined) return await load(context, source);
	const known = loadedBefore(context.connection);
	const loading = known.get(key) ?? load(context, source);
	remember(known, key, loading, MOST_KEPT);
	const loaded = await outcomeOf(loading);
	if (!loaded.ok && !isFinal(loaded.error) && known.get(key) === loading) known.delete(key);
	return await loading;
}
