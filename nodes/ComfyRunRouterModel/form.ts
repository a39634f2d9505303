import type { ILoadOptionsFunctions, ResourceMapperField, ResourceMapperFields } from 'n8n-workflow';

import { listFormFields, type FormField, buildInputForm, isRouterModelId, type FieldGroup, type RouterInputSchema } from '../../client';
import { wordsFor } from '../shared/messages/wordsFor';
import { isExpression } from '../shared/parameters';
import { withRouter } from '../shared/connect/routerConnect';

/** @returns undefined where the schema says nothing of the model's own fields. */
export function formOf(schema: RouterInputSchema | undefined): { tree: FieldGroup; fields: FormField[] } | undefined {
	if (schema?.schema === undefined || !schema.authored) return undefined;
	const tree = buildInputForm(schema.schema, schema.document);
	return tree && { tree, fields: listFormFields(tree) };
}

const noFields = (emptyFieldsNotice: string): ResourceMapperFields => ({ fields: [], emptyFieldsNotice });

/**
 * What a file may fill, or Seeds draws, can stay empty in the form: whether it is filled shows only when the item is run.
 * An expression n8n would evaluate, with the workflow's data at hand: a schema is not trusted with that.
 */
function mapped({ id, displayName, type, required, range, options, takesFile, isSeed, default: usual }: FormField): ResourceMapperField {
	const isLeftToRun = required && (takesFile === true || isSeed === true);
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
	if (model.startsWith('='))
		return noFields('The model comes from an expression, so that its inputs are not known here. Set Input Mode to JSON.');
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
