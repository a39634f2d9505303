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
import { checkText, folderName } from '../messages/conversionTexts';
import { ADD_OUTPUT_NODE } from '../messages/topics/workflow';
import { byKind, count, joinNames, limitsInWords, shorten } from '../messages/words';
import { capital, inputName, noteLines, refusalLines, shortValue } from './conversion';
import { placeholderLine } from './graph';
import { missingClassAdvice } from './missingClasses';

const LONGEST_NAME = 200;

const similarNames = (near: string[]): string =>
	near.length === 0 ? '' : checkText.similarNames(joinNames(near.map((name) => `"${shorten(name, LONGEST_NAME)}"`)));

const inputOf = (place: ConversionPlace): string => capital(inputName(place));

export const faultLines = byKind<CheckFault, 'fault', string[]>('fault', {
	not_offered: (fault) => [checkText.notOffered(inputOf(fault), shortValue(fault.value), similarNames(fault.near))],
	out_of_range: (fault) => [checkText.outOfRange(inputOf(fault), shortValue(fault.value), limitsInWords(fault))],
	no_number: (fault) => [checkText.noNumber(inputOf(fault), shortValue(fault.value))],
	missing_input: (fault) => [checkText.missingInput(inputOf(fault))],
	dangling_link: (fault) => [checkText.danglingLink(inputOf(fault), shorten(fault.from, LONGEST_NAME))],
	placeholder: (fault) => [`${capital(placeholderLine(fault))}.`],
	no_outputs: () => [checkText.noOutputs(ADD_OUTPUT_NODE)],
	refused: ({ refusals }) => refusalLines(refusals),
});

export const checkNoteLines = (note: CheckNote): string[] =>
	note.note === 'conversion' ? noteLines(note.notes) : [checkText.fileNotChecked(inputOf(note), shorten(note.name, LONGEST_NAME))];

export const classAdvice = (missing: MissingClass, isOwnServer: boolean): string => missingClassAdvice([missing], isOwnServer);

/** Returns the code for the origin of a missing class. */
export function classCause({ pack }: MissingClass): 'newer_comfyui' | 'custom_nodes' | 'unknown' {
	if (pack === undefined) return 'unknown';
	return pack === CORE_PACK ? 'newer_comfyui' : 'custom_nodes';
}

export const modelAdvice = ({ folder, url, near }: MissingFile): string =>
	checkText.modelAdvice(
		folderName(folder && shorten(folder, LONGEST_NAME)),
		url === undefined ? '' : checkText.hasDownload,
		similarNames(near),
	);

export const fileAdvice = ({ near }: MissingFile): string => checkText.fileAdvice(similarNames(near));

/** Returns the result in one sentence. */
export function checkSummary({ missingClasses, missingModels, missingFiles, otherFaults }: WorkflowCheck): string {
	const lacks = [
		[missingClasses.length, 'node class', 'node classes'] as const,
		[missingModels.length, 'model', 'models'] as const,
		[missingFiles.length, 'input file', 'input files'] as const,
	].flatMap(([number, one, many]) => (number === 0 ? [] : [count(number, one, many)]));
	const reasons = [
		...(lacks.length === 0 ? [] : [checkText.lacks(lacks.join(', ').replace(/, ([^,]*)$/, ' and $1'))]),
		...(otherFaults.length === 0 ? [] : [checkText.otherProblems(otherFaults.length)]),
	];
	return reasons.length === 0 ? checkText.canRun : checkText.cannotRun(reasons.join(', and '));
}
