import { fieldsOf, type FormField, inputTree, type ObjectNode, outcomeOf, type RouterInputSchema, type RouterModel } from '../../../client';
import type { RouterLink } from '../../shared/routerConnect';

/** Asked for once, however many want it; what failed is asked for again by whoever comes next. */
class Fact<T> {
	private answer?: Promise<T>;

	async get(ask: () => Promise<T>): Promise<T> {
		const answer = (this.answer ??= ask());
		const outcome = await outcomeOf(answer);
		if (outcome.ok) return outcome.value;
		if (this.answer === answer) this.answer = undefined;
		throw outcome.error;
	}
}

interface Facts {
	detail: Fact<RouterModel>;
	schema: Fact<RouterInputSchema | undefined>;
}

/** What is known of models in one run of the node. */
const known = new WeakMap<RouterLink, Map<string, Facts>>();

function factsOf(link: RouterLink, model: string): Facts {
	const models = known.get(link) ?? new Map<string, Facts>();
	known.set(link, models);
	const facts = models.get(model) ?? { detail: new Fact(), schema: new Fact() };
	models.set(model, facts);
	return facts;
}

/** @throws ApiError `model_not_found`, with the router's suggestions. */
export async function detailOf(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterModel> {
	return await factsOf(link, model).detail.get(async () => await link.router.model(model, { signal }));
}

async function readSchema(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterInputSchema | undefined> {
	const { input_schema_url: url } = await detailOf(link, model, signal);
	return url === undefined ? undefined : await link.router.inputSchema(model, { signal });
}

/** @returns undefined where none has been written for the model. */
export async function schemaOf(link: RouterLink, model: string, signal?: AbortSignal): Promise<RouterInputSchema | undefined> {
	return await factsOf(link, model).schema.get(async () => await readSchema(link, model, signal));
}

/** @returns undefined where the schema says nothing of the model's own fields. */
export function formOf(schema: RouterInputSchema | undefined): { tree: ObjectNode; fields: FormField[] } | undefined {
	if (schema?.schema === undefined || !schema.authored) return undefined;
	const tree = inputTree(schema.schema, schema.document);
	return tree && { tree, fields: fieldsOf(tree) };
}
