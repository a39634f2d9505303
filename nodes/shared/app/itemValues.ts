import type { IExecuteFunctions } from 'n8n-workflow';

import { type ApiGraph, outcomeOf } from '../../../client';
import { onePerKey } from '../caches';
import { type FileRow, rowName } from '../inputFiles/rows';
import type { FileContext } from '../inputFiles/sendFiles';
import { findChosenInput } from '../inputs/chosenInput';
import type { InputRow } from '../inputs/rows';
import { markedButMissing, rowTakesPrecedence } from '../messages/app';
import type { LoadedWorkflow } from '../workflows/convert';
import type { WorkflowSource } from '../workflows/source';
import { type AppValues, type EnteredField, noAppValues, readFormFields, toAppValues } from './values';

const hintsOf = onePerKey<IExecuteFunctions, Set<string>>(() => new Set());

/** Items of one execution share their hints. */
function hintOnce(execution: IExecuteFunctions, message: string): void {
	const hints = hintsOf(execution);
	if (hints.has(message)) return;
	hints.add(message);
	execution.addExecutionHints({ message, type: 'warning' });
}

/** The node shows the form for these sources only. */
const hasForm = ({ from }: WorkflowSource): boolean => from === 'saved' || from === 'json';

/** Returns the form's fields that the user has filled in for an item. They also tell two calls of an agent apart. */
export const readEnteredFields = (
	{ execution, itemIndex }: Pick<FileContext, 'execution' | 'itemIndex'>,
	source: WorkflowSource,
): EnteredField[] => (hasForm(source) ? readFormFields(execution, itemIndex) : []);

function hintAtMissing({ execution }: FileContext, { app }: LoadedWorkflow): void {
	const missing = app?.missing ?? [];
	if (missing.length === 0) return;
	const labelsOf = (kind: 'input' | 'output'): string[] => missing.filter(({ is }) => is === kind).map(({ label }) => label);
	hintOnce(execution, markedButMissing(labelsOf('input'), labelsOf('output')));
}

/** Returns what the form of an item puts into the workflow. The workflow of an earlier try's job contains the values already. */
export async function readAppValues(context: FileContext, workflow: LoadedWorkflow, source: WorkflowSource): Promise<AppValues> {
	if (workflow.isOfEarlierTry === true) return noAppValues();
	hintAtMissing(context, workflow);
	return await toAppValues(context, workflow, readEnteredFields(context, source));
}

const inputNameOf = (graph: ApiGraph, row: InputRow | FileRow): string | undefined => {
	try {
		return findChosenInput(graph, row).name;
	} catch {
		return undefined;
	}
};

/** Rows take precedence over the form. Returns the form's files for inputs without a row, and warns about inputs with both. */
export function overrideWithRows(
	{ execution }: Pick<FileContext, 'execution'>,
	graph: ApiGraph,
	{ labels, files }: AppValues,
	rows: { inputs: InputRow[]; files: FileRow[] },
): FileRow[] {
	if (labels.size === 0) return [];
	const rowInputs = [
		...rows.inputs.map((row) => ({ row: `Input ${row.number}`, inputName: inputNameOf(graph, row) })),
		...rows.files.map((row) => ({ row: rowName(row), inputName: inputNameOf(graph, row) })),
	];
	for (const { row, inputName } of rowInputs) {
		const label = inputName === undefined ? undefined : labels.get(inputName);
		if (label !== undefined) hintOnce(execution, rowTakesPrecedence(row, label));
	}
	const inputsOfRows = new Set(rowInputs.map(({ inputName }) => inputName));
	return files.filter(({ name }) => !inputsOfRows.has(name));
}

/**
 * Returns the ids of the nodes whose outputs the app shows. Empty means all. The workflow of an earlier try's job has no app,
 * so the app is read from the saved workflow then.
 */
export async function appOutputs(graph: ApiGraph, workflow: LoadedWorkflow, readSaved: () => Promise<LoadedWorkflow>): Promise<string[]> {
	const saved = workflow.isOfEarlierTry === true ? await outcomeOf(readSaved()) : undefined;
	const app = saved?.ok === true ? saved.value.app : workflow.app;
	return (app?.outputs ?? []).filter((id) => Object.hasOwn(graph, id));
}
