import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { isRouterModelId, type ModelRouter, type RouterModel } from '../../../client';
import { wordsFor } from '../messages/wordsFor';
import { nodeErrorFor } from '../nodeErrors';
import { withRouter } from '../connect/routerConnect';

const PAGE_SIZE = 100;
/** A search goes on through the catalog until it has found so many, or the catalog ends. */
const ENOUGH = 40;

const CHARGES: Record<RouterModel['charges_on_policy_rejection'], string> = {
	yes: 'refusals charged',
	no: 'refusals free',
	unknown: 'refusals may be charged',
};

const entryOf = ({ id, provider, model, charges_on_policy_rejection: charges }: RouterModel): INodeListSearchItems => ({
	name: `${provider} / ${model} (${CHARGES[charges]})`,
	value: id,
});

/** What can be no id could not be run; n8n would take one that begins with "=" for an expression. */
const matches = ({ id }: RouterModel, words: string[]): boolean => isRouterModelId(id) && words.every((word) => id.includes(word));

async function search(router: ModelRouter, words: string[], token: string | undefined): Promise<INodeListSearchResult> {
	const results: INodeListSearchItems[] = [];
	let cursor = token;
	do {
		const page = await router.page({ cursor, limit: PAGE_SIZE });
		results.push(...page.models.filter((model) => matches(model, words)).map(entryOf));
		cursor = page.nextCursor;
	} while (cursor !== undefined && results.length < ENOUGH);
	return { results, paginationToken: cursor };
}

/** The router's models by the words of their id, in any order, a page at a time. */
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
