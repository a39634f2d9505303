import { type ApiGraph, applyInputs, checkDigits, checkLinks, followChoices, type InputValues, parseInputValues } from '../../../../client';
import { readAppValues, readEnteredFields, overrideWithRows } from '../../app/itemValues';
import { placeFiles } from '../../inputFiles/placeFiles';
import type { FileRow } from '../../inputFiles/rows';
import { definitionReader } from '../../inputs/definitions';
import { readRowValues } from '../../inputs/rows';
import type { LoadedWorkflow } from '../../workflows/convert';
import type { SubmitContext } from './settings';

/** The workflow of an item with its inputs in place, before seeds are chosen and files are uploaded. */
export interface PreparedInputs {
	graph: ApiGraph;
	/** Files of the app's form. They are uploaded when something is sent. */
	appFiles: FileRow[];
	/** Names of the inputs that the form sets. */
	setByApp: ReadonlySet<string>;
}

/**
 * Puts the item's values into its workflow. Each step takes precedence over the one before: the app's form, Input Values, the
 * rows of Inputs, the rows of Files.
 * @param files rows of *Files* whose files are uploaded later.
 * @throws ItemFault or GraphError for a value that does not fit the workflow.
 */
export async function prepareInputs(context: SubmitContext, workflow: LoadedWorkflow, files: FileRow[] = []): Promise<PreparedInputs> {
	const { settings } = context;
	const readDefinitions = definitionReader(context);
	const app = await readAppValues(context, readDefinitions, workflow, settings.source);
	const apply = (before: ApiGraph, values: InputValues): ApiGraph =>
		followChoices(before, applyInputs(before, values), workflow.definitions);
	const withValues = apply(apply(workflow.graph, app.values), parseInputValues(settings.inputValues));
	const withRows = apply(withValues, await readRowValues(readDefinitions, withValues, settings.inputRows));
	const references = await placeFiles(context, withRows, { rows: settings.inputFiles, largestBytes: 0 });
	const graph = checkLinks(checkDigits(applyInputs(withRows, references)), workflow.definitions);
	const appFiles = overrideWithRows(context.execution, graph, app, {
		inputs: settings.inputRows,
		files: [...settings.inputFiles, ...files],
	});
	return { graph, appFiles, setByApp: new Set(app.labels.keys()) };
}

/** What the item puts into its workflow, for the hash of its request. */
export function enteredValues(context: SubmitContext): unknown {
	const { inputValues, inputRows, inputFiles, source } = context.settings;
	const app = readEnteredFields(context, source);
	return {
		inputValues,
		inputRows: inputRows.map(({ name, value }) => [name, value]),
		inputFiles,
		...(app.length > 0 && { app: app.map(({ id, value }) => [id, value]) }),
	};
}
