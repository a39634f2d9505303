import type { INodeListSearchItems } from 'n8n-workflow';

import { type ApiGraph, exactText, findInput, GraphError, type GraphInput, type GraphOutput, type InputValues } from '../../../client';
import { cut } from '../messages/words';
import { listChoice, locatorValue } from '../parameters';

const LONGEST_VALUE = 40;
const MOST_CHOICES = 5;

function formatValue(value: unknown): string {
	if (value === '' || value === null || value === undefined) return 'empty';
	if (typeof value === 'string') return cut(JSON.stringify(value.replace(/\s+/g, ' ').trim()), LONGEST_VALUE);
	return cut(exactText(value), LONGEST_VALUE);
}

/** Returns `1 to 8`, `at least 1` or `at most 8`, or undefined without a limit. */
export function describeRange(min: number | string | undefined, max: number | string | undefined): string | undefined {
	if (min !== undefined && max !== undefined) return `${min} to ${max}`;
	if (min !== undefined) return `at least ${min}`;
	return max === undefined ? undefined : `at most ${max}`;
}

function describeLimits({ limits = {} }: GraphInput): string | undefined {
	const { min, max, choices, fileKind } = limits;
	if (fileKind !== undefined) return fileKind === 'any' ? 'takes a file' : `takes ${/^[aeiou]/.test(fileKind) ? 'an' : 'a'} ${fileKind}`;
	if (choices !== undefined)
		return `one of ${choices.slice(0, MOST_CHOICES).join(', ')}${choices.length > MOST_CHOICES ? ` and ${choices.length - MOST_CHOICES} more` : ''}`;
	return describeRange(min, max);
}

/**
 * Returns the list entry of an input. n8n keeps the name of a chosen entry in its row, so the name contains the value that
 * the input had when it was chosen.
 */
export const toInputEntry = (input: GraphInput): INodeListSearchItems => ({
	name: `${input.label} (${[`was ${formatValue(input.value)}`, describeLimits(input)].filter(Boolean).join('; ')})`,
	value: input.name,
});

/** Returns the label in the stored name of an entry. */
const labelOfEntry = (cachedName: string): string => cachedName.replace(/ \(was .*\)$/s, '');

/** Returns the list entry of a node with outputs. */
export const toOutputNodeEntry = ({ nodeId, label, className, isTemporary }: GraphOutput): INodeListSearchItems => ({
	name: [label, ...(label.startsWith(className) ? [] : [className]), ...(isTemporary ? ['temporary preview'] : [])].join(' · '),
	value: nodeId,
});

/** The input that a row is for, as the row stores it. */
export interface ChosenInput {
	/** `6.text`, or the text that was entered By Name. Empty if nothing was chosen. */
	name: string;
	/** Its label in the list when it was chosen. Undefined if it was entered. */
	chosenAs?: string;
	/** The name for messages. */
	label: string;
}

export function readChosenInput(input: unknown): ChosenInput {
	const value = locatorValue(input);
	const name = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	const choice = listChoice(input);
	const chosenAs = choice && labelOfEntry(choice.name);
	return { name, label: chosenAs ?? name, ...(chosenAs !== undefined && { chosenAs }) };
}

const removeId = (label: string): string => label.replace(/ \(#[^)]*\) · /, ' · ');

function tryFindInput(graph: ApiGraph, name: string): GraphInput | undefined {
	try {
		return findInput(graph, name);
	} catch {
		return undefined;
	}
}

/**
 * Returns the input that a row is for. If the label has changed, either the node was renamed, or another node has its id
 * now. It is another node if the workflow still has an input with the old label.
 * @throws GraphError as `findInput` does, and `moved_input` if another node has the id now.
 */
export function findChosenInput(graph: ApiGraph, { name, chosenAs }: ChosenInput): GraphInput {
	const found = findInput(graph, name);
	if (chosenAs === undefined || removeId(found.label) === removeId(chosenAs)) return found;
	const moved = tryFindInput(graph, chosenAs);
	if (moved === undefined || moved.name === found.name) return found;
	throw new GraphError({ fault: 'moved_input', name, chosenAs, label: found.label, now: moved.name });
}

/** Does the same, but returns undefined if the input is not found. */
export function tryFindChosenInput(graph: ApiGraph, chosen: ChosenInput): GraphInput | undefined {
	try {
		return findChosenInput(graph, chosen);
	} catch {
		return undefined;
	}
}

/** Sets the value of an input in values for `applyInputs`. */
export function setInputValue(values: InputValues, { nodeId, input }: Pick<GraphInput, 'nodeId' | 'input'>, value: unknown): void {
	values[nodeId] = { ...values[nodeId], [input]: value };
}

/** An empty text is a value for a text input, for example a prompt. For other inputs it means that an expression found nothing. */
export const isEmptyFor = ({ kind, role }: GraphInput, value: unknown): boolean =>
	value === undefined || value === null || (value === '' && (kind !== 'text' || role === 'file'));
