import type { INodeProperties } from 'n8n-workflow';

import type { Asset, AssetOptions, Connection, UploadSource } from '../../client';
import { showFor, withAssets } from '../shared/descriptions/common';
import { readInputFile } from '../shared/files/inputFile';
import { safeFileName } from '../shared/files/safeFileName';
import type { ItemRun, ItemResult } from '../shared/operation';
import { option, readOptions } from '../shared/options';
import { commaList, enteredNumber, enteredText, type ReadParameter } from '../shared/parameters';

const TAGS: INodeProperties = {
	displayName: 'Tags',
	name: 'tags',
	type: 'string',
	default: '',
	placeholder: 'e.g. input, campaign-7',
	description: 'Labels for the asset in the service. Separate several with commas.',
	displayOptions: withAssets,
};

const EXPIRES: INodeProperties = {
	displayName: 'Expires In (Minutes)',
	name: 'expiresInMinutes',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10080, numberPrecision: 0 },
	default: 1440,
	description: 'Time after which the service may delete the asset, from 1 minute to 7 days. Without this option, the service decides.',
	displayOptions: withAssets,
};

export const assetOptions = {
	/** Undefined: the service decides. */
	expiresInSeconds: option(EXPIRES, (minutes) => (minutes === undefined ? undefined : enteredNumber(minutes, EXPIRES.displayName, 1) * 60)),
	tags: option(TAGS, (text = '') => commaList(String(text))),
};

export function readAssetOptions(read: ReadParameter): AssetOptions {
	const filePath = read<string>('filePath', '').trim();
	return {
		filePath: filePath === '' ? undefined : filePath,
		...readOptions(assetOptions, read),
	};
}

/** Returns the asset's record, its reference for workflows, and how many bytes were sent. */
export const toAssetItem = (connection: Connection, asset: Asset, bytesSent: number): ItemResult => ({
	json: {
		...asset,
		interface: connection.interface,
		reference: connection.assets.reference(asset),
		uploaded: bytesSent > 0,
		bytes_sent: bytesSent,
	},
});

const BINARY_FIELD_LABEL = 'Input Binary Field';

export const toBinaryFieldParameter = (...operations: string[]): INodeProperties => ({
	displayName: BINARY_FIELD_LABEL,
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	hint: 'The name of the input binary field that contains the file',
	displayOptions: showFor(...operations),
});

export const readBinaryField = (read: ReadParameter): string => enteredText(read<unknown>('binaryPropertyName'), BINARY_FIELD_LABEL);

/** Returns the input item's file, with a safe file name. */
export async function readFileToSend(
	{ execution, itemIndex }: ItemRun,
	binaryField: string,
	fallbackName: string,
): Promise<{ source: UploadSource; name: string }> {
	const { source, fileName, contentType } = await readInputFile(execution, itemIndex, binaryField, BINARY_FIELD_LABEL);
	return { source, name: safeFileName(fileName, fallbackName, contentType) };
}
