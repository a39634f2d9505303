import type { GraphInputFault } from '../../../client';
import { graphInputWords } from './graph';
import { joinNames, shorten, type Words, words } from './words';

const LONGEST_VALUE = 80;

const listOrNothing = (names: string[]): string => (names.length === 0 ? 'nothing' : joinNames(names));
const quote = (value: unknown): string => `"${shorten(String(value).replace(/\s+/g, ' '), LONGEST_VALUE)}"`;

const fieldName = (label: string): string => `${label} of App Inputs`;

/** Returns the words for a value whose input the app no longer has. */
export const notInApp = (label: string, offered: string[]): Words =>
	words(
		`${fieldName(label)} is no input of the app any more`,
		`Nothing was sent. The app was changed in ComfyUI since the field was filled in; it takes now: ${listOrNothing(offered)}. Open the node, move the value to where it belongs, and remove the field ${quote(label)}.`,
	);

export const noAppAnyMore = (labels: string[]): Words =>
	words(
		`App Inputs holds ${listOrNothing(labels.map((label) => quote(label)))}, and the workflow is no app`,
		'Nothing was sent. Choose the app again, or put the values into rows of Inputs and remove the fields.',
	);

export const emptyAppInput = (label: string): Words =>
	words(
		`${fieldName(label)} is empty`,
		'Nothing was sent. Check that its expression finds a value in the input item, or remove the expression to send what is saved in ComfyUI.',
	);

/** Returns the words for a fault of an input, with the author's label. */
export function appInputWords(facts: GraphInputFault, label: string): Words {
	const { message, advice } = graphInputWords('label' in facts ? { ...facts, label: fieldName(label) } : facts);
	return words(message, advice.replaceAll('Correct Value', 'Correct it'));
}

export const noSuchFile = (label: string, value: unknown, fields: string[], isServerAsked: boolean): Words =>
	words(
		`${fieldName(label)}: ${quote(value)} is ${fields.length === 0 ? 'no file of the input item, which carries none' : 'no binary field of the input item'}, no URL${isServerAsked ? ', and no file that ComfyUI has' : ', and no name of a file'}`,
		`Nothing was sent. Enter ${fields.length === 0 ? 'a URL that begins with https://' : `one of the item’s binary fields (${listOrNothing(fields)}), a URL that begins with https://`}, or the name of a file in ComfyUI’s folder “input”, e.g. photo.png.`,
	);

export const rowTakesPrecedence = (row: string, label: string): string =>
	`${row} and ${fieldName(label)} set the same input of the workflow: what the row says was sent. Remove one of the two.`;

export const markedButMissing = (inputs: string[], outputs: string[]): string =>
	[
		inputs.length > 0 ? `The author of this app shows inputs that are not there to be set: ${listOrNothing(inputs)}.` : '',
		outputs.length > 0 ? `Outputs that the app shows are not in the workflow: ${listOrNothing(outputs)}.` : '',
		'Open the app in ComfyUI’s app builder to mend that.',
	]
		.filter((part) => part !== '')
		.join(' ');
