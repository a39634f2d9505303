import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { isRouterModelId, type ModelRouter, type RouterModel } from '../../../client';
import { wordsFor } from '../explain/wordsFor';
import { nodeErrorFor } from '../nodeErrors';
import { withRouter } from '../connect/editorConnections';

const PAGE_SIZE = 100;
/** A search reads further pages until it has found this many models. */
const ENOUGH_RESULTS = 40;

const CHARGES: Record<RouterModel['charges_on_policy_rejection'], string> = {
	yes: 'rejected runs charged',
	no: 'rejected runs free',
	unknown: 'rejected runs may be charged',
};

const toModelEntry = ({ id, provider, model, charges_on_policy_rejection: charges }: RouterModel): INodeListSearchItems => ({
	name: `${provider} / ${model} (${CHARGES[charges]})`,
	value: id,
});

/** Leaves out ids that cannot be run. n8n would evaluate an id that begins with "=" as an expression. */
const matchesModel = ({ id }: RouterModel, words: string[]): boolean => isRouterModelId(id) && words.every((word) => id.includes(word));

async function search(router: ModelRouter, words: string[], token: string | undefined): Promise<INodeListSearchResult> {
	const results: INodeListSearchItems[] = [];
	let cursor = token;
	do {
		const page = await router.page({ cursor, limit: PAGE_SIZE });
		results.push(...page.models.filter((model) => matchesModel(model, words)).map(toModelEntry));
		cursor = page.nextCursor;
	} while (cursor !== undefined && results.length < ENOUGH_RESULTS);
	return { results, paginationToken: cursor };
}

/** Lists the router's models, page by page. The filter searches in their ids. */
export async function searchModels(this: ILoadOptionsFunctions, filter?: string, paginationToken?: string): Promise<INodeListSearchResult> {
	const words = (filter ?? '')
		.toLowerCase()
		.split(/[\s/]+/)
		.filter((word) => word !== '');
	return await withRouter(
		this,
		async (router) => await search(router, words, paginationToken),
		(error, credential) => {
			throw nodeErrorFor(this, error, wordsFor(error, credential));
		},
	);
}
