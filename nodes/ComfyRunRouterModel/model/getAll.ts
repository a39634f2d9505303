import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { concurrency, limitFields, options, showForResource } from '../../shared/descriptions/common';
import type { ItemResult } from '../../shared/operation';
import { readLimit, type ReadParameter } from '../../shared/parameters';
import type { RouterItem } from '../../shared/connect/routerConnections';

interface ModelListSettings {
	/** Infinity for all. */
	limit: number;
}

const LARGEST_PAGE = 100;

const show = showForResource('model', 'getAll');

export const menu = {
	name: 'Get Many',
	action: 'Get many models',
	description: 'List the models of the router',
};

export const toolText =
	'Lists the partner models of the model router. Returns JSON for each model: id, provider, and charges_on_policy_rejection, which says whether a rejected input costs money. It runs nothing and costs nothing.';

export const description: INodeProperties[] = [...limitFields(show), options(show, [concurrency])];

export const settings = (read: ReadParameter): ModelListSettings => ({ limit: readLimit(read) });

/** Returns an item for each model. Reads all pages up to the limit. */
export async function execute({ connection, signal, isTool }: RouterItem, { limit }: ModelListSettings): Promise<ItemResult[]> {
	const items: IDataObject[] = [];
	let cursor: string | undefined;
	let requestId: string | null = null;
	do {
		const page = await connection.router.page({ cursor, limit: Math.min(limit - items.length, LARGEST_PAGE), signal });
		requestId = page.request_id;
		items.push(...page.models.map((model) => ({ ...(model as IDataObject), request_id: page.request_id })));
		cursor = page.nextCursor;
	} while (cursor !== undefined && items.length < limit);
	const results = items.slice(0, limit).map((json) => ({ json }));
	// An agent needs an answer even if the list is empty.
	return isTool && results.length === 0 ? [{ json: { models: 0, request_id: requestId } }] : results;
}
