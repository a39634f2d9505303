/** The option *Image Format*: images that the server converts for the download. */
import {
	type Download,
	type ImageConversions,
	type ImageFormat,
	type ImageTraits,
	type JobOutput,
	outcomeOf,
	type PeekedStream,
	readImageTraits,
} from '../../../../client';
import { messages } from '../../messages/catalogue';
import { notConverted as reasons } from '../../messages/topics/files';
import { hintOnce, warnOnce } from '../../hints';
import type { ItemRun } from '../../operation';
import type { ImageSettings } from './options';

/** What is delivered in place of a file. Undefined: the file itself. */
export type Conversion =
	| { download: Download; contentType: string; convertedFrom: string }
	/** Why the original is delivered, although another format is wanted. */
	| { notConverted: string }
	| undefined;

/** Converts images into one format. */
export interface ImageConverter extends ImageConversions {
	format: ImageFormat;
}

/** Returns the converter of the server, or undefined if all files stay as they are. */
export function findConverter({ execution, connection }: ItemRun, { format, quality }: ImageSettings): ImageConverter | undefined {
	if (format === 'original') return undefined;
	const { conversions } = connection.assets;
	if (conversions !== undefined) return { ...conversions, format: { name: format, quality } };
	warnOnce(execution, messages.IMAGE_FORMAT_NOT_AVAILABLE());
	return undefined;
}

/** Returns why an image keeps its format. */
function findReason({ isAnimated, hasAlpha }: ImageTraits, { name }: ImageFormat): string | undefined {
	if (isAnimated) return reasons.animation;
	return name === 'jpeg' && hasAlpha ? reasons.transparency : undefined;
}

function keepOriginal({ execution }: ItemRun, notConverted: string): Conversion {
	hintOnce(execution, messages.IMAGE_NOT_CONVERTED(notConverted), 'warning');
	return { notConverted };
}

/**
 * Converts an output if it is an image. The download of the original stays open meanwhile: it shows what the file is, and it is
 * delivered if there is no conversion.
 */
export async function convertImage(
	item: ItemRun,
	{ type, url }: Pick<JobOutput, 'type'> & { url: string },
	original: PeekedStream,
	{ format, download }: ImageConverter,
): Promise<Conversion> {
	const traits = await readImageTraits(original.bytes);
	const contentType = `image/${format.name}`;
	if (traits === undefined) return type === 'image' ? keepOriginal(item, reasons.otherFormat) : undefined;
	if (traits.contentType === contentType) return undefined;
	const reason = findReason(traits, format);
	if (reason !== undefined) return keepOriginal(item, reason);
	const converted = await outcomeOf(download(url, format, { signal: item.signal }));
	if (!converted.ok) {
		await original.bytes.return();
		throw converted.error;
	}
	if (converted.value === undefined) return keepOriginal(item, reasons.refused);
	await original.bytes.return();
	return { download: converted.value, contentType, convertedFrom: traits.contentType };
}
