import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { type ApiGraph, type Definitions, type GraphInput, listInputs, listOfferedFiles } from '../../../client';
import { readChosenInput, tryFindChosenInput } from '../inputs/chosenInput';
import { isExpression } from '../parameters';
import { loadWorkflowInEditor, readCurrentDefinitions } from '../workflows/inEditor';
import { searchEntries, toNoticeEntry } from './entries';

/** The field next to the one that loads the list. */
const INPUT_OF_ROW = '&input';
const CHOICE_OF_ROW = '&choice';

const USE_TEXT = 'Set Value From to Text or Expression.';
const NO_INPUT = 'Input of this row is empty. Choose an input first. Then this list shows its choices.';
const ROW_UNKNOWN =
	'n8n could not read the rows of Inputs, because an expression in them has no value yet. Run the nodes before this node, then open the list again.';
const INPUT_FROM_ITEM = `Input of this row is an expression that has no value in the editor yet. Choose an input from the list, or: ${USE_TEXT}`;
const INPUT_GONE = 'The workflow does not have the input of this row. Choose Input again.';

/** Returns the values that the server offers for the input. Empty if it takes any value. */
function choicesOf(graph: ApiGraph, definitions: Definitions, { name, nodeId, input }: GraphInput): unknown[] {
	const defined = listInputs(graph, definitions).find((listed) => listed.name === name);
	const node = graph[nodeId];
	if (defined === undefined || node === undefined) return [];
	if (defined.kind === 'boolean') return [true, false];
	return defined.role === 'file' ? (listOfferedFiles(definitions, node, input) ?? []) : (defined.limits?.choices ?? []);
}

function noChoices({ label }: GraphInput, className: string, definitions: Definitions): string {
	return Object.hasOwn(definitions, className)
		? `${label} has no list of choices. ${USE_TEXT}`
		: `The server does not have the node class ${className}, so the choices of ${label} are not known. ${USE_TEXT}`;
}

async function readEntries(editor: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	const inputOfRow = editor.getCurrentNodeParameter(INPUT_OF_ROW);
	// n8n 1.x passes no rows at all if an expression in one of them fails. Newer versions leave out only that value.
	if (inputOfRow === undefined) return [toNoticeEntry(ROW_UNKNOWN)];
	const chosen = readChosenInput(inputOfRow);
	if (chosen.name === '') return [toNoticeEntry(NO_INPUT)];
	if (isExpression(chosen.name)) return [toNoticeEntry(INPUT_FROM_ITEM)];
	const loaded = await loadWorkflowInEditor(editor);
	if ('notice' in loaded) return [toNoticeEntry(loaded.notice)];
	const { graph } = loaded.workflow;
	const input = tryFindChosenInput(graph, chosen);
	const className = input && graph[input.nodeId]?.class_type;
	if (input === undefined || className === undefined) return [toNoticeEntry(INPUT_GONE)];
	const read = await readCurrentDefinitions(editor, [className]);
	if ('notice' in read) return [toNoticeEntry(read.notice)];
	const choices = choicesOf(graph, read.definitions, input).map(String);
	if (choices.length === 0) return [toNoticeEntry(noChoices(input, className, read.definitions))];
	return choices.map((name) => ({ name, value: name }));
}

/**
 * Lists the values that the server offers for the input of the row, for example the files of a loader of checkpoints or
 * LoRAs. The definitions are read again, so that a file that was just added to the server is in the list.
 */
export async function searchChoices(this: ILoadOptionsFunctions, filter = '', paginationToken?: string): Promise<INodeListSearchResult> {
	return searchEntries(this, CHOICE_OF_ROW, await readEntries(this), filter, paginationToken);
}
