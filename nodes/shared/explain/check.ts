/** Texts of the operation *Check Workflow*. */
import {
	type CheckFault,
	type CheckNote,
	type ConversionPlace,
	CORE_PACK,
	type MissingClass,
	type MissingFile,
	type WorkflowCheck,
} from '../../../client';
import { ADD_OUTPUT_NODE, linkToMissing } from '../messages/topics/workflow';
import { byKind, count, joinNames, limitsInWords, shorten } from '../messages/words';
import { capital, inputName, noteLines, refusalLines, shortValue } from './conversion';
import { placeholderLine } from './graph';
import { folderName, missingClassAdvice } from './missingClasses';

const LONGEST_NAME = 200;

const similarNames = (near: string[]): string =>
	near.length === 0 ? '' : ` Similar names in ComfyUI: ${joinNames(near.map((name) => `"${shorten(name, LONGEST_NAME)}"`))}.`;

const inputOf = (place: ConversionPlace): string => capital(inputName(place));

export const faultLines = byKind<CheckFault, 'fault', string[]>('fault', {
	not_offered: (fault) => [
		`${inputOf(fault)}: ${shortValue(fault.value)} is not one of the values that ComfyUI offers.${similarNames(fault.near)}`,
	],
	out_of_range: (fault) => [`${inputOf(fault)}: ${shortValue(fault.value)} is out of range. The value must be ${limitsInWords(fault)}.`],
	no_number: (fault) => [`${inputOf(fault)}: ${shortValue(fault.value)} is not a number, and this input needs a number.`],
	missing_input: (fault) => [`${inputOf(fault)}: this required input has no value and no link.`],
	dangling_link: (fault) => [`${linkToMissing(inputOf(fault), shorten(fault.from, LONGEST_NAME))}.`],
	placeholder: (fault) => [`${capital(placeholderLine(fault))}.`],
	no_outputs: () => [`The workflow has no output node. ${ADD_OUTPUT_NODE}`],
	refused: ({ refusals }) => refusalLines(refusals),
});

export const checkNoteLines = (note: CheckNote): string[] =>
	note.note === 'conversion'
		? noteLines(note.notes)
		: [`${inputOf(note)}: the node cannot check whether ComfyUI has the file "${shorten(note.name, LONGEST_NAME)}".`];

export const classAdvice = (missing: MissingClass, isOwnServer: boolean): string => missingClassAdvice([missing], isOwnServer);

/** Returns the code for the origin of a missing class. */
export function classCause({ pack }: MissingClass): 'newer_comfyui' | 'custom_nodes' | 'unknown' {
	if (pack === undefined) return 'unknown';
	return pack === CORE_PACK ? 'newer_comfyui' : 'custom_nodes';
}

export const modelAdvice = ({ folder, url, near }: MissingFile): string =>
	`Put it into ${folderName(folder)}, or choose a file that ComfyUI has.${url === undefined ? '' : ' The workflow contains its download address, see url.'}${similarNames(near)}`;

export const fileAdvice = ({ near }: MissingFile): string =>
	`Send it in a row of Files of Comfy Run Workflow or with Comfy Upload Asset, or put it into the folder input of ComfyUI.${similarNames(near)}`;

/** Returns the result in one sentence. */
export function checkSummary({ missingClasses, missingModels, missingFiles, otherFaults }: WorkflowCheck): string {
	const lacks = [
		[missingClasses.length, 'node class', 'node classes'] as const,
		[missingModels.length, 'model', 'models'] as const,
		[missingFiles.length, 'input file', 'input files'] as const,
	].flatMap(([number, one, many]) => (number === 0 ? [] : [count(number, one, many)]));
	const reasons = [
		...(lacks.length === 0 ? [] : [`it does not have ${lacks.join(', ').replace(/, ([^,]*)$/, ' and $1')}`]),
		...(otherFaults.length === 0 ? [] : [`the workflow has ${count(otherFaults.length, 'other problem', 'other problems')}`]),
	];
	return reasons.length === 0 ? 'This ComfyUI can run the workflow.' : `This ComfyUI cannot run the workflow: ${reasons.join(', and ')}.`;
}
