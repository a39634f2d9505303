import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { ApiError, FORGOTTEN_BY_ENGINE, isRecord, isTerminal, type Job, type JobOutput, outcomeOf, UNKNOWN_TYPE } from '../../../../client';
import { ItemFault } from '../../itemFault';
import { inParallel } from '../../items/inParallel';
import type { ItemResult } from '../../operation';
import { secretMask } from '../../withoutSecrets';
import { jobForModel } from '../jobForModel';
import { jobFaultByTitle, jobIds, seedsOfItem, outputItem, outputsFault } from '../jobItems';
import { withTextsBehindProxy } from '../textsBehindProxy';
import { type DownloadContext, type LostOutput, saveOutput, type SavedOutput } from './save';
import { passesFilter } from './settings';

/** The limit for one job. Small files mostly cost round trips, and large files are streamed with little memory. */
const FILES_AT_ONCE = 4;

const KEEP_ITEM_ADVICE =
	'Next time put this node right after Comfy Wait For Job with How To Wait set to Live, and pass its item on: its outputs are used then.';

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value !== '' ? value : otherwise);

/** Checks each field, because nodes in between may have changed the item. */
function toOutput(value: unknown): JobOutput[] {
	if (!isRecord(value)) return [];
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

/** Returns the same fields as `jobIds`, from an item about the job. */
const idsInItem = ({ job_id, interface: name, status, service_status }: IDataObject): IDataObject => ({
	job_id,
	interface: name,
	status,
	service_status,
});

interface JobOutputs {
	/** Undefined if only the input item has the outputs. */
	job?: Job;
	ids: IDataObject;
	outputs: JobOutput[];
}

/** A running job does not have all its outputs. A failed job may have some, which are paid for. */
async function checkEnded(context: DownloadContext, job: Job): Promise<void> {
	if (!isTerminal(job.status)) {
		// The answer asks the model to ask again.
		if (context.isTool) return;
		throw new ItemFault(`Job ${job.job_id} has not ended yet (status "${job.status}")`, 'Put Comfy Wait For Job before this node.');
	}
	if (job.status !== 'succeeded' && job.outputs.length === 0) throw await jobFaultByTitle(context, job);
}

/** Whether an engine has lost the job from its history. The files remain, and the item of Comfy Wait For Job lists them. */
const isForgotten = (read: { ok: true; value: Job } | { ok: false; error: unknown }): boolean =>
	read.ok
		? read.value.job_error?.code === FORGOTTEN_BY_ENGINE
		: read.error instanceof ApiError && read.error.interface === 'engine' && read.error.code === 'job_not_found';

async function readOutputs(context: DownloadContext): Promise<JobOutputs> {
	const { execution, itemIndex, connection, settings, signal, progress } = context;
	const item = execution.getInputData()[itemIndex]?.json ?? {};
	const read = await outcomeOf(connection.jobs.get(settings.jobId, { signal }));
	const itemOutputs = outputsInItem(item, settings.jobId);
	if (itemOutputs !== undefined && isForgotten(read)) return { ids: idsInItem(item), outputs: itemOutputs };
	if (!read.ok) throw read.error;
	const job = await withTextsBehindProxy(context, read.value);
	progress.confirmJob(job.job_id);
	await checkEnded(context, job);
	if (job.outputs_unavailable && itemOutputs === undefined) throw outputsFault(job, KEEP_ITEM_ADVICE);
	return { job, ids: jobIds(job), outputs: job.outputs_unavailable ? (itemOutputs ?? []) : job.outputs };
}

export const isLost = (one: SavedOutput | LostOutput): one is LostOutput => 'fault' in one;

/** Reports lost files in a hint. @throws ItemFault if all files are lost. */
function reportLost({ execution, settings, credential }: DownloadContext, all: Array<SavedOutput | LostOutput>): void {
	const lost = all.filter(isLost);
	const [first] = lost;
	if (first === undefined) return;
	const others = lost.length === 1 ? '' : ` (and ${lost.length - 1} more)`;
	if (lost.length === all.length) throw new ItemFault(first.fault.message + others, first.fault.advice);
	execution.addExecutionHints({
		message: secretMask(credential)(
			`Job ${settings.jobId}: ${lost.length} of ${all.length} files could not be saved. ${first.fault.message}${others}`,
		),
		type: 'warning',
	});
}

export function outputRecord(one: SavedOutput | LostOutput, field: string): IDataObject {
	const facts = outputItem(one.output);
	if (isLost(one)) return { ...facts, binary_field: null, file_name: null, not_saved: `${one.fault.message}. ${one.fault.advice}` };
	return { ...facts, binary_field: field, file_name: one.binary.fileName ?? null };
}

export const binaryOf = (one: SavedOutput | LostOutput, field: string): IBinaryKeyData => (isLost(one) ? {} : { [field]: one.binary });

function inOneItem(ids: IDataObject, all: Array<SavedOutput | LostOutput>, prefix: string): ItemResult {
	const field = (index: number) => `${prefix}_${index}`;
	const binary = Object.assign({}, ...all.map((one, index) => binaryOf(one, field(index)))) as IBinaryKeyData;
	return { json: { ...ids, outputs: all.map((one, index) => outputRecord(one, field(index))) }, binary };
}

/** Nodes indent JSON when they save it. */
const removeSpaces = (text: string): string => text.replace(/\s+/g, '');

const textOf = (one: SavedOutput | LostOutput): string | undefined =>
	isLost(one) || typeof one.output.text !== 'string' ? undefined : removeSpaces(one.output.text);

/** A node that saves a text often shows it too. Only the file is kept then, as over the API proxy. */
function removeShownCopies(all: Array<SavedOutput | LostOutput>): Array<SavedOutput | LostOutput> {
	const savedTexts = new Set(all.flatMap((one) => (one.output.url === null ? [] : [JSON.stringify([one.output.node_id, textOf(one)])])));
	const isCopy = (one: SavedOutput | LostOutput): boolean =>
		one.output.url === null && textOf(one) !== undefined && savedTexts.has(JSON.stringify([one.output.node_id, textOf(one)]));
	return all.filter((one) => !isCopy(one));
}

/** Saves the outputs that pass the filter. @throws ItemFault if none of them could be saved. */
export async function saveOutputs(context: DownloadContext, outputs: JobOutput[]): Promise<Array<SavedOutput | LostOutput>> {
	const wanted = outputs.filter((output) => passesFilter(output, context.settings.filter));
	const all = await inParallel(wanted, FILES_AT_ONCE, async (output) => await saveOutput(context, output));
	reportLost(context, all);
	return removeShownCopies(all);
}

export async function execute(context: DownloadContext): Promise<ItemResult | ItemResult[]> {
	const { settings, progress } = context;
	progress.setJobId(settings.jobId);
	const { job, ids: jobFields, outputs } = await readOutputs(context);
	const ids = { ...jobFields, ...seedsOfItem(context, settings.jobId) };
	// An agent cannot receive files.
	if (context.isTool && job !== undefined) {
		const wanted = outputs.filter((output) => passesFilter(output, settings.filter));
		return { json: await jobForModel(context, job, wanted) };
	}
	const all = await saveOutputs(context, outputs);
	if (all.length === 0) return { json: { ...ids, outputs: [] } };
	if (settings.outputMode === 'singleItem') return inOneItem(ids, all, settings.binaryField);
	return all.map((one) => ({
		json: { ...ids, output: outputRecord(one, settings.binaryField) },
		binary: binaryOf(one, settings.binaryField),
	}));
}
