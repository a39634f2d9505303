import type { IDataObject } from 'n8n-workflow';

import { clock, isTerminal, type Job, type JobError, type JobOutput, mediaKindOf, outcomeOf } from '../../../client';
import { ItemFault } from '../itemFault';
import { inParallel } from '../items/inParallel';
import { forModel } from '../messages/topics/jobs';
import { cut, type Mask, shorten } from '../messages/words';
import type { ItemRun } from '../operation';
import { checkBeginning } from './download/content';
import { resultMask } from '../withoutSecrets';
import { toJobFields } from './jobItems';
import { type ExpectedDelivery, findNotDelivered, type LostOutput, toNotDeliveredField } from './notDelivered';

/** Limits of an answer for a model. */
const MOST_OUTPUTS = 20;
const MOST_TEXTS = 4;
const MOST_READS = 4;
/** The beginnings of all files are read within this time. */
const READ_HEADS_MS = 5_000;
const LONGEST_TEXT = 3_000;
const LONGEST_NAME = 120;
const LONGEST_REASON = 500;
/** Signed links are longer, and models do not copy them correctly. */
const LONGEST_LINK = 200;

/** Only the beginning of a longer file is read. */
const MOST_TEXT_BYTES = 64 * 1024;

type TextSource = Pick<ItemRun, 'connection' | 'credential' | 'signal'>;

/** The text of an output, as far as it was read. */
interface OutputText {
	text: string;
	isWhole: boolean;
}

const isText = ({ type, content_type: contentType, text }: JobOutput): boolean =>
	typeof text === 'string' || type === 'text' || /^(text\/(?!html)|application\/json)/.test(contentType);

async function readBeginning(
	{ connection, signal }: TextSource,
	{ url, size_bytes: sizeBytes, content_type: contentType }: JobOutput,
): Promise<OutputText> {
	const { bytes } = await connection.assets.download({ url: url ?? '', sizeBytes, contentType }, { signal });
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of bytes) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > MOST_TEXT_BYTES) break;
	}
	return { text: new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MOST_TEXT_BYTES)), isWhole: length <= MOST_TEXT_BYTES };
}

/** Returns the text of an output, from its file if needed, or undefined if it is not text or cannot be read. */
async function readOutputText(source: TextSource, output: JobOutput): Promise<OutputText | undefined> {
	if (typeof output.text === 'string') return { text: output.text, isWhole: true };
	if (output.url === null || !isText(output)) return undefined;
	const read = await outcomeOf(readBeginning(source, output));
	return read.ok ? read.value : undefined;
}

/** Base64, in one line or wrapped, because nodes also output images as text. */
const ENCODED = /[A-Za-z0-9+/]{300,}={0,2}|(?:[A-Za-z0-9+/]{60,76}\r?\n){4,}[A-Za-z0-9+/]*={0,2}/g;
const replaceEncoded = (text: string): string =>
	text.replace(ENCODED, (run) => `(${run.length.toLocaleString('en')} characters of encoded data)`);

function shortenText({ text, isWhole }: OutputText, mask: Mask): string {
	const readable = replaceEncoded(text);
	return isWhole ? shorten(readable, LONGEST_TEXT, mask) : `${cut(readable, LONGEST_TEXT, 0, mask)} (the beginning of a long text)`;
}

/** Returns a short link that does not give access. A link that expires is signed and works for everybody who has it. */
const shortLink = ({ url, url_expires_at: end }: JobOutput): string | undefined =>
	url !== null && end === null && url.length <= LONGEST_LINK && !/[?&][^=]*(sig|token|key)[^=]*=/i.test(url) ? url : undefined;

function toOutputForModel(output: JobOutput, text: OutputText | undefined, mask: Mask): IDataObject {
	const { name, type, content_type, size_bytes: size, node_id } = output;
	const url = shortLink(output);
	return {
		name: shorten(name, LONGEST_NAME, mask),
		type,
		content_type,
		size_bytes: size > 0 ? size : null,
		node_id,
		...(url !== undefined && { url }),
		...(text !== undefined && { text: shortenText(text, mask) }),
	};
}

