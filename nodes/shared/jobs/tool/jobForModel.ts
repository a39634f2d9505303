import type { IDataObject } from 'n8n-workflow';

import { isTerminal, type Job, type JobError, type JobOutput } from '../../../../client';
import { inParallel } from '../../items/inParallel';
import { jobIds } from '../jobItems';
import { ASK_AGAIN, FILES_BY_ID } from '../../messages/tables/job';
import { shortened } from '../../messages/words';
import { isText, type OutputText, readOutputText, type TextSource } from './outputText';

/** A model drowns in what it cannot use: everything here is bounded. */
const MOST_OUTPUTS = 20;
const MOST_TEXTS = 4;
const LONGEST_TEXT = 3_000;
const LONGEST_NAME = 120;
const LONGEST_REASON = 500;
/** Signed links are longer; a model would spoil them. */
const LONGEST_LINK = 200;

/** Base64, in one line or wrapped: nodes give pictures as text, too. */
const ENCODED = /[A-Za-z0-9+/]{300,}={0,2}|(?:[A-Za-z0-9+/]{60,76}\r?\n){4,}[A-Za-z0-9+/]*={0,2}/g;
const withoutEncoded = (text: string): string =>
	text.replace(ENCODED, (run) => `(${run.length.toLocaleString('en')} characters of encoded data)`);

function shownText({ text, isWhole }: OutputText): string {
	const readable = withoutEncoded(text);
	return isWhole ? shortened(readable, LONGEST_TEXT) : `${readable.slice(0, LONGEST_TEXT)}… (the beginning of a long text)`;
}

/** A link that ends is signed for whoever holds it: it is no model's to hand on. */
const shortLink = ({ url, url_expires_at: end }: JobOutput): string | undefined =>
	url !== null && end === null && url.length <= LONGEST_LINK && !/[?&][^=]*(sig|token|key)[^=]*=/i.test(url) ? url : undefined;

function outputForModel(output: JobOutput, text: OutputText | undefined): IDataObject {
	const { name, type, content_type, size_bytes: size, node_id } = output;
	const url = shortLink(output);
	return {
		name: shortened(name, LONGEST_NAME),
		type,
		content_type,
		size_bytes: size > 0 ? size : null,
		node_id,
		...(url !== undefined && { url }),
		...(text !== undefined && { text: shownText(text) }),
	};
}

const errorForModel = ({ code, message, node_id }: JobError): IDataObject => ({
	code,
	message: shortened(message, LONGEST_REASON),
	node_id,
});

function stateOf({ progress, queue_position }: Job): IDataObject {
	return { ...(progress !== null && { progress: progress.value }), ...(queue_position !== null && { queue_position }), next: ASK_AGAIN };
}

/** The same without what the job made, for lists. */
export const listedForModel = (job: Job): IDataObject => ({
	...jobIds(job),
	created_at: job.created_at,
	completed_at: job.completed_at,
	...(job.made_by && { made_by: { ...job.made_by } }),
});

/**
 * A job as the model of an AI agent is told of it: names, types, sizes, texts and short links, and what to do next. Never
 * a file, nor base64.
 * @param outputs of the job, those that are wanted.
 */
export async function jobForModel(source: TextSource, job: Job, outputs = job.outputs): Promise<IDataObject> {
	const shown = outputs.slice(0, MOST_OUTPUTS);
	const texts = new Map<JobOutput, OutputText | undefined>();
	await inParallel(shown.filter(isText).slice(0, MOST_TEXTS), MOST_TEXTS, async (output) =>
		texts.set(output, await readOutputText(source, output)),
	);
	const isDelivered = isTerminal(job.status) && outputs.some(({ url }) => url !== null);
	return {
		...jobIds(job),
		outputs: shown.map((output) => outputForModel(output, texts.get(output))),
		...(outputs.length > shown.length && { outputs_not_shown: outputs.length - shown.length }),
		...(job.job_error !== null && { job_error: errorForModel(job.job_error) }),
		...(job.outputs_unavailable && { outputs_unavailable: true }),
		...(!isTerminal(job.status) && stateOf(job)),
		...(isDelivered && { next: FILES_BY_ID }),
	};
}
