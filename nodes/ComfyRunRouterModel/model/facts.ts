import { fieldsOf, type FormField, inputTree, type ObjectNode, type RouterInputSchema, type RouterModel } from '../../../client';
import type { RouterLink } from '../../shared/routerConnect';

interface Facts {
	detail?: Promise<RouterModel>;
	schema?: Promise<RouterInputSchema | undefined>;
}

/** What is known of models in one run of the node: each is asked for once, however many items use it. */
const known = new WeakMap<RouterLink, Map<string, Facts>>();

function factsOf(link: RouterLink, model: string): Facts {
	const models = known.get(link) ?? new Map<string, Facts>();
	known.set(link, models);
	const facts = models.get(model) ?? {};
	models.set(model, facts);
	return facts;
}

/** @throws ApiError `model_not_found`, with the router's suggestions. */
export async function detailOf(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterModel> {
	const facts = factsOf(link, model);
	facts.detail ??= link.router.model(model, { signal });
	return await facts.detail;
}

async function readSchema(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterInputSchema | undefined> {
	const { input_schema_url: url } = await detailOf(link, model, signal);
	return url === undefined ? undefined : await link.router.inputSchema(model, { signal });
}

/** @returns undefined where none has been written for the model. */
export async function schemaOf(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterInputSchema | undefined> {
	const facts = factsOf(link, model);
	facts.schema ??= readSchema(link, model, signal);
	return await facts.schema;
}

/** @returns undefined where the schema says nothing of the model's own fields. */
export function formOf(schema: RouterInputSchema | undefined): { tree: ObjectNode; fields: FormField[] } | undefined {
	if (schema?.schema === undefined || !schema.authored) return undefined;
	const tree = inputTree(schema.schema, schema.document);
	return tree && { tree, fields: fieldsOf(tree) };
}
