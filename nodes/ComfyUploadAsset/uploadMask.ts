import type { INodeProperties } from 'n8n-workflow';

import type { FileReference } from '../../client';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import type { ItemContext, ItemResult, ReadParameter } from '../shared/operations';
import { assetItem } from './assetFields';
import { binaryFieldName, binaryFieldOf, fileToSend } from './binaryField';
import { ORIGINAL_LABEL, originalImage } from './originalImage';

interface MaskSettings {
	binaryField: string;
	original: FileReference;
}

export const beyondV2 = true;

export const description: INodeProperties[] = [
	binaryFieldOf('uploadMask'),
	{
		displayName: ORIGINAL_LABEL,
		name: 'original',
		type: 'string',
		default: '={{ $json.reference }}',
		required: true,
		placeholder: 'e.g. cat.png',
		description: 'The uploaded image that the mask belongs to, as Comfy Upload Asset outputs it in reference over v1 or to an engine. With an API key the mask is sent over v1, else to the engine.',
		displayOptions: showFor('uploadMask'),
	},
	options(showFor('uploadMask'), [concurrency]),
];

export const settings = (read: ReadParameter): MaskSettings => ({
	binaryField: binaryFieldName(read),
	original: originalImage(read<unknown>('original')),
});

export async function execute(context: ItemContext<MaskSettings>): Promise<ItemResult> {
	const { connection, settings: { original }, signal } = context;
	const { source, name } = await fileToSend(context, 'mask');
	const { asset, bytesSent } = await connection.assets.uploadMask(source, { filePath: name, original, signal });
	return assetItem(context, asset, bytesSent);
}
