import type { INodeProperties } from 'n8n-workflow';

import { assetMasks, type FileReference } from '../../client';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import type { ItemContext, ItemResult } from '../shared/operation';
import type { ReadParameter } from '../shared/parameters';
import { assetItem } from './assetFields';
import { binaryFieldName, binaryFieldOf, fileToSend } from './binaryField';
import { ORIGINAL_LABEL, originalImage } from './originalImage';

interface MaskSettings {
	binaryField: string;
	original: FileReference;
}

export const needsControl = true;

export const description: INodeProperties[] = [
	binaryFieldOf('uploadMask'),
	{
		displayName: ORIGINAL_LABEL,
		name: 'original',
		type: 'string',
		default: '={{ $json.reference }}',
		required: true,
		placeholder: 'e.g. cat.png',
		description:
			'The uploaded image that the mask belongs to, as Comfy Upload Asset outputs it in reference over v1 or to a ComfyUI of your own. With an API key the mask is sent over v1, else to ComfyUI itself.',
		displayOptions: showFor('uploadMask'),
	},
	options(showFor('uploadMask'), [concurrency]),
];

export const settings = (read: ReadParameter): MaskSettings => ({
	binaryField: binaryFieldName(read),
	original: originalImage(read<unknown>('original')),
});

export async function execute(context: ItemContext<MaskSettings>): Promise<ItemResult> {
	const {
		connection,
		settings: { original },
		signal,
	} = context;
	const { source, name } = await fileToSend(context, 'mask');
	const { asset, bytesSent } = await assetMasks(connection).upload(source, { filePath: name, original, signal });
	return assetItem(context, asset, bytesSent);
}
