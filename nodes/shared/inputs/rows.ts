import type { IExecuteFunctions } from 'n8n-workflow';

import {
	type ApiGraph,
	convertValue,
	GraphError,
	type GraphInput,
	type GraphInputFault,
	type InputValues,
	isRecord,
	listInputs,
} from '../../../client';
import { graphInputWords, type NumberedRow } from '../explain/graph';
import { messages } from '../messages/catalogue';
import { isExpression, locatorValue, type ReadParameter } from '../parameters';
import { EmptyField, ItemFault } from '../itemFault';
import { type ChosenInput, findChosenInput, isEmptyFor, readChosenInput, setInputValue } from './chosenInput';
import { JUST_NOW_MS, type ReadDefinitions } from './definitions';
import { checkPlaceholder } from './placeholders';

export interface InputRow extends ChosenInput, NumberedRow {
	value: unknown;
	/** The label of the field that holds the value. */
	field: 'Value' | 'Choice';
}

interface InputRowParameters {
	input?: unknown;
	valueFrom?: unknown;
	value?: unknown;
	choice?: unknown;
}

function readValue({ valueFrom, value, choice }: InputRowParameters): Pick<InputRow, 'field' | 'value'> {
	return valueFrom === 'choice' ? { field: 'Choice', value: locatorValue(choice) ?? '' } : { field: 'Value', value };
}

/** Whether it is the empty row of a new node. */
const isUntouched = ({ name, value }: InputRow): boolean => name === '' && value === '';

/** Reads the rows of *Inputs*. */
export function readInputRows(read: ReadParameter): InputRow[] {
	const rows = read<{ values?: InputRowParameters[] }>('inputs', {}).values ?? [];
	return rows
		.map((row, index) => ({ ...readChosenInput(row.input), number: index + 1, ...readValue(row) }))
		.filter((row) => !isUntouched(row));
}

/** Whether the user entered the value itself. An expression returns data of the item instead. */
function isEntered(execution: IExecuteFunctions, { number }: InputRow): boolean {
	const inputs: unknown = execution.getNode().parameters.inputs;
	const written: unknown = isRecord(inputs) && Array.isArray(inputs.values) ? inputs.values[number - 1] : undefined;
	return isRecord(written) && !isExpression(written.value);
}

const toRowFault = (row: NumberedRow, { facts }: GraphError): ItemFault => new ItemFault(graphInputWords(facts as GraphInputFault, row));

/** Does the work for a row. A fault of the graph then names the row. */
function withRowName<T>(row: NumberedRow, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw error instanceof GraphError ? toRowFault(row, error) : error;
	}
}

function findRowInput(graph: ApiGraph, row: InputRow): GraphInput {
	if (row.name === '') throw new ItemFault(messages.INPUT_NOT_CHOSEN(row.number));
	return withRowName(row, () => findChosenInput(graph, row));
}

function checkTwice(rows: InputRow[], found: GraphInput[]): void {
	for (const [index, { name, label }] of found.entries()) {
		const first = found.findIndex((other) => other.name === name);
		if (first === index) continue;
		throw new ItemFault(messages.INPUT_SET_TWICE(rows[first]?.number, rows[index]?.number, label, name));
	}
}

function checkEmpty({ number, field, value }: InputRow, input: GraphInput): void {
	if (field === 'Choice' && value === '') throw new EmptyField(messages.INPUT_CHOICE_EMPTY(number, input.label));
	if (isEmptyFor(input, value)) throw new EmptyField(messages.INPUT_VALUE_EMPTY(number, input.label));
}

/** Whether the definition may restrict the input more than its current value shows. A prompt and a seed are known without it. */
const needsDefinition = ({ kind, role, input }: GraphInput): boolean =>
	kind === 'number' ||
	(kind === 'integer' && role !== 'seed') ||
	(kind === 'text' && (role === 'other' || role === 'size') && input !== 'filename_prefix');

/** Returns the same inputs with the limits of their definitions. */
async function addLimits(
	readDefinitions: ReadDefinitions,
	graph: ApiGraph,
	inputs: GraphInput[],
	options?: { olderThanMs: number },
): Promise<GraphInput[]> {
	const classes = inputs.filter(needsDefinition).map(({ nodeId }) => graph[nodeId]?.class_type ?? '');
	const definitions = await readDefinitions(classes, options);
	if (Object.keys(definitions).length === 0) return inputs;
	const withLimits = new Map(listInputs(graph, definitions).map((input) => [input.name, input]));
	return inputs.map((input) => withLimits.get(input.name) ?? input);
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
 * Returns the values of the rows, for `applyInputs`. Each has the type that its input takes.
 * @throws ItemFault that names the row if its input is not in the workflow or cannot take the value.
 */
export async function readRowValues(
	execution: IExecuteFunctions,
	readDefinitions: ReadDefinitions,
	graph: ApiGraph,
	rows: InputRow[],
): Promise<InputValues> {
	const found = rows.map((row) => findRowInput(graph, row));
	checkTwice(rows, found);
	for (const [index, row] of rows.entries())
		withRowName(row, () => checkPlaceholder(found[index] as GraphInput, row.value, isEntered(execution, row)));
	let inputs = await addLimits(readDefinitions, graph, found);
	if (inputs.some((input, index) => isNotOffered(input, rows[index]?.value)))
		inputs = await addLimits(readDefinitions, graph, found, { olderThanMs: JUST_NOW_MS });
	const values: InputValues = {};
	for (const [index, row] of rows.entries()) {
		const input = inputs[index] as GraphInput;
		checkEmpty(row, input);
		setInputValue(
			values,
			input,
			withRowName(row, () => convertValue(input, row.value)),
		);
	}
	return values;
}
