import { getOrLoad, type RouterInputSchema, type RouterModel } from '../../client';
import type { RouterLink } from '../shared/connect/routerConnect';

/** What is known of models in one run of the node. */
class KnownModels {
	readonly details = new Map<string, Promise<RouterModel>>();
	readonly schemas = new Map<string, Promise<RouterInputSchema | undefined>>();
}

const ofRun = new WeakMap<RouterLink, KnownModels>();

function knownTo(link: RouterLink): KnownModels {
	const models = ofRun.get(link) ?? new KnownModels();
	ofRun.set(link, models);
	return models;
}

/** @throws ApiError `model_not_found`, with the router's suggestions. */
export async function detailOf(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterModel> {
	return await getOrLoad(knownTo(link).details, model, async () => await link.router.model(model, { signal }));
}

async function readSchema(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterInputSchema | undefined> {
	const { input_schema_url: url } = await detailOf(link, model, signal);
	return url === undefined ? undefined : await link.router.inputSchema(model, { signal });
}

/** @returns undefined where none has been written for the model. */
export async function schemaOf(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterInputSchema | undefined> {
	return await getOrLoad(knownTo(link).schemas, model, async () => await readSchema(link, model, signal));
}
