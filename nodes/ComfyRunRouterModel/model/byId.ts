import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { withNumbersAsText } from '../../../client';
import type { RouterOperation } from '../../shared/connect/routerConnections';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { readOptions, switchOption } from '../../shared/options';
import type { ReadParameter } from '../../shared/parameters';
import { buildForm } from '../form';
import { readModel, readModelId, readSchema } from '../models';

/** The operations *Get* and *Get Input Schema*. */

interface ModelSettings {
	model: string;
}

interface SchemaSettings extends ModelSettings {
	includeDocument: boolean;
}

const includeDocument = switchOption({
	displayName: 'Include Document',
	name: 'includeDocument',
	default: false,
	description: 'Whether to include the complete OpenAPI document, which contains the references of the schema',
});

const description: INodeProperties[] = [
	options(showForResource('model', 'getInputSchema'), [concurrency, includeDocument]),
	options(showForResource('model', 'get'), [concurrency]),
];

export const getModel: RouterOperation<ModelSettings> = {
	menu: {
		name: 'Get',
		action: 'Get model',
		description: 'Get the details of a model',
	},
	toolText:
		'Gets the details of one partner model of the model router by its ID, for example bfl/flux-2-pro. Returns JSON: id, provider, and charges_on_policy_rejection, which says whether a rejected input costs money. It runs nothing and costs nothing.',
	description,
	settings: (read: ReadParameter) => ({ model: readModelId(read) }),
	async execute({ connection, signal, progress }, { model }) {
		progress.add({ model });
		return { json: (await connection.router.model(model, { signal })) as unknown as IDataObject };
	},
};

/** Returns the schema as the router sends it, and the fields of the form that it makes. */
export const getInputSchema: RouterOperation<SchemaSettings> = {
	menu: {
		name: 'Get Input Schema',
		action: 'Get input schema of model',
		description: 'Get the inputs that a model accepts',
	},
	toolText:
		'Gets the inputs that one partner model of the model router accepts. Returns JSON: fields lists the inputs with their types, limits and choices, and schema is the JSON schema of the input. It runs nothing and costs nothing.',
	description,
	settings: (read: ReadParameter) => ({
		model: readModelId(read),
		...readOptions({ includeDocument }, read),
	}),
	async execute({ connection, signal, progress }, { model, includeDocument }) {
		progress.add({ model });
		const schema = await readSchema(connection, model, signal);
		const json: IDataObject = {
			model,
			request_id: schema?.request_id ?? ((await readModel(connection, model, signal)).request_id as string | null),
			input_schema_authored: schema?.authored ?? false,
			fields: (buildForm(schema)?.fields ?? []) as unknown as IDataObject[],
			schema: withNumbersAsText(schema?.schema ?? null) as IDataObject | null,
		};
		return { json: includeDocument ? { ...json, document: withNumbersAsText(schema?.document ?? null) as IDataObject | null } : json };
	},
};
