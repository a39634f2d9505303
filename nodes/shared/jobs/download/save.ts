import { Readable } from 'node:stream';

import type { IBinaryData } from 'n8n-workflow';

import {
	chooseContentType,
	clock,
	type Download,
	extensionOf,
	HEAD_BYTES,
	type JobOutput,
	outcomeOf,
	peek,
	type PeekedStream,
	UNKNOWN_TYPE,
} from '../../../../client';
import { logDecision } from '../../debugLog';
import { checkFits, storeFile } from '../../files/storeFile';
import { safeFileName } from '../../files/safeFileName';
import { FILE_GONE, ItemFault } from '../../itemFault';
import { downloadsLine, savedLine } from '../../messages/logLines';
import { isGone, outputName } from '../../explain/jobs';
import { messages } from '../../messages/catalogue';
import type { ItemRun } from '../../operation';
import { LONGEST_TEXT_BYTES } from '../jobItems';
import type { LostOutput } from '../notDelivered';
import { checkContent } from './content';
import { convertImage, type ImageConverter } from './convertImage';

export interface SavedOutput {
	output: JobOutput;
	binary: IBinaryData;
}

export type SaveResult = SavedOutput | LostOutput;

/** Counts the bytes that stream into n8n's store, and keeps a text so that the item can show it. */
class StreamRecorder {
	bytes = 0;
	private chunks: Uint8Array[] = [];

	constructor(private readonly isText: boolean) {}

	async *record(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		for await (const chunk of source) {
			this.bytes += chunk.byteLength;
			if (this.isText && this.bytes <= LONGEST_TEXT_BYTES) this.chunks.push(Buffer.from(chunk));
			yield chunk;
		}
	}

	/** Null if the text is too long for an item. */
	get text(): string | null {
		return this.bytes <= LONGEST_TEXT_BYTES ? new TextDecoder().decode(Buffer.concat(this.chunks)) : null;
	}
}

/** Returns the output with its size and its text, which servers may not report. */
const addRecorded = (output: JobOutput, recorder: StreamRecorder): JobOutput => ({
	...output,
	size_bytes: output.size_bytes || recorder.bytes,
	...(output.type === 'text' && { text: recorder.text }),
});

/** Links expire. Reading the job gives new ones. */
async function readFreshUrl({ connection, signal }: ItemRun, jobId: string, { id, url, name, node_id }: JobOutput): Promise<string> {
	const job = await connection.jobs.get(jobId, { signal });
	return job.outputs.find((output) => output.id === id && output.name === name && output.node_id === node_id)?.url ?? url ?? '';
}

async function saveText({ execution, credential }: ItemRun, output: JobOutput, text: string): Promise<SavedOutput> {
	const name = safeFileName(output.name, `output-${output.node_id}`, output.content_type);
	const bytes = Readable.from([Buffer.from(text)]);
	return {
		output,
		binary: await storeFile(execution, bytes, { name, contentType: output.content_type, announcedBytes: output.size_bytes }, credential),
	};
}

/** Returns the name with the extension of this type. */
const withExtensionOf = (name: string, contentType: string): string => `${name.replace(/\.[^.]*$/, '')}.${extensionOf(contentType)}`;

/** @param converter for images; undefined if they stay as they are. */
async function saveFile(item: ItemRun, jobId: string, output: JobOutput, url: string, converter?: ImageConverter): Promise<SavedOutput> {
	const { execution, connection, signal } = item;
	await checkFits(execution, output.name, output.size_bytes);
	const startedAt = clock.realNow();
	logDecision(() => downloadsLine(output));
	const download = await connection.assets.download(
		{
			url,
			sizeBytes: output.size_bytes,
			hash: output.hash,
			contentType: output.content_type,
			freshUrl: async () => await readFreshUrl(item, jobId, output),
		},
		{ signal },
	);
	const original = await peek(download.bytes, HEAD_BYTES);
	const conversion = converter && (await convertImage(item, { type: output.type, url }, original, converter));
	if (conversion !== undefined && 'download' in conversion) {
		const { contentType, convertedFrom } = conversion;
		const converted = { ...output, content_type: contentType, size_bytes: 0, hash: null, converted_from: convertedFrom };
		return await storeDownload(item, converted, conversion.download, await peek(conversion.download.bytes, HEAD_BYTES), startedAt);
	}
	const kept = conversion === undefined ? output : { ...output, not_converted: conversion.notConverted };
	return await storeDownload(item, kept, download, original, startedAt);
}

/** Streams a download into n8n's store. @param output without a known size, if it was converted. */
async function storeDownload(
	{ execution, credential }: ItemRun,
	output: JobOutput,
	download: Download,
	peeked: PeekedStream,
	startedAt: number,
): Promise<SavedOutput> {
	const isTypeKnown = output.content_type !== '' && output.content_type !== UNKNOWN_TYPE;
	const contentType = isTypeKnown ? output.content_type : chooseContentType(peeked.head, download.contentType, output.name);
	const savedName = safeFileName(output.name || (download.fileName ?? ''), `output-${output.node_id || output.id}`, contentType);
	const name = output.converted_from === undefined ? savedName : withExtensionOf(savedName, contentType);
	const announcedBytes = download.sizeBytes ?? output.size_bytes;
	const recorder = new StreamRecorder(output.type === 'text');
	const isLengthKnown = announcedBytes > 0 || download.sizeBytes !== null;
	const checked = checkContent({ ...output, content_type: contentType }, peeked, isLengthKnown);
	const binary = await storeFile(execution, recorder.record(checked), { name, contentType, announcedBytes }, credential);
	logDecision(() => savedLine(output, recorder.bytes, clock.realNow() - startedAt));
	return { output: { ...addRecorded(output, recorder), content_type: contentType }, binary };
}

/** The codes of faults that are about one file. Other faults, for example a full store, are about all of them. */
const BAD_CONTENT: ReadonlySet<string | undefined> = new Set(['empty_file', 'wrong_type', 'truncated']);

/** ComfyUI rejects such a name. */
const hasDots = ({ name, file_reference: reference }: JobOutput): boolean => JSON.stringify([name, reference]).includes('..');

/** Streams one output into n8n's store. Returns a fault if it can no longer be saved, and throws other errors. */
export async function saveOutput(item: ItemRun, jobId: string, output: JobOutput, converter?: ImageConverter): Promise<SaveResult> {
	if (typeof output.text === 'string') return await saveText(item, output, output.text);
	const name = outputName(output);
	if (output.url === null) return { output, fault: new ItemFault(messages.OUTPUT_TEXT_GONE(name), { code: 'text_missing' }) };
	if (item.credential.isOwnServer === true && hasDots(output))
		return { output, fault: new ItemFault(messages.OUTPUT_NAME_REJECTED(name), { code: 'name_rejected' }) };
	const saved = await outcomeOf(saveFile(item, jobId, output, output.url, converter));
	if (saved.ok) return saved.value;
	if (saved.error instanceof ItemFault && BAD_CONTENT.has(saved.error.facts.code)) return { output, fault: saved.error };
	if (!isGone(saved.error)) throw saved.error;
	return { output, fault: new ItemFault(messages.OUTPUT_GONE(name), { code: FILE_GONE }) };
}
