import {
	type ApiGraph,
	applyInputs,
	checkDigits,
	checkLinks,
	checkPlaceholders,
	followChoices,
	type InputValues,
	listClassesWithPaths,
	type NewJob,
	outcomeOf,
	parseInputValues,
	useServerSpelling,
} from '../../../../client';
import { readAppValues, readEnteredFields, overrideWithRows } from '../../app/itemValues';
import { placeFiles } from '../../inputFiles/placeFiles';
import type { FileRow } from '../../inputFiles/rows';
import { hintAtUnusedImage } from '../../inputFiles/unusedImage';
import { definitionReader } from '../../inputs/definitions';
import { readRowValues } from '../../inputs/rows';
import { hashOf } from '../../submission/keys';
import type { SubmissionLedger } from '../../submission/ledger';
import type { LoadedWorkflow } from '../../workflows/convert';
import { loadWorkflow } from '../../workflows/load';
import type { WorkflowSource } from '../../workflows/source';
import type { ItemRun } from '../../operation';
import { editorFileWriter } from './editorFile';
import type { SubmitSettings } from './settings';

/** The workflow of an item with its inputs in place, before seeds are chosen and files are uploaded. */
export interface PreparedInputs {
	/** As it was loaded. */
	workflow: LoadedWorkflow;
	graph: ApiGraph;
	/** See `NewJob`. */
	toEditorFile: NewJob['toEditorFile'];
	/** Files of the app's form. They are uploaded when something is sent. */
	appFiles: FileRow[];
	/** Names of the inputs that the form sets. */
	setByApp: ReadonlySet<string>;
	/** Distinguishes the calls of an agent by what they request. */
	hash: string;
}

/**
 * Loads the item's workflow and puts the item's values into it. Each step takes precedence over the one before: the app's form,
 * Input Values, the rows of Inputs, the rows of Files.
 * @param files rows of *Files* whose files are uploaded later.
 * @throws ItemFault or GraphError if there is no workflow, or for a value that does not fit it.
 */
export async function prepareInputs(
	item: ItemRun,
	settings: SubmitSettings,
	ledger: SubmissionLedger,
	files: FileRow[] = [],
): Promise<PreparedInputs> {
	const workflow = await loadItemWorkflow(item, settings.source, ledger);
	const readDefinitions = definitionReader(item);
	const app = await readAppValues(item, readDefinitions, workflow, settings.source);
	const apply = (before: ApiGraph, values: InputValues): ApiGraph =>
		followChoices(before, applyInputs(before, values), workflow.definitions);
	const withAppValues = apply(workflow.graph, app.values);
	const withValues = apply(withAppValues, parseInputValues(settings.inputValues));
	const rowValues = await readRowValues(item.execution, readDefinitions, withValues, settings.inputRows);
	const withRows = apply(withValues, rowValues);
	const references = await placeFiles(item, withRows, { rows: settings.inputFiles, largestBytes: 0 });
	const graph = checkLinks(checkDigits(applyInputs(withRows, references)), workflow.definitions);
	const isChecked = (nodeId: string, input: string): boolean =>
		[app.values, rowValues].some((values) => values[nodeId]?.[input] === graph[nodeId]?.inputs[input]);
	checkPlaceholders(graph, isChecked);
	const spelled = useServerSpelling(graph, { ...(await readDefinitions(listClassesWithPaths(graph))), ...workflow.definitions });
	const fileRows = [...settings.inputFiles, ...files];
	const appFiles = overrideWithRows(item.execution, graph, app, {
		inputs: settings.inputRows,
		files: fileRows,
	});
	hintAtUnusedImage(item, settings.source, { loaded: workflow.graph, graph, rows: [...fileRows, ...appFiles] });
	// The definitions may be missing in a retry, so the spelling does not count for the hash.
	return {
		workflow,
		graph: spelled,
		toEditorFile: editorFileWriter(settings, workflow.editor),
		appFiles,
		setByApp: new Set(app.labels.keys()),
		hash: hashOfRequest(item, settings, workflow, graph),
	};
}

/**
 * A workflow that is saved in ComfyUI may have been changed or deleted since an earlier try made the item's job. Then the
 * workflow of that job is used.
 */
async function loadItemWorkflow(item: ItemRun, source: WorkflowSource, ledger: SubmissionLedger): Promise<LoadedWorkflow> {
	const jobId = source.from === 'saved' ? ledger.findJobId() : undefined;
	if (jobId !== undefined) {
		const ofJob = await outcomeOf(loadWorkflow(item, { from: 'job', jobId }));
		if (ofJob.ok) return { ...ofJob.value, isOfEarlierTry: true };
	}
	return await loadWorkflow(item, source);
}

/**
 * The graph of a workflow that is stored elsewhere, or was converted with the help of a server, may differ in the next try of
 * the same call. So such a workflow counts by its source or content.
 */
function hashOfRequest(item: ItemRun, settings: SubmitSettings, { content, graph: loadedGraph }: LoadedWorkflow, graph: ApiGraph): string {
	const { source } = settings;
	const entered = enteredValues(item, settings);
	// The names of these properties are part of stored hashes.
	if (source.from === 'saved') return hashOf({ source, given: entered });
	return hashOf(content === loadedGraph ? graph : { content, given: entered });
}

/** What the item puts into its workflow. */
function enteredValues(item: ItemRun, settings: SubmitSettings): unknown {
	const { inputValues, inputRows, inputFiles, source } = settings;
	const app = readEnteredFields(item, source);
	return {
		inputValues,
		inputRows: inputRows.map(({ name, value }) => [name, value]),
		inputFiles,
		...(app.length > 0 && { app: app.map(({ id, value }) => [id, value]) }),
	};
}
