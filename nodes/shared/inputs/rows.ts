import {
	type ApiGraph,
	convertValue,
	GraphError,
	type GraphInput,
	type GraphInputFault,
	type InputValues,
	listInputs,
} from '../../../client';
import { graphInputWords, type NumberedRow } from '../messages/graph';
import type { ItemContext } from '../operation';
import type { ReadParameter } from '../parameters';
import { EmptyField, ItemFault } from '../itemFault';
import { type ChosenInput, chosenInput, findChosen } from './chosen';
import { definitionsAtRun, JUST_NOW_MS } from './definitions';

export interface InputRow extends ChosenInput, NumberedRow {
	value: unknown;
}

interface Entered {
	input?: unknown;
	value?: unknown;
}

/** The one that a fresh node shows. */
const isUntouched = ({ name, value }: InputRow): boolean => name === '' && value === '';

/** The rows of *Inputs*, as they were entered. */
export function readInputRows(read: ReadParameter): InputRow[] {
	const rows = read<{ values?: Entered[] }>('inputs', {}).values ?? [];
	return rows.map(({ input, value }, index) => ({ ...chosenInput(input), number: index + 1, value })).filter((row) => !isUntouched(row));
}

/** What the client says of an input is a fault of its row. */
function faultOf(row: NumberedRow, { facts }: GraphError): ItemFault {
	const { message, advice } = graphInputWords(facts as GraphInputFault, row);
	return new ItemFault(message, advice);
}

function inRow<T>(row: NumberedRow, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw error instanceof GraphError ? faultOf(row, error) : error;
	}
}

function find(graph: ApiGraph, row: InputRow): GraphInput {
	if (row.name === '')
		throw new ItemFault(`Input ${row.number} is not chosen`, 'Nothing was sent. Choose what to change under Inputs, or remove the row.');
	return inRow(row, () => findChosen(graph, row));
}

function checkTwice(rows: InputRow[], found: GraphInput[]): void {
	for (const [index, { name, label }] of found.entries()) {
		const first = found.findIndex((other) => other.name === name);
		if (first === index) continue;
		throw new ItemFault(
			`Input ${rows[first]?.number} and Input ${rows[index]?.number} set the same input: ${label} (${name})`,
			'Nothing was sent. Remove one of the two rows.',
		);
	}
}

/** An expression that found nothing is no value; an empty text is one, where a text is meant: a prompt may be emptied. */
function checkEmpty({ number, value }: InputRow, { label, kind, role }: GraphInput): void {
	const isEmpty = value === undefined || value === null || (value === '' && (kind !== 'text' || role === 'file'));
	if (isEmpty)
		throw new EmptyField(
			`Value of Input ${number} (${label}) is empty`,
			'Nothing was sent. Enter a value, check that its expression finds one in the input item, or remove the row.',
		);
}

/** Whether a definition may say more of an input than the value that stands there: a prompt is a text, a seed is a seed. */
const isTellingMore = ({ kind, role, input }: GraphInput): boolean =>
	kind === 'number' ||
	(kind === 'integer' && role !== 'seed') ||
	(kind === 'text' && (role === 'other' || role === 'size') && input !== 'filename_prefix');

type Asking = Pick<ItemContext<unknown>, 'connection' | 'credential' | 'signal'>;

/** The same inputs, with what their definitions say of them. */
async function defined(context: Asking, graph: ApiGraph, found: GraphInput[], options?: { olderThanMs: number }): Promise<GraphInput[]> {
	const classes = found.filter(isTellingMore).map(({ nodeId }) => graph[nodeId]?.class_type ?? '');
	const definitions = await definitionsAtRun(context, classes, options);
	if (Object.keys(definitions).length === 0) return found;
	const told = new Map(listInputs(graph, definitions).map((input) => [input.name, input]));
	return found.map((input) => told.get(input.name) ?? input);
}

function isNotOffered(input: GraphInput, value: unknown): boolean {
	try {
		convertValue(input, value);
		return false;
	} catch (error) {
		return error instanceof GraphError && error.facts.fault === 'value_not_offered';
	}
}

/**
 * The values of the rows, each in the type that its input takes: for `applyInputs`.
 * @throws ItemFault that names the row: its input is not in the workflow, or cannot take the value.
 */
export async function rowValues(context: Asking, graph: ApiGraph, rows: InputRow[]): Promise<InputValues> {
	const found = rows.map((row) => find(graph, row));
	checkTwice(rows, found);
	let inputs = await defined(context, graph, found);
	if (inputs.some((input, index) => isNotOffered(input, rows[index]?.value)))
		inputs = await defined(context, graph, found, { olderThanMs: JUST_NOW_MS });
	const values: InputValues = {};
	for (const [index, row] of rows.entries()) {
		const input = inputs[index] as GraphInput;
		checkEmpty(row, input);
		values[input.nodeId] = { ...values[input.nodeId], [input.input]: inRow(row, () => convertValue(input, row.value)) };
	}
	return values;
}
