import { type InputValues, parseInputValues } from '../../../../client';
import { EmptyField, ItemFault } from '../../operations';
import { requiredText } from '../../parameters';
import type { InputFileRow, SubmitSettings } from './settings';

const unreadableReference = () =>
	new ItemFault('Reference under Input Files is not readable JSON', 'Use the expression {{ $json.reference }} on an item of Comfy Upload Asset.');

/** A reference that was put through JSON.stringify on its way is meant as the object it describes. */
function referenceOf(reference: unknown): unknown {
	if (typeof reference !== 'string' || !reference.trimStart().startsWith('{')) return reference;
	try {
		return JSON.parse(reference);
	} catch {
		throw unreadableReference();
	}
}

function checked(reference: unknown): unknown {
	if (reference === '' || reference === undefined || reference === null) {
		throw new EmptyField('Reference under Input Files is empty', 'Put Comfy Upload Asset before this node and use the expression {{ $json.reference }}.');
	}
	return referenceOf(reference);
}

function addFile(values: InputValues, { node, input, reference }: InputFileRow): InputValues {
	const name = requiredText(node, 'Node under Input Files');
	return { ...values, [name]: { ...values[name], [requiredText(input, 'Input under Input Files')]: checked(reference) } };
}

/** Input Values with the files of Input Files beside them. */
export const inputValuesOf = ({ inputValues, inputFiles }: SubmitSettings): InputValues =>
	inputFiles.reduce(addFile, parseInputValues(inputValues));
