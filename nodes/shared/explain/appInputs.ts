import type { GraphInputFault } from '../../../client';
import { messages } from '../messages/catalogue';
import { lastKindOfFile, missingInApp, nameOfAppField } from '../messages/topics/inputs';
import { shorten, type Words } from '../messages/words';
import { graphInputWords } from './graph';

const LONGEST_VALUE = 80;

const quote = (value: unknown): string => `"${shorten(String(value).replace(/\s+/g, ' '), LONGEST_VALUE)}"`;

/** Returns the words for a value whose input is no longer in the app. */
export const notInApp = (label: string, offered: string[]): Words => messages.APP_INPUT_REMOVED(label, quote(label), offered);

export const noAppAnyMore = (labels: string[]): Words => messages.APP_REMOVED(labels.map(quote));

/** Returns the words for a fault of an input, with the author's label. */
export function appInputWords(facts: GraphInputFault, label: string): Words {
	const words = graphInputWords('label' in facts ? { ...facts, label: nameOfAppField(label) } : facts);
	return { ...words, advice: words.advice.replaceAll('Correct Value', 'Correct it') };
}

/** @param fields the binary fields of the item. @param isServerAsked whether the server lists its files. */
export function noSuchFile(label: string, value: unknown, fields: string[], isServerAsked: boolean): Words {
	const last = isServerAsked ? lastKindOfFile.inComfyUi : lastKindOfFile.name;
	return fields.length > 0
		? messages.APP_FILE_NOT_AMONG(label, quote(value), last, fields)
		: messages.APP_FILE_UNKNOWN(label, quote(value), last);
}

/** Returns the hint for what the app shows and does not have. @param inputs, outputs their labels; one of both lists has some. */
export const appIncomplete = (inputs: string[], outputs: string[]): Words =>
	messages.APP_INCOMPLETE(
		[inputs.length > 0 ? missingInApp.inputs(inputs) : '', outputs.length > 0 ? missingInApp.outputs(outputs) : '']
			.filter((part) => part !== '')
			.join('. '),
	);
