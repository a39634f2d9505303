import type { IExecuteFunctions } from 'n8n-workflow';

import { type ApiGraph, outcomeOf } from '../../../client';
import { warnOnce } from '../hints';
import { type FileRow, rowName } from '../inputFiles/rows';
import { tryFindChosenInput } from '../inputs/chosenInput';
import type { ReadDefinitions } from '../inputs/definitions';
import type { InputRow } from '../inputs/rows';
import { appIncomplete } from '../explain/appInputs';
import { messages } from '../messages/catalogue';
import type { ItemRun } from '../operation';
import type { LoadedWorkflow } from '../workflows/convert';
import type { WorkflowSource } from '../workflows/source';
import { type AppValues, type EnteredField, noAppValues, readFormFields, toAppValues } from './values';

/** The node shows the form for these sources only. */
const hasForm = ({ from }: WorkflowSource): boolean => from === 'saved' || from === 'json';

/** Returns the form's fields that the user has filled in for an item. They also tell two calls of an agent apart. */
export const readEnteredFields = (
	{ execution, itemIndex }: Pick<ItemRun, 'execution' | 'itemIndex'>,
	source: WorkflowSource,
): EnteredField[] => (hasForm(source) ? readFormFields(execution, itemIndex) : []);

function hintAtMissing(execution: IExecuteFunctions, { app }: LoadedWorkflow): void {
	const missing = app?.missing ?? [];
	if (missing.length === 0) return;
	const labelsOf = (kind: 'input' | 'output'): string[] => missing.filter(({ is }) => is === kind).map(({ label }) => label);
	warnOnce(execution, appIncomplete(labelsOf('input'), labelsOf('output')));
}

const binaryFieldNames = ({ execution, itemIndex, isTool }: ItemRun): string[] =>
	isTool ? [] : Object.keys(execution.getInputData()[itemIndex]?.binary ?? {});

/** Returns what the form of an item puts into the workflow. The workflow of an earlier try's job contains the values already. */
export async function readAppValues(
	item: ItemRun,
	readDefinitions: ReadDefinitions,
	workflow: LoadedWorkflow,
	source: WorkflowSource,
): Promise<AppValues> {
	if (workflow.isOfEarlierTry === true) return noAppValues();
	hintAtMissing(item.execution, workflow);
	const sources = { binaryFields: binaryFieldNames(item), readDefinitions };
	return await toAppValues(sources, workflow, readEnteredFields(item, source));
}

/** Rows take precedence over the form. Returns the form's files for inputs without a row, and warns about inputs with both. */
export function overrideWithRows(
	execution: IExecuteFunctions,
	graph: ApiGraph,
	{ labels, files }: AppValues,
	rows: { inputs: InputRow[]; files: FileRow[] },
): FileRow[] {
	if (labels.size === 0) return [];
	const rowInputs = [
		...rows.inputs.map((row) => ({ row: `Input ${row.number}`, inputName: tryFindChosenInput(graph, row)?.name })),
		...rows.files.map((row) => ({ row: rowName(row), inputName: tryFindChosenInput(graph, row)?.name })),
	];
	for (const { row, inputName } of rowInputs) {
		const label = inputName === undefined ? undefined : labels.get(inputName);
		if (label !== undefined) warnOnce(execution, messages.ROW_REPLACES_APP_INPUT(row, label));
	}
	const inputsOfRows = new Set(rowInputs.map(({ inputName }) => inputName));
	return files.filter(({ name }) => !inputsOfRows.has(name));
}

/**
 * Returns the ids of the nodes whose outputs the app shows. Empty means all. The workflow of an earlier try's job has no app,
 * so the app is read from the saved workflow then.
 */
export async function findAppOutputs(
	graph: ApiGraph,
	workflow: LoadedWorkflow,
	readSaved: () => Promise<LoadedWorkflow>,
): Promise<string[]> {
	const saved = workflow.isOfEarlierTry === true ? await outcomeOf(readSaved()) : undefined;
	const app = saved?.ok === true ? saved.value.app : workflow.app;
	return (app?.outputs ?? []).filter((id) => Object.hasOwn(graph, id));
}
