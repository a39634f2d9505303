import type { GraphInputFault } from '../../../client';
import { graphInputWords } from './graph';
import { joinNames, shorten, type Words, words } from './words';

const LONGEST_VALUE = 80;

const listOrNothing = (names: string[]): string => (names.length === 0 ? 'nothing' : joinNames(names));
const quote = (value: unknown): string => `"${shorten(String(value).replace(/\s+/g, ' '), LONGEST_VALUE)}"`;

const fieldName = (label: string): string => `${label} of App Inputs`;

/** Returns the words for a value whose input is no longer in the app. */
export const notInApp = (label: string, offered: string[]): Words =>
	words(
		`${fieldName(label)} is no longer an input of the app`,
		`Nothing was sent. The app changed in ComfyUI after you filled in the field. Its inputs are now: ${listOrNothing(offered)}. Open the node, move the value to the correct field, and remove the field ${quote(label)}.`,
	);

export const noAppAnyMore = (labels: string[]): Words =>
	words(
		`App Inputs contains ${listOrNothing(labels.map((label) => quote(label)))}, but the workflow is not an app`,
		'Nothing was sent. Choose the app again, or enter the values in rows of Inputs and remove the fields.',
	);

export const emptyAppInput = (label: string): Words =>
	words(
		`${fieldName(label)} is empty`,
		'Nothing was sent. Check that its expression finds a value in the input item, or remove the expression to send the value that is saved in ComfyUI.',
	);

/** Returns the words for a fault of an input, with the author's label. */
export function appInputWords(facts: GraphInputFault, label: string): Words {
	const { message, advice } = graphInputWords('label' in facts ? { ...facts, label: fieldName(label) } : facts);
	return words(message, advice.replaceAll('Correct Value', 'Correct it'));
}

export function noSuchFile(label: string, value: unknown, fields: string[], isServerAsked: boolean): Words {
	const hasFiles = fields.length > 0;
	const lastKind = isServerAsked ? 'a file in ComfyUI' : 'a file name';
	return words(
		`${fieldName(label)}: ${quote(value)} is not ${hasFiles ? 'a binary field of the input item, ' : ''}a URL or ${lastKind}${hasFiles ? '' : ', and the input item has no files'}`,
		`Nothing was sent. Enter ${hasFiles ? `a binary field of the item (${listOrNothing(fields)}), ` : ''}a URL that begins with https://, or the name of a file in the folder input of ComfyUI, for example photo.png.`,
	);
}

export const rowTakesPrecedence = (row: string, label: string): string =>
	`${row} and ${fieldName(label)} set the same input of the workflow. The value of the row was sent. Remove one of the two.`;

export const markedButMissing = (inputs: string[], outputs: string[]): string =>
	[
		inputs.length > 0 ? `The app shows inputs that cannot be set: ${listOrNothing(inputs)}.` : '',
		outputs.length > 0 ? `The app shows outputs that are not in the workflow: ${listOrNothing(outputs)}.` : '',
		'To correct this, open the app in the app builder of ComfyUI.',
	]
		.filter((part) => part !== '')
		.join(' ');
