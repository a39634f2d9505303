import { type FileReference, isRecord } from '../../client';
import { ItemFault } from '../shared/itemFault';

export const ORIGINAL_LABEL = 'Original Image';

const empty = (): ItemFault =>
	new ItemFault(
		`${ORIGINAL_LABEL} is empty`,
		'A mask belongs to an image: upload the image first, and use the expression {{ $json.reference }} on that item. Nothing was sent.',
	);

const unusable = (): ItemFault =>
	new ItemFault(
		`${ORIGINAL_LABEL} does not name an image`,
		'Enter the name that Comfy Upload Asset outputs in reference over v1 or to a ComfyUI of your own, or {"filename": "cat.png", "subfolder": "", "type": "input"}. Nothing was sent.',
	);

function fromText(text: string): unknown {
	if (!text.startsWith('{')) return { filename: text };
	try {
		return JSON.parse(text);
	} catch {
		throw unusable();
	}
}

const textIn = (value: unknown, otherwise: string): string => (typeof value === 'string' && value !== '' ? value : otherwise);

/** @throws ItemFault naming the field: a mask without its image is not sent. */
export function originalImage(value: unknown): FileReference {
	const given = typeof value === 'string' ? value.trim() : value;
	if (given === '' || given === undefined || given === null) throw empty();
	const image = typeof given === 'string' ? fromText(given) : given;
	if (!isRecord(image) || typeof image.filename !== 'string' || image.filename.trim() === '') throw unusable();
	return { filename: image.filename, subfolder: textIn(image.subfolder, ''), type: textIn(image.type, 'input') };
}
