import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import {
	ApiError,
	FORGOTTEN_BY_ENGINE,
	isRecord,
	isTerminal,
	type Job,
	type JobOutput,
	minimalJob,
	type Outcome,
	outcomeOf,
	UNKNOWN_TYPE,
	without,
} from '../../../../client';
import { ItemFault } from '../../itemFault';
import { inParallel } from '../../items/inParallel';
import type { ItemResult, ItemRun } from '../../operation';
import { toJobForModel } from '../jobForModel';
import { readJobFault, toJobFields, findSeedsOfJob, toOutputFields, toOutputsFault } from '../jobItems';
import { type LostOutput, reportNotDelivered } from '../notDelivered';
import { addTextsBehindProxy } from '../textsBehindProxy';
import { findConverter } from './convertImage';
import type { ImageSettings } from './options';
import { saveOutput, type SaveResult } from './save';
import { type DownloadSettings, passesFilter } from './settings';
import { messages } from '../../messages/catalogue';
import { inOneText } from '../../messages/words';

/** The limit for one job. Small files mostly cost round trips, and large files are streamed with little memory. */
const FILES_AT_ONCE = 4;

const KEEP_ITEM_ADVICE =
	'Next time put this node right after Comfy Wait For Job with How To Wait set to Live, and pass its item on: its outputs are used then.';

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value !== '' ? value : otherwise);

/** An item may describe the converted file. The server has the original. */
function toOriginal(output: Record<string, unknown>): Record<string, unknown> {
	const original = without(output, 'converted_from', 'not_converted');
	return output.converted_from === undefined ? original : { ...original, content_type: output.converted_from, size_bytes: 0 };
}

/** Checks each field, because nodes in between may have changed the item. */
function toOutput(given: unknown): JobOutput[] {
	if (!isRecord(given)) return [];
	const value = toOriginal(given);
	const url = typeof value.url === 'string' && URL.canParse(value.url) ? value.url : null;
	const isText = value.type === 'text' && value.url === null;
	if (url === null && !isText) return [];
	return [
		{
			...value,
			node_id: textOr(value.node_id, ''),
			name: textOr(value.name, ''),
			type: textOr(value.type, 'file'),
			content_type: textOr(value.content_type, UNKNOWN_TYPE),
			size_bytes: typeof value.size_bytes === 'number' ? value.size_bytes : 0,
			id: textOr(value.id, null),
			hash: textOr(value.hash, null),
			url,
			url_expires_at: textOr(value.url_expires_at, null),
			...(isText && { text: typeof value.text === 'string' ? value.text : null }),
		},
	];
}

/** Returns the outputs in an item about this job, or undefined if it is about something else or has none. */
function outputsInItem({ job_id: id, outputs }: IDataObject, jobId: string): JobOutput[] | undefined {
	if (id !== jobId || !Array.isArray(outputs)) return undefined;
	const usable = outputs.flatMap(toOutput);
	return usable.length === 0 ? undefined : usable;
}

/** Returns the job as an item of an earlier node describes it. */
const toJob = ({ server, interface: name, status, service_status: serviceStatus }: IDataObject, jobId: string): Job => ({
	...minimalJob(jobId, name as Job['interface'], status as Job['status'], serviceStatus as string),
	...(typeof server === 'string' && { server }),
});

/** A running job does not have all its outputs. A failed job may have some, which are paid for. */
async function checkEnded(item: ItemRun, job: Job): Promise<void> {
	if (!isTerminal(job.status)) {
		// The answer asks the model to ask again.
		if (item.isTool) return;
		throw new ItemFault(messages.JOB_NOT_FINISHED(job.job_id, job.status));
	}
	if (job.status !== 'succeeded' && job.outputs.length === 0) throw await readJobFault(item, job);
}

/** Whether an engine has lost the job from its history. The files remain, and the item of Comfy Wait For Job lists them. */
const isForgotten = (read: Outcome<Job>): boolean =>
	read.ok
		? read.value.job_error?.code === FORGOTTEN_BY_ENGINE
		: read.error instanceof ApiError && read.error.interface === 'engine' && read.error.code === 'job_not_found';

/** Returns the job with its outputs. If the server no longer lists them, they are those of the input item. */
async function readJob(item: ItemRun, jobId: string): Promise<Job> {
	const { execution, itemIndex, connection, signal, progress } = item;
	const input = execution.getInputData()[itemIndex]?.json ?? {};
	const read = await outcomeOf(connection.jobs.get(jobId, { signal }));
	const itemOutputs = outputsInItem(input, jobId);
	if (itemOutputs !== undefined && isForgotten(read)) return { ...toJob(input, jobId), outputs: itemOutputs };
	if (!read.ok) throw read.error;
	const job = await addTextsBehindProxy(item, read.value);
	progress.confirmJob(job.job_id);
	await checkEnded(item, job);
	if (!job.outputs_unavailable) return job;
	if (itemOutputs === undefined) throw toOutputsFault(job, KEEP_ITEM_ADVICE);
	return { ...job, outputs: itemOutputs, outputs_unavailable: undefined };
}

