import { type ApiGraph, applyInputs, checkDigits, checkLinks, followChoices, type InputValues, parseInputValues } from '../../../../client';
import { readAppValues, readEnteredFields, overrideWithRows } from '../../app/itemValues';
import { readRowValues } from '../../inputs/rows';
import { placeFiles } from '../../inputFiles/placeFiles';
import type { FileRow } from '../../inputFiles/rows';
import type { LoadedWorkflow } from '../../workflows/convert';
import type { SubmitContext } from './settings';

/** What an item asks for. */
export interface Asked {
	/** The workflow with its input values in place. */
	graph: ApiGraph;
	/** Files of the app's form, which are brought to the service when something is sent. */
	appFiles: FileRow[];
	/** Names of the inputs that the form sets. */
	setByApp: ReadonlySet<string>;
}

/** @param files rows of *Files*, which win over the form as those of *Inputs* do. */
export async function asked(context: SubmitContext, workflow: LoadedWorkflow, files: FileRow[] = []): Promise<Asked> {
	const { settings } = context;
	const app = await readAppValues(context, workflow, settings.source);
	const apply = (before: ApiGraph, values: InputValues): ApiGraph =>
		followChoices(before, applyInputs(before, values), workflow.definitions);
	const graph = apply(apply(workflow.graph, app.values), parseInputValues(settings.inputValues));
	const changed = apply(graph, await readRowValues(context, graph, settings.inputRows));
	const references = await placeFiles(context, changed, { rows: settings.inputFiles, largestBytes: 0 });
	const whole = checkLinks(checkDigits(applyInputs(changed, references)), workflow.definitions);
	const appFiles = overrideWithRows(context, whole, app, { inputs: settings.inputRows, files: [...settings.inputFiles, ...files] });
	return { graph: whole, appFiles, setByApp: new Set(app.labels.keys()) };
}

/** What an item puts into its workflow. */
export const givenBy = (context: SubmitContext): unknown => {
	const { inputValues, inputRows, inputFiles, source } = context.settings;
	const app = readEnteredFields(context, source);
	return {
		inputValues,
		inputRows: inputRows.map(({ name, value }) => [name, value]),
		inputFiles,
		...(app.length > 0 && { app: app.map(({ id, value }) => [id, value]) }),
	};
};
