import type { ILoadOptionsFunctions, ResourceMapperField, ResourceMapperFields } from 'n8n-workflow';

import { type FormField, isRouterModelId } from '../../client';
import { wordsFor } from '../shared/messages';
import { withRouter } from '../shared/routerConnect';
import { formOf } from './model/facts';

const noFields = (emptyFieldsNotice: string): ResourceMapperFields => ({ fields: [], emptyFieldsNotice });

/** n8n would evaluate it, with the workflow's data at hand: a schema is not trusted with that. */
const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** A field that a file may fill can stay empty in the form: whether it is filled shows only when the item is run. */
function mapped({ id, displayName, type, required, range, options, takesFile, default: usual }: FormField): ResourceMapperField {
	const isLeftToRun = required && takesFile === true;
	return {
		id,
		// The end of a long label is cut off.
		displayName: `${isLeftToRun ? 'Required: ' : ''}${displayName}${range === undefined ? '' : ` (${range})`}`,
		type,
		required: required && !isLeftToRun,
		defaultMatch: false,
		display: true,
		...(options === undefined ? {} : { options: options.filter(({ value }) => !isExpression(value)) }),
		...(usual === undefined || isExpression(usual) ? {} : { defaultValue: usual }),
	};
}

/** The form of the chosen model, from its own schema. */
export async function inputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const model = String(this.getCurrentNodeParameter('model', { extractValue: true }) ?? '');
	if (model === '') return noFields('Choose a model first.');
	if (model.startsWith('=')) return noFields('The model comes from an expression, so that its inputs are not known here. Set Input Mode to JSON.');
	if (!isRouterModelId(model)) return noFields(`"${model}" is not the id of a model.`);
	return await withRouter(
		this,
		async (router) => {
			const { input_schema_url: url } = await router.model(model);
			const form = formOf(url === undefined ? undefined : await router.inputSchema(model));
			return form === undefined
				? noFields(`No input schema has been written for ${model}. Set Input Mode to JSON and enter what its provider documents.`)
				: { fields: form.fields.map(mapped) };
		},
		(error, credential) => {
			const { message, advice } = wordsFor(error, credential);
			return noFields(`${message}. ${advice}`);
		},
	);
}
