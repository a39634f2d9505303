import type { INodeProperties } from 'n8n-workflow';

import { Cache, isRouterModelId, LONGEST_MODEL_ID, onePerKey, type RouterInputSchema, type RouterModel } from '../../client';
import type { ModelRouterConnection } from '../shared/connect/routerConnections';
import { fromList } from '../shared/descriptions/common';
import { ItemFault } from '../shared/itemFault';
import { cut } from '../shared/messages/words';
import { enteredText, locatorValue, type ReadParameter } from '../shared/parameters';
import { messages } from '../shared/messages/catalogue';

export const modelLocator: INodeProperties = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'Partner model to use',
	modes: [
		fromList('searchModels', 'Select a model…'),
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. bfl/flux-2-pro' },
	],
};

/** Returns the first reason why the text is not a model ID. */
function invalidIdReason(id: string): string {
	const [provider = '', model = '', ...others] = id.split('/');
	if (provider === '' || model === '' || others.length > 0) return 'An ID consists of a provider and a model, for example bfl/flux-2-pro.';
	if (provider.length > LONGEST_MODEL_ID.provider)
		return `Its provider has ${provider.length} characters, and the limit is ${LONGEST_MODEL_ID.provider}.`;
	if (model.length > LONGEST_MODEL_ID.model)
		return `Its part after the slash has ${model.length} characters, and the limit is ${LONGEST_MODEL_ID.model}.`;
	if (/[A-Z]/.test(id)) return `Ids have no capital letters: use ${id.toLowerCase()}.`;
	return 'Ids contain lowercase letters and digits, separated by a single ".", "_" or "-".';
}

const LONGEST_SHOWN = 80;

/** Reads the model's id. @throws ItemFault if it cannot be an id. */
export function readModelId(read: ReadParameter): string {
	const id = enteredText(locatorValue(read<unknown>('model')), 'Model');
	if (isRouterModelId(id)) return id;
	throw new ItemFault(messages.MODEL_ID_NOT_VALID(cut(id, LONGEST_SHOWN), invalidIdReason(id)));
}

const MOST_MODELS = 1_000;

/** What one run of the node has read about models. */
interface CachedModels {
	details: Cache<string, Promise<RouterModel>>;
	schemas: Cache<string, Promise<RouterInputSchema | undefined>>;
}

const cachedModelsOf = onePerKey<ModelRouterConnection, CachedModels>(() => ({
	details: new Cache({ mostEntries: MOST_MODELS }),
	schemas: new Cache({ mostEntries: MOST_MODELS }),
}));

/** Reads the model once in a run. @throws ApiError `model_not_found`, with the router's suggestions. */
export async function readModel(connection: ModelRouterConnection, model: string, signal?: AbortSignal): Promise<RouterModel> {
	return await cachedModelsOf(connection).details.getOrLoad(model, async () => await connection.router.model(model, { signal }));
}

/** Reads the input schema once in a run. @returns undefined if the model has none. */
export async function readSchema(
	connection: ModelRouterConnection,
	model: string,
	signal?: AbortSignal,
): Promise<RouterInputSchema | undefined> {
	return await cachedModelsOf(connection).schemas.getOrLoad(model, async () => {
		const { input_schema_url: url } = await readModel(connection, model, signal);
		return url === undefined ? undefined : await connection.router.inputSchema(model, { signal });
	});
}
