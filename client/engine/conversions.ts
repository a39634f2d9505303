import { outcomeOf } from '../async/outcome';
import { isTransient } from '../contact/failures';
import { AnswerError } from '../errors/errors';
import { download } from '../files/download';
import { peek } from '../files/peek';
import type { Download, ImageFormat } from '../ports/files';
import type { CallOptions } from '../ports/jobService';
import type { ServiceApi } from '../requests/serviceApi';

/** ComfyUI answers 500 if it cannot read the file as an image. It does so again. */
const isRefused = (error: unknown): boolean => error instanceof AnswerError && error.status === 500;

/**
 * Downloads an image in another format, which ComfyUI makes for the request.
 * @returns undefined if it cannot, or if the answer has another format.
 */
export async function downloadConverted(
	api: ServiceApi,
	url: string,
	{ name, quality }: ImageFormat,
	options: CallOptions,
): Promise<Download | undefined> {
	const link = api.link(url);
	link.searchParams.set('preview', `${name};${quality}`);
	const isWorthRetrying = (error: unknown): boolean => isTransient(error) && !isRefused(error);
	const contentType = `image/${name}`;
	const converted = await outcomeOf(download(api, { url: link.href, contentType }, options, { isWorthRetrying }));
	if (!converted.ok && converted.error instanceof AnswerError) return undefined;
	if (!converted.ok) throw converted.error;
	if (converted.value.contentType?.startsWith(contentType)) return converted.value;
	// Only a download that has begun can be ended.
	const { bytes } = await peek(converted.value.bytes, 1);
	await bytes.return();
	return undefined;
}
