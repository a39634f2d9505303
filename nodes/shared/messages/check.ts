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
import { limitsInWords, shortened } from './words';

/** What *Check Workflow* tells people. */

const LONGEST_NAME = 200;
const offers = (near: string[]): string =>
	near.length === 0 ? '' : ` It offers, by names like it: ${near.map((name) => `"${shortened(name, LONGEST_NAME)}"`).join(', ')}.`;

const at = (place: ConversionPlace): string => capital(inputName(place));

export function faultLines(fault: CheckFault): string[] {
	switch (fault.fault) {
		case 'not_offered':
			return [`${at(fault)}: ${shortValue(fault.value)} is not among what ComfyUI offers there.${offers(fault.near)}`];
		case 'out_of_range':
			return [`${at(fault)}: ${shortValue(fault.value)} is out of range; ComfyUI takes ${limitsInWords(fault)}.`];
		case 'no_number':
			return [`${at(fault)}: ${shortValue(fault.value)} is no number, and ComfyUI takes only numbers there.`];
		case 'missing_input':
			return [`${at(fault)}: nothing is linked to it or entered, and it is needed.`];
		case 'dangling_link':
			return [`${at(fault)}: it is linked to node ${shortened(fault.from, LONGEST_NAME)}, which the workflow does not have.`];
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
		: [`${at(note)}: whether ComfyUI has the file "${shortened(note.name, LONGEST_NAME)}" cannot be seen from here.`];

export const classAdvice = (missing: MissingClass, isOwnServer: boolean): string => missingClassAdvice([missing], isOwnServer);

/** The code for where a missing class comes from. */
export const classCause = ({ pack }: MissingClass): 'newer_comfyui' | 'custom_nodes' | 'unknown' =>
	pack === undefined ? 'unknown' : pack === CORE_PACK ? 'newer_comfyui' : 'custom_nodes';

export const modelAdvice = ({ folder, url, near }: MissingFile): string =>
	`Put it into ${folder === undefined ? 'the folder from which this node loads its files' : `ComfyUI’s folder ${shortened(folder, LONGEST_NAME)}`}${url === undefined ? '' : '; url says where the workflow’s author had it from'}, or choose a file that ComfyUI has.${offers(near)}`;

export const fileAdvice = ({ near }: MissingFile): string =>
	`Send it with a row of Files of Comfy Run Workflow, or with Comfy Upload Asset; or put it into ComfyUI’s folder input.${offers(near)}`;

const counted = (count: number, one: string, many: string): string[] => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]);

/** In one sentence. */
export function checkSummary({ missingClasses, missingModels, missingFiles, otherFaults: { length: faults } }: WorkflowCheck): string {
	const lacks = [
		...counted(missingClasses.length, 'node class', 'node classes'),
		...counted(missingModels.length, 'model', 'models'),
		...counted(missingFiles.length, 'input file', 'input files'),
	];
	const parts = [
		...(lacks.length === 0 ? [] : [`this ComfyUI lacks ${lacks.join(', ').replace(/, ([^,]*)$/, ' and $1')}`]),
		...(faults === 0 ? [] : [`${faults} other ${faults === 1 ? 'thing stands' : 'things stand'} in its way`]),
	];
	return parts.length === 0 ? 'The workflow can run here.' : `The workflow cannot run here: ${parts.join(', and ')}.`;
}
