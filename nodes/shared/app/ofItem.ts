import type { IExecuteFunctions } from 'n8n-workflow';

import { type ApiGraph, outcomeOf } from '../../../client';
import { findChosen } from '../inputs/chosen';
import type { InputRow } from '../inputs/rows';
import type { FileRow } from '../inputFiles/rows';
import { nameOf } from '../inputFiles/rowFault';
import { markedButMissing, rowWins } from '../messages/app';
import type { LoadedWorkflow } from '../workflows/converted';
import type { WorkflowSource } from '../workflows/source';
import { type EnteredField, enteredFields } from './entered';
import type { AppContext } from './files';
import { type AppValues, appValues } from './values';

/** What executions have been told: once is enough for all items. */
const told = new WeakMap<IExecuteFunctions, Set<string>>();

function tellOnce(execution: IExecuteFunctions, message: string): void {
	const messages = told.get(execution) ?? new Set();
	told.set(execution, messages);
	if (messages.has(message)) return;
	messages.add(message);
	execution.addExecutionHints({ message, type: 'warning' });
}

/** The form is shown for these only. */
const hasForm = ({ from }: WorkflowSource): boolean => from === 'saved' || from === 'json';

/** What of the form is to be sent for an item: for what tells two calls apart, too. */
export const askedOfApp = (
	{ execution, itemIndex }: Pick<AppContext, 'execution' | 'itemIndex'>,
	source: WorkflowSource,
): EnteredField[] => (hasForm(source) ? enteredFields(execution, itemIndex) : []);

function tellMissing({ execution }: AppContext, { app }: LoadedWorkflow): void {
	const missing = app?.missing ?? [];
	if (missing.length === 0) return;
	const of = (wanted: 'input' | 'output'): string[] => missing.filter(({ is }) => is === wanted).map(({ label }) => label);
	tellOnce(execution, markedButMissing(of('input'), of('output')));
}

/** An earlier try has put the form into the workflow already, which is the job's own then. */
const NOTHING = (): AppValues => ({ values: {}, files: [], set: new Map() });

/** The form's part of an item: what it puts into the workflow. */
export async function appOfItem(context: AppContext, workflow: LoadedWorkflow, source: WorkflowSource): Promise<AppValues> {
	if (workflow.isOfEarlierTry === true) return NOTHING();
	tellMissing(context, workflow);
	return await appValues(context, workflow, askedOfApp(context, source));
}

const nameIn = (graph: ApiGraph, row: InputRow | FileRow): string | undefined => {
	try {
		return findChosen(graph, row).name;
	} catch {
		return undefined;
	}
};

/** Rows win over the form: its files that a row stands against are not sent. Whoever set both is told. */
export function behindRows(
	{ execution }: Pick<AppContext, 'execution'>,
	graph: ApiGraph,
	{ set, files }: AppValues,
	rows: { inputs: InputRow[]; files: FileRow[] },
): FileRow[] {
	if (set.size === 0) return [];
	const named = [
		...rows.inputs.map((row) => ({ called: `Input ${row.number}`, name: nameIn(graph, row) })),
		...rows.files.map((row) => ({ called: nameOf(row), name: nameIn(graph, row) })),
	];
	for (const { called, name } of named) {
		const label = name === undefined ? undefined : set.get(name);
		if (label !== undefined) tellOnce(execution, rowWins(called, label));
	}
	const taken = new Set(named.map(({ name }) => name));
	return files.filter(({ name }) => !taken.has(name));
}

/** What of a job the app shows; empty for all. Of an earlier try the workflow is the job's own, which is none. */
export async function appOutputs(graph: ApiGraph, workflow: LoadedWorkflow, asSaved: () => Promise<LoadedWorkflow>): Promise<string[]> {
	const saved = workflow.isOfEarlierTry === true ? await outcomeOf(asSaved()) : undefined;
	const app = saved?.ok === true ? saved.value.app : workflow.app;
	return (app?.outputs ?? []).filter((id) => Object.hasOwn(graph, id));
}
