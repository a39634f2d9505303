import type { INodeProperties } from 'n8n-workflow';

import type { AssetOptions } from '../../client';
import { inputFile } from '../shared/binaryFields';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import { safeFileName } from '../shared/fileNames';
import type { ItemContext, ItemResult, ReadParameter } from '../shared/operations';
import { requiredText } from '../shared/parameters';
import { assetItem, assetOptions, expiresIn, tags } from './assetFields';

const FIELD_LABEL = 'Input Binary Field';

interface UploadSettings extends AssetOptions {
	binaryField: string;
	skipIfStored: boolean;
}

export const description: INodeProperties[] = [
	{
		displayName: FIELD_LABEL,
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		hint: 'The name of the input binary field that holds the file',
		displayOptions: showFor('upload'),
	},
	{
		displayName: 'Path In Service',
		name: 'filePath',
		type: 'string',
		default: '',
		placeholder: 'e.g. inputs/cat.png',
		description: 'The name of the file in the service; it is no path on this computer. Left empty, the file keeps its own name.',
		displayOptions: showFor('upload', 'createFromHash'),
	},
	options(showFor('upload'), [
		concurrency,
		expiresIn,
		{
			displayName: 'Skip If Already Stored',
			name: 'skipIfAlreadyStored',
			type: 'boolean',
			default: true,
			description: 'Whether to compute the file’s hash first and send no bytes when the service has them already',
		},
		tags,
	]),
];

export const settings = (read: ReadParameter): UploadSettings => ({
	...assetOptions(read),
	binaryField: requiredText(read<unknown>('binaryPropertyName'), FIELD_LABEL),
	skipIfStored: read<{ skipIfAlreadyStored?: boolean }>('options', {}).skipIfAlreadyStored ?? true,
});

export async function execute(context: ItemContext<UploadSettings>): Promise<ItemResult> {
	const { execution, itemIndex, connection, signal } = context;
	const { binaryField, filePath, ...upload } = context.settings;
	const { source, fileName, contentType } = await inputFile(execution, itemIndex, binaryField, FIELD_LABEL);
	const name = filePath ?? safeFileName(fileName, 'upload', contentType);
	const { asset, bytesSent } = await connection.assets.upload(source, { ...upload, filePath: name, signal });
	return assetItem(connection.assets, asset, bytesSent);
}
