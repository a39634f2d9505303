import type { IDataObject } from 'n8n-workflow';

import type { AppField } from '../../../nodes/shared/app/fields';
import { appInputFields } from '../../../nodes/shared/app/formInEditor';
import { editorContext } from './editor';
import type { Credential } from './engine';

export interface Form extends IDataObject {
	mappingMode: 'defineBelow';
	value: IDataObject | null;
	schema: never[];
}

/** The fields that n8n draws; `before`: the form as the node holds it. */
export async function fieldsIn(
	credential: Credential,
	text: string,
	before?: Form,
	more: IDataObject = {},
): Promise<{ fields: AppField[]; emptyFieldsNotice?: string }> {
	const editor = editorContext(
		'comfyRunWorkflow',
		{ workflowSource: 'json', workflow: text, ...(before && { appInputs: before }), ...more },
		credential,
	);
	return (await appInputFields.call(editor)) as { fields: AppField[]; emptyFieldsNotice?: string };
}

/** As n8n fills a fresh form, with these changes by the author's words; nothing is kept of what is empty. */
export function filled(fields: AppField[], changes: IDataObject = {}): Form {
	const known = fields.map(({ words }) => words);
	for (const label of Object.keys(changes))
		if (!known.includes(label)) throw new Error(`The form has no "${label}", but ${known.join(', ')}`);
	const values = fields.map(({ id, words, defaultValue }): [string, unknown] => [
		id,
		words !== undefined && Object.hasOwn(changes, words) ? changes[words] : defaultValue,
	]);
	return {
		mappingMode: 'defineBelow',
		value: Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null && value !== '')) as IDataObject,
		schema: fields as never[],
	};
}