const toErrorForModel = ({ code, message, node_id }: JobError, mask: Mask): IDataObject => ({
	code,
	message: shorten(message, LONGEST_REASON, mask),
	node_id,
});

function toProgressFields({ progress, queue_position }: Job): IDataObject {
	return {
		...(progress !== null && { progress: progress.value }),
		...(queue_position !== null && { queue_position }),
		next: forModel.askAgain,
	};
}

/** Returns the job without its outputs, for lists. */
export const toListedJobForModel = (job: Job): IDataObject => ({
	...toJobFields(job),
	created_at: job.created_at,
	completed_at: job.completed_at,
	...(job.made_by && { made_by: { ...job.made_by } }),
});

/** Finds the outputs whose first bytes show that they are not what they should be. A file that cannot be read is no such output. */
async function findBadFiles({ connection, signal }: TextSource, outputs: JobOutput[]): Promise<LostOutput[]> {
	const bad: LostOutput[] = [];
	const limit = AbortSignal.any([signal, clock.signalAfter(READ_HEADS_MS)]);
	await inParallel(
		outputs.filter((output) => output.url !== null && mediaKindOf(output.content_type) !== undefined),
		MOST_READS,
		async (output) => {
			const { url, size_bytes: sizeBytes, content_type: contentType } = output;
			const read = await outcomeOf(
				connection.assets
					.download({ url: url ?? '', sizeBytes, contentType, patienceMs: 0 }, { signal: limit })
					.then(({ bytes }) => checkBeginning(output, bytes)),
			);
			if (!read.ok && read.error instanceof ItemFault) bad.push({ output, fault: read.error });
		},
	);
	return bad;
}

/** Returns the outputs that a failed job has finished, for the model of an AI agent. */
export async function toOutputsForModel(source: TextSource, job: Job): Promise<IDataObject> {
	if (job.outputs.length === 0) return {};
	const { outputs, outputs_not_shown, next } = await toJobForModel(source, { job, outputs: job.outputs });
	return { outputs, ...(outputs_not_shown !== undefined && { outputs_not_shown }), ...(next !== undefined && { next }) };
}

/**
 * Returns a job for the model of an AI agent: names, types, sizes, texts and short links of outputs, what was not delivered,
 * and what to do next. It contains no files and no base64.
 */
export async function toJobForModel(source: TextSource, delivery: ExpectedDelivery): Promise<IDataObject> {
	const { job, outputs } = delivery;
	const mask = resultMask(source.credential);
	const shown = outputs.slice(0, MOST_OUTPUTS);
	const texts = new Map<JobOutput, OutputText | undefined>();
	await inParallel(shown.filter(isText).slice(0, MOST_TEXTS), MOST_TEXTS, async (output) =>
		texts.set(output, await readOutputText(source, output)),
	);
	const lost = isTerminal(job.status) ? await findBadFiles(source, shown) : [];
	const missing = await findNotDelivered(source, { ...delivery, lost });
	const isLost = (output: JobOutput): boolean => lost.some((one) => one.output === output);
	const isDelivered = isTerminal(job.status) && outputs.some((output) => output.url !== null && !isLost(output));
	return {
		...toJobFields(job),
		outputs: shown.map((output) => toOutputForModel(output, texts.get(output), mask)),
		...(outputs.length > shown.length && { outputs_not_shown: outputs.length - shown.length }),
		...toNotDeliveredField(missing.map((one) => ({ ...one, message: shorten(one.message, LONGEST_REASON) }))),
		...(job.job_error !== null && { job_error: toErrorForModel(job.job_error, mask) }),
		...(job.outputs_unavailable && { outputs_unavailable: true }),
		...(!isTerminal(job.status) && toProgressFields(job)),
		...(isDelivered && { next: forModel.filesById }),
	};
}
