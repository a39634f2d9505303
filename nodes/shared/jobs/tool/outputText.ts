import { type JobOutput, outcomeOf } from '../../../../client';
import type { ItemContext } from '../../operation';

/** As much of a file as a model could be shown; what is longer has its beginning read. */
const MOST_BYTES = 64 * 1024;

/** Where an output's text is to be read from. */
export type TextSource = Pick<ItemContext<unknown>, 'connection' | 'signal'>;

/** An output's own text, as far as it was read. */
export interface OutputText {
	text: string;
	isWhole: boolean;
}

export const isText = ({ type, content_type: contentType, text }: JobOutput): boolean =>
	typeof text === 'string' || type === 'text' || /^(text\/(?!html)|application\/json)/.test(contentType);

async function beginningOf(
	{ connection, signal }: TextSource,
	{ url, size_bytes: sizeBytes, content_type: contentType }: JobOutput,
): Promise<OutputText> {
	const { bytes } = await connection.assets.download({ url: url ?? '', sizeBytes, contentType }, { signal });
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of bytes) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > MOST_BYTES) break;
	}
	return { text: new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MOST_BYTES)), isWhole: length <= MOST_BYTES };
}

/** The text of an output, whether or not it is kept in a file; undefined for what is none, and for what cannot be read. */
export async function readOutputText(source: TextSource, output: JobOutput): Promise<OutputText | undefined> {
	if (typeof output.text === 'string') return { text: output.text, isWhole: true };
	if (output.url === null || !isText(output)) return undefined;
	const read = await outcomeOf(beginningOf(source, output));
	return read.ok ? read.value : undefined;
}
