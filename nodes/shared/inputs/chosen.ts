import { type ApiGraph, findInput, GraphError, type GraphInput } from '../../../client';
import { listChoice, locatorValue } from '../parameters';
import { labelOf } from './entries';

/** What a row says of the input that it is for. */
export interface ChosenInput {
	/** `6.text`, or what was entered By Name; empty where nothing was chosen. */
	name: string;
	/** What the list called it on the day it was chosen; undefined for what was entered. */
	chosenAs?: string;
	/** For messages. */
	label: string;
}

export function chosenInput(input: unknown): ChosenInput {
	const value = locatorValue(input);
	const name = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	const choice = listChoice(input);
	const chosenAs = choice && labelOf(choice.name);
	return { name, label: chosenAs ?? name, ...(chosenAs !== undefined && { chosenAs }) };
}

const withoutId = (label: string): string => label.replace(/ \(#[^)]*\) · /, ' · ');

function foundAs(graph: ApiGraph, name: string): GraphInput | undefined {
	try {
		return findInput(graph, name);
	} catch {
		return undefined;
	}
}

/**
 * The input that a row is for. A node that was only renamed is the same one; an id that another node has by now would
 * change what nobody meant to change.
 * @throws GraphError as `findInput` does, and `moved_input`.
 */
export function findChosen(graph: ApiGraph, { name, chosenAs }: ChosenInput): GraphInput {
	const found = findInput(graph, name);
	if (chosenAs === undefined || withoutId(found.label) === withoutId(chosenAs)) return found;
	const moved = foundAs(graph, chosenAs);
	if (moved === undefined || moved.name === found.name) return found;
	throw new GraphError({ fault: 'moved_input', name, chosenAs, label: found.label, now: moved.name });
}
