import {
	detectContentType,
	HEAD_BYTES,
	isCutShort,
	isWrongKind,
	type JobOutput,
	mediaKindOf,
	peek,
	type PeekedStream,
	TAIL_BYTES,
} from '../../../../client';
import { ItemFault } from '../../itemFault';
import { outputName } from '../../explain/jobs';
import { messages } from '../../messages/catalogue';

const MAY_BE_EMPTY = /^(text\/|application\/json$)/;

/** @throws ItemFault for an empty file, and for a file that certainly is not of the output's content type. */
function checkHead(output: JobOutput, head: Uint8Array): void {
	if (head.byteLength === 0 && !MAY_BE_EMPTY.test(output.content_type) && output.type !== 'text')
		throw new ItemFault(messages.OUTPUT_EMPTY(outputName(output)), { code: 'empty_file' });
	const seen = detectContentType(head);
	if (isWrongKind(seen, mediaKindOf(output.content_type)))
		throw new ItemFault(messages.OUTPUT_OF_WRONG_TYPE(outputName(output), output.content_type, seen), { code: 'wrong_type' });
}

/**
 * Passes the bytes of an output on, and checks them on the way.
 * @param isLengthKnown whether the server announced the length, so that the download was compared with it.
 * @throws ItemFault as `checkHead`, and at the end for a file that was cut short.
 */
export async function* checkContent(
	output: JobOutput,
	{ head, bytes }: PeekedStream,
	isLengthKnown: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
	let tail = Buffer.alloc(0);
	let passed = 0;
	try {
		checkHead(output, head);
		for await (const chunk of bytes) {
			passed += chunk.byteLength;
			tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
			yield chunk;
		}
	} finally {
		await bytes.return();
	}
	if (!isLengthKnown && isCutShort(head, tail, passed))
		throw new ItemFault(messages.OUTPUT_INCOMPLETE(outputName(output)), { code: 'truncated' });
}

/** Checks only the beginning. @throws ItemFault as `checkHead`. */
export async function checkBeginning(output: JobOutput, source: AsyncIterable<Uint8Array>): Promise<void> {
	const { head, bytes } = await peek(source, HEAD_BYTES);
	await bytes.return();
	checkHead(output, head);
}
