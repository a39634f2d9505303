import type { ILoadOptionsFunctions, ResourceMapperField, ResourceMapperFields } from 'n8n-workflow';

import { listFormFields, type FormField, buildInputForm, isRouterModelId, type FieldGroup, type RouterInputSchema } from '../../client';
import { wordsFor } from '../shared/explain/wordsFor';
import { inOneText } from '../shared/messages/words';
import { isExpression } from '../shared/parameters';
import { withRouter } from '../shared/connect/editorConnections';

/** Returns the form of a schema, or undefined if the schema does not describe the model's own fields. */
export function buildForm(schema: RouterInputSchema | undefined): { tree: FieldGroup; fields: FormField[] } | undefined {
	if (schema?.schema === undefined || !schema.authored) return undefined;
	const tree = buildInputForm(schema.schema, schema.document);
	return tree && { tree, fields: listFormFields(tree) };
}

const withoutFields = (emptyFieldsNotice: string): ResourceMapperFields => ({ fields: [], emptyFieldsNotice });

/**
 * Returns n8n's field. A required field for a file or a seed may be empty in the form, because an item may fill it at run
 * time. Values of the schema that n8n would evaluate as an expression are left out, because a schema is not trusted.
 */
function toMapperField({
	id,
	displayName,
	type,
	required,
	range,
	options,
	takesFile,
	isSeed,
	default: defaultValue,
}: FormField): ResourceMapperField {
	const isLeftToRun = required && (takesFile === true || isSeed === true);
	return {
		id,
		// `Required` comes first because n8n cuts off the end of a long label.
		displayName: `${isLeftToRun ? 'Required: ' : ''}${displayName}${range === undefined ? '' : ` (${range})`}`,
		type,
		required: required && !isLeftToRun,
		defaultMatch: false,
		display: true,
		...(options === undefined ? {} : { options: options.filter(({ value }) => !isExpression(value)) }),
		...(defaultValue === undefined || isExpression(defaultValue) ? {} : { defaultValue }),
	};
}

/** Returns the form of the chosen model, or a notice that says why there is none. */
export async function inputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const model = String(this.getCurrentNodeParameter('model', { extractValue: true }) ?? '');
	if (model === '') return withoutFields('Choose a model first.');
	if (model.startsWith('='))
		return withoutFields('The model comes from an expression, so its inputs are unknown in the editor. Set Input Mode to JSON.');
	if (!isRouterModelId(model)) return withoutFields(`"${model}" is not a model ID. Choose the model From List.`);
	return await withRouter(
		this,
		async (router) => {
			const { input_schema_url: url } = await router.model(model);
			const form = buildForm(url === undefined ? undefined : await router.inputSchema(model));
			return form === undefined
				? withoutFields(
						`The router has no input schema for ${model}. Set Input Mode to JSON, and enter the input that the provider documents.`,
					)
				: { fields: form.fields.map(toMapperField) };
		},
		(error, credential) => withoutFields(inOneText(wordsFor(error, credential))),
	);
}
