import type { INodeProperties } from 'n8n-workflow';

import type { Asset, AssetOptions } from '../../client';
import { withAssets } from '../shared/descriptions/common';
import type { ItemContext, ItemResult } from '../shared/operation';
import { commaList, enteredNumber, type ReadParameter } from '../shared/parameters';

export const tags: INodeProperties = {
	displayName: 'Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. input, campaign-7',
	description: 'Labels for the asset in the service. Separate several by commas.',
	displayOptions: withAssets,
};

export const expiresIn: INodeProperties = {
	displayName: 'Expires In (Minutes)',
	name: 'expiresInMinutes',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10080, numberPrecision: 0 },
	default: 1440,
	description: 'When the service may delete the asset: 1 minute to 7 days. Without this option the service decides.',
	displayOptions: withAssets,
};

interface Options {
	expiresInMinutes?: number;
	tags?: string;
}

export function assetOptions(read: ReadParameter): AssetOptions {
	const { expiresInMinutes, tags: text = '' } = read<Options>('options', {});
	const filePath = read<string>('filePath', '').trim();
	return {
		filePath: filePath === '' ? undefined : filePath,
		tags: commaList(text),
		expiresInSeconds: expiresInMinutes === undefined ? undefined : enteredNumber(expiresInMinutes, expiresIn.displayName, 1) * 60,
	};
}

/** The asset's record, what to place in a workflow for it, and what it took to store it. */
export const assetItem = ({ connection }: ItemContext<unknown>, asset: Asset, bytesSent: number): ItemResult => ({
	json: {
		...asset,
		interface: connection.interface,
		reference: connection.assets.reference(asset),
		uploaded: bytesSent > 0,
		bytes_sent: bytesSent,
	},
});
