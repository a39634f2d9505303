import type { INodeProperties } from 'n8n-workflow';

import { assetMasks, type FileReference, isRecord } from '../../client';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import { ItemFault } from '../shared/itemFault';
import type { ItemRun, ItemResult } from '../shared/operation';
import type { ReadParameter } from '../shared/parameters';
import { toAssetItem, readBinaryField, toBinaryFieldParameter, readFileToSend } from './fields';
import { messages } from '../shared/messages/catalogue';

const ORIGINAL_LABEL = 'Original Image';

function parseImage(text: string): unknown {
	if (!text.startsWith('{')) return { filename: text };
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' && value !== '' ? value : otherwise);

/** Returns the image that the mask belongs to. @throws ItemFault that names the field if there is none. */
function readOriginal(value: unknown): FileReference {
	const entered = typeof value === 'string' ? value.trim() : value;
	if (entered === '' || entered === undefined || entered === null) throw new ItemFault(messages.ORIGINAL_IMAGE_EMPTY());
	const image = typeof entered === 'string' ? parseImage(entered) : entered;
	if (!isRecord(image) || typeof image.filename !== 'string' || image.filename.trim() === '')
		throw new ItemFault(messages.ORIGINAL_IMAGE_NOT_VALID());
	return { filename: image.filename, subfolder: textOr(image.subfolder, ''), type: textOr(image.type, 'input') };
}

interface MaskSettings {
	binaryField: string;
	original: FileReference;
}

export const needsControl = true;

export const menu = {
	name: 'Upload Mask',
	action: 'Upload mask',
	description: 'Upload a mask for an image that you uploaded with v1 or to your own ComfyUI',
};

export const description: INodeProperties[] = [
	toBinaryFieldParameter('uploadMask'),
	{
		displayName: ORIGINAL_LABEL,
		name: 'original',
		type: 'string',
		default: '={{ $json.reference }}',
		required: true,
		placeholder: 'e.g. cat.png',
		description:
			'Uploaded image to which the mask belongs. Enter the reference that Comfy Upload Asset returns with v1 or with your own ComfyUI.',
		displayOptions: showFor('uploadMask'),
	},
	options(showFor('uploadMask'), [concurrency]),
];

export const settings = (read: ReadParameter): MaskSettings => ({
	binaryField: readBinaryField(read),
	original: readOriginal(read<unknown>('original')),
});

export async function execute(item: ItemRun, { original, binaryField }: MaskSettings): Promise<ItemResult> {
	const { connection, signal } = item;
	const { source, name } = await readFileToSend(item, binaryField, 'mask');
	const { asset, bytesSent } = await assetMasks(connection).upload(source, { filePath: name, original, signal });
	return toAssetItem(connection, asset, bytesSent);
}
