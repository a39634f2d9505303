import {
	type CheckFault,
	type CheckNote,
	type ConversionPlace,
	CORE_PACK,
	type MissingClass,
	type MissingFile,
	type WorkflowCheck,
} from '../../../client';
import { capital, inputName, noteLines, refusalLines, shortValue } from './conversion';
import { missingClassAdvice } from './missingClasses';
import { limitsInWords, shorten } from './words';

/** Texts of the operation *Check Workflow*. */

const LONGEST_NAME = 200;
const similarNames = (near: string[]): string =>
	near.length === 0 ? '' : ` It offers, by names like it: ${near.map((name) => `"${shorten(name, LONGEST_NAME)}"`).join(', ')}.`;

const inputOf = (place: ConversionPlace): string => capital(inputName(place));

export function faultLines(fault: CheckFault): string[] {
	switch (fault.fault) {
		case 'not_offered':
			return [`${inputOf(fault)}: ${shortValue(fault.value)} is not among what ComfyUI offers there.${similarNames(fault.near)}`];
		case 'out_of_range':
			return [`${inputOf(fault)}: ${shortValue(fault.value)} is out of range; ComfyUI takes ${limitsInWords(fault)}.`];
		case 'no_number':
			return [`${inputOf(fault)}: ${shortValue(fault.value)} is no number, and ComfyUI takes only numbers there.`];
		case 'missing_input':
			return [`${inputOf(fault)}: nothing is linked to it or entered, and it is needed.`];
		case 'dangling_link':
			return [`${inputOf(fault)}: it is linked to node ${shorten(fault.from, LONGEST_NAME)}, which the workflow does not have.`];
		case 'no_outputs':
			return [
				'The workflow has no node that outputs anything. Add Save Image or Preview Image, or another node that saves or shows a result.',
			];
		case 'refused':
			return refusalLines(fault.refusals);
	}
}

export const checkNoteLines = (note: CheckNote): string[] =>
	note.note === 'conversion'
		? noteLines(note.notes)
		: [`${inputOf(note)}: whether ComfyUI has the file "${shorten(note.name, LONGEST_NAME)}" cannot be seen from here.`];

export const classAdvice = (missing: MissingClass, isOwnServer: boolean): string => missingClassAdvice([missing], isOwnServer);

/** Returns the code for the origin of a missing class. */
export const classCause = ({ pack }: MissingClass): 'newer_comfyui' | 'custom_nodes' | 'unknown' =>
	pack === undefined ? 'unknown' : pack === CORE_PACK ? 'newer_comfyui' : 'custom_nodes';

export const modelAdvice = ({ folder, url, near }: MissingFile): string =>
	`Put it into ${folder === undefined ? 'the folder from which this node loads its files' : `ComfyUI’s folder ${shorten(folder, LONGEST_NAME)}`}${url === undefined ? '' : '; url says where the workflow’s author had it from'}, or choose a file that ComfyUI has.${similarNames(near)}`;

export const fileAdvice = ({ near }: MissingFile): string =>
	`Send it with a row of Files of Comfy Run Workflow, or with Comfy Upload Asset; or put it into ComfyUI’s folder input.${similarNames(near)}`;

const countOf = (count: number, one: string, many: string): string[] => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]);

/** Returns the result in one sentence. */
export function checkSummary({ missingClasses, missingModels, missingFiles, otherFaults: { length: faults } }: WorkflowCheck): string {
	const lacks = [
		...countOf(missingClasses.length, 'node class', 'node classes'),
		...countOf(missingModels.length, 'model', 'models'),
		...countOf(missingFiles.length, 'input file', 'input files'),
	];
	const parts = [
		...(lacks.length === 0 ? [] : [`this ComfyUI lacks ${lacks.join(', ').replace(/, ([^,]*)$/, ' and $1')}`]),
		...(faults === 0 ? [] : [`${faults} other ${faults === 1 ? 'thing stands' : 'things stand'} in its way`]),
	];
	return parts.length === 0 ? 'The workflow can run here.' : `The workflow cannot run here: ${parts.join(', and ')}.`;
}
