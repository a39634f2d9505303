import {
	type CheckFault,
	type CheckNote,
	type ConversionPlace,
	CORE_PACK,
	type MissingClass,
	type MissingFile,
	type WorkflowCheck,
} from '../../../client';
import { ADD_OUTPUT_NODE, capital, inputName, noteLines, refusalLines, shortValue } from './conversion';
import { placeholderLine } from './graph';
import { missingClassAdvice } from './missingClasses';
import { joinNames, limitsInWords, shorten } from './words';

/** Texts of the operation *Check Workflow*. */

const LONGEST_NAME = 200;
const similarNames = (near: string[]): string =>
	near.length === 0 ? '' : ` Similar names in ComfyUI: ${joinNames(near.map((name) => `"${shorten(name, LONGEST_NAME)}"`))}.`;

const inputOf = (place: ConversionPlace): string => capital(inputName(place));

export function faultLines(fault: CheckFault): string[] {
	switch (fault.fault) {
		case 'not_offered':
			return [`${inputOf(fault)}: ${shortValue(fault.value)} is not one of the values that ComfyUI offers.${similarNames(fault.near)}`];
		case 'out_of_range':
			return [`${inputOf(fault)}: ${shortValue(fault.value)} is out of range. The value must be ${limitsInWords(fault)}.`];
		case 'no_number':
			return [`${inputOf(fault)}: ${shortValue(fault.value)} is not a number, and this input needs a number.`];
		case 'missing_input':
			return [`${inputOf(fault)}: this required input has no value and no link.`];
		case 'dangling_link':
			return [`${inputOf(fault)}: it is linked to node ${shorten(fault.from, LONGEST_NAME)}, which is not in the workflow.`];
		case 'placeholder':
			return [`${capital(placeholderLine(fault))}.`];
		case 'no_outputs':
			return [`The workflow has no output node. ${ADD_OUTPUT_NODE}`];
		case 'refused':
			return refusalLines(fault.refusals);
	}
}

export const checkNoteLines = (note: CheckNote): string[] =>
	note.note === 'conversion'
		? noteLines(note.notes)
		: [`${inputOf(note)}: the node cannot check whether ComfyUI has the file "${shorten(note.name, LONGEST_NAME)}".`];

export const classAdvice = (missing: MissingClass, isOwnServer: boolean): string => missingClassAdvice([missing], isOwnServer);

/** Returns the code for the origin of a missing class. */
export function classCause({ pack, replacedBy }: MissingClass): 'retired' | 'newer_comfyui' | 'custom_nodes' | 'unknown' {
	if (replacedBy !== undefined) return 'retired';
	if (pack === undefined) return 'unknown';
	return pack === CORE_PACK ? 'newer_comfyui' : 'custom_nodes';
}

export const modelAdvice = ({ folder, url, near }: MissingFile): string =>
	`Put it into ${folder === undefined ? 'the folder from which this node loads its files' : `the folder ${shorten(folder, LONGEST_NAME)} of ComfyUI`}, or choose a file that ComfyUI has.${url === undefined ? '' : ' The workflow contains its download address, see url.'}${similarNames(near)}`;

export const fileAdvice = ({ near }: MissingFile): string =>
	`Send it in a row of Files of Comfy Run Workflow or with Comfy Upload Asset, or put it into the folder input of ComfyUI.${similarNames(near)}`;

const countOf = (count: number, one: string, many: string): string[] => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]);

/** Returns the result in one sentence. */
export function checkSummary({ missingClasses, missingModels, missingFiles, otherFaults: { length: faults } }: WorkflowCheck): string {
	const lacks = [
		...countOf(missingClasses.length, 'node class', 'node classes'),
		...countOf(missingModels.length, 'model', 'models'),
		...countOf(missingFiles.length, 'input file', 'input files'),
	];
	const parts = [
		...(lacks.length === 0 ? [] : [`it does not have ${lacks.join(', ').replace(/, ([^,]*)$/, ' and $1')}`]),
		...(faults === 0 ? [] : [`the workflow has ${faults} other ${faults === 1 ? 'problem' : 'problems'}`]),
	];
	return parts.length === 0 ? 'This ComfyUI can run the workflow.' : `This ComfyUI cannot run the workflow: ${parts.join(', and ')}.`;
}