export const isLost = (result: SaveResult): result is LostOutput => 'fault' in result;

/** @throws ItemFault if all files are lost. */
function checkNotAllLost(all: SaveResult[]): void {
	const lost = all.filter(isLost);
	const [first] = lost;
	if (first === undefined || lost.length < all.length) return;
	const others = lost.length === 1 ? '' : ` (and ${lost.length - 1} more)`;
	throw new ItemFault({ ...first.fault.words, message: first.fault.message + others }, first.fault.facts);
}

export function toOutputRecord(result: SaveResult, field: string): IDataObject {
	const facts = toOutputFields(result.output);
	if (isLost(result)) return { ...facts, binary_field: null, file_name: null, not_saved: inOneText(result.fault.words) };
	return { ...facts, binary_field: field, file_name: result.binary.fileName ?? null };
}

export const toBinary = (result: SaveResult, field: string): IBinaryKeyData => (isLost(result) ? {} : { [field]: result.binary });

/**
 * Returns all outputs for one item. Each saved file gets its own binary field: `<prefix>_0`, `<prefix>_1`, …
 * @param describe returns what the item reports about an output.
 */
export function toNumberedOutputs(
	results: SaveResult[],
	prefix: string,
	describe: (result: SaveResult, field: string) => IDataObject,
): { outputs: IDataObject[]; binary: IBinaryKeyData } {
	const outputs: IDataObject[] = [];
	const binary: IBinaryKeyData = {};
	for (const [index, result] of results.entries()) {
		const field = `${prefix}_${index}`;
		outputs.push(describe(result, field));
		Object.assign(binary, toBinary(result, field));
	}
	return { outputs, binary };
}

/** Nodes indent JSON when they save it. */
const removeSpaces = (text: string): string => text.replace(/\s+/g, '');

const textOf = (result: SaveResult): string | undefined =>
	isLost(result) || typeof result.output.text !== 'string' ? undefined : removeSpaces(result.output.text);

/** Returns the same key for the same text of the same node. */
const textKeyOf = (result: SaveResult): string => JSON.stringify([result.output.node_id, textOf(result)]);

/** A node that saves a text often shows it too. Only the file is kept then, as over the API proxy. */
function removeShownCopies(results: SaveResult[]): SaveResult[] {
	const savedTexts = new Set<string>();
	for (const result of results) if (result.output.url !== null) savedTexts.add(textKeyOf(result));
	const isCopy = (result: SaveResult): boolean =>
		result.output.url === null && textOf(result) !== undefined && savedTexts.has(textKeyOf(result));
	return results.filter((result) => !isCopy(result));
}

/** Several nodes may report the same file. It is downloaded once. */
async function saveOnce(
	output: JobOutput,
	save: (output: JobOutput) => Promise<SaveResult>,
	saved: Map<string, Promise<SaveResult>>,
): Promise<SaveResult> {
	if (output.url === null) return await save(output);
	const saving = saved.get(output.url) ?? save(output);
	saved.set(output.url, saving);
	const result = await saving;
	return { ...result, output: { ...result.output, node_id: output.node_id } };
}

/** Saves outputs of a job. @throws ItemFault if none of them could be saved. */
export async function saveOutputs(item: ItemRun, jobId: string, outputs: JobOutput[], image: ImageSettings): Promise<SaveResult[]> {
	const saved = new Map<string, Promise<SaveResult>>();
	const converter = findConverter(item, image);
	const save = async (output: JobOutput): Promise<SaveResult> => await saveOutput(item, jobId, output, converter);
	const results = await inParallel(outputs, FILES_AT_ONCE, async (output) => await saveOnce(output, save, saved));
	checkNotAllLost(results);
	return removeShownCopies(results);
}

export async function execute(item: ItemRun, settings: DownloadSettings): Promise<ItemResult | ItemResult[]> {
	const { jobId, filter } = settings;
	item.progress.setJobId(jobId);
	const job = await readJob(item, jobId);
	const wanted = job.outputs.filter((output) => passesFilter(output, filter));
	// An agent cannot receive files.
	if (item.isTool) return { json: await toJobForModel(item, { job, outputs: wanted }) };
	const results = await saveOutputs(item, jobId, wanted, settings.image);
	const outputs = results.map(({ output }) => output);
	const missing = await reportNotDelivered(item, { job, outputs, lost: results.filter(isLost), hasFiles: true });
	const ids = { ...toJobFields(job), ...findSeedsOfJob(item, jobId), ...missing };
	if (results.length === 0) return { json: { ...ids, outputs: [] } };
	if (settings.outputMode === 'singleItem') {
		const { outputs: records, binary } = toNumberedOutputs(results, settings.binaryField, toOutputRecord);
		return { json: { ...ids, outputs: records }, binary };
	}
	return results.map((result) => ({
		json: { ...ids, output: toOutputRecord(result, settings.binaryField) },
		binary: toBinary(result, settings.binaryField),
	}));
}
