import {
	detectContentType,
	type FileKind,
	HEAD_BYTES,
	isCutShort,
	isWrongKind,
	type JobOutput,
	TAIL_BYTES,
	typeOfOutput,
} from '../../../../client';
import { ItemFault } from '../../itemFault';
import { badContent } from '../../messages/notDelivered';
import { outputName } from '../../messages/tables/job';

const KINDS: Readonly<Partial<Record<string, FileKind>>> = { image: 'image', video: 'video', audio: 'audio' };

const MAY_BE_EMPTY = /^(text\/|application\/json$)/;

/** @throws ItemFault for an empty file, and for a file that certainly is not of the output's type. */
function checkHead(output: JobOutput, head: Uint8Array): void {
	if (head.byteLength === 0 && !MAY_BE_EMPTY.test(output.content_type) && output.type !== 'text')
		throw new ItemFault(...badContent.empty(outputName(output)), { code: 'empty_file' });
	const seen = detectContentType(head);
	if (isWrongKind(seen, KINDS[typeOfOutput(output)]))
		throw new ItemFault(...badContent.wrongType(outputName(output), output.content_type, seen), { code: 'wrong_type' });
}

/**
 * Passes the bytes of an output on, and checks them on the way.
 * @param isLengthKnown whether the server announced the length, so that the download was compared with it.
 * @throws ItemFault as `checkHead`, and at the end for a file that was cut short.
 */
export async function* checkContent(
	output: JobOutput,
	bytes: AsyncIterable<Uint8Array>,
	isLengthKnown: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
	let head = Buffer.alloc(0);
	let tail = Buffer.alloc(0);
	let passed = 0;
	let isChecked = false;
	for await (const chunk of bytes) {
		passed += chunk.byteLength;
		tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
		if (isChecked) {
			yield chunk;
			continue;
		}
		head = Buffer.concat([head, chunk]);
		if (head.byteLength < HEAD_BYTES) continue;
		checkHead(output, head);
		isChecked = true;
		yield head;
	}
	if (!isChecked) {
		checkHead(output, head);
		if (head.byteLength > 0) yield head;
	}
	if (!isLengthKnown && isCutShort(head, tail, passed))
		throw new ItemFault(...badContent.truncated(outputName(output)), { code: 'truncated' });
}

/** Checks only the beginning. @throws ItemFault as `checkHead`. */
export async function checkBeginning(output: JobOutput, bytes: AsyncIterable<Uint8Array>): Promise<void> {
	// One part is enough: the check of the head comes before it.
	for await (const part of checkContent(output, bytes, true)) if (part.byteLength > 0) return;
}
