import type { INodeProperties } from 'n8n-workflow';

import type { RouterItem } from '../../shared/connect/routerConnections';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import type { ItemResult } from '../../shared/operation';
import { readOptions } from '../../shared/options';
import type { ReadParameter } from '../../shared/parameters';
import { unknownReason } from './run/cost';
import { input } from './run/description';
import { prepareRequest } from './run/input';
import { inputOptions, routingOptions } from './run/options';
import { type ModelInputSettings, readInputSettings } from './run/settings';

const { model_provider: modelProvider } = routingOptions;

interface EstimateSettings extends ModelInputSettings {
	modelProvider: string | undefined;
}

export const menu = {
	name: 'Estimate Cost',
	action: 'Estimate cost of model',
	description: 'Estimate what a run costs, without running the model. The request contains the input files, and nothing is charged.',
};

export const toolText =
	'Estimates what a run of a partner model costs, without running it. Nothing is charged. Returns JSON with amounts in US dollars: amount_usd if source is "exact", min_amount_usd and max_amount_usd if source is "estimated". If source is "unknown", all amounts are null and reason says why. This does not mean that the run is free.';

export const description: INodeProperties[] = [
	...input,
	options(showForResource('model', 'estimateCost'), [...Object.values(inputOptions), modelProvider, concurrency]),
];

export const settings = (read: ReadParameter): EstimateSettings => ({
	...readInputSettings(read),
	...readOptions({ modelProvider }, read),
});

/** Seeds do not change the cost, so every estimate has the same ones. */
const SEED_KEY = '';

export async function execute(item: RouterItem, estimateSettings: EstimateSettings): Promise<ItemResult> {
	const { connection, signal, progress } = item;
	const { model } = estimateSettings;
	progress.add({ model });
	const request = await prepareRequest(item, estimateSettings, { query: {}, isQueued: false });
	const { order } = request.withSeeds(SEED_KEY);
	const estimate = await connection.router.estimate(model, order.input, { modelProvider: estimateSettings.modelProvider, signal });
	const { request_id, source, amount_usd, min_amount_usd, max_amount_usd, reason, pricing_as_of } = estimate;
	return {
		json: {
			model,
			request_id,
			source,
			amount_usd,
			min_amount_usd,
			max_amount_usd,
			reason: unknownReason(estimate) ?? reason,
			pricing_as_of,
		},
	};
}
