import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { ApiError, FORGOTTEN_BY_ENGINE, isTerminal, type Job, type JobOutput, outcomeOf } from '../../../../client';
import { inParallel } from '../../items/inParallel';
import { jobFaultByTitle, jobIds, outputItem, outputsFault, seedsOfItem } from '../jobItems';
import type { ItemResult } from '../../operation';
import { ItemFault } from '../../itemFault';
import { jobForModel } from '../tool/jobForModel';
import { withTextsBehindProxy } from '../textsBehindProxy';
import { secretMask } from '../../withoutSecrets';
import { passes } from './filter';
import { idsOfItem, outputsOfItem } from './outputsOfItem';
import { type DownloadContext, type LostOutput, save, type SavedOutput } from './save';

/** Of one job. Small files cost mostly round trips; large ones are streamed, so that memory stays flat all the same. */
const FILES_AT_ONCE = 4;

const KEEP_ITEM_ADVICE =
	'Next time put this node right after Comfy Wait For Job with How To Wait set to Live, and pass its item on: its outputs are used then.';

/** What a job has made, and the ids for its items. */
interface Found {
	/** Undefined where only an item tells of it. */
	job?: Job;
	ids: IDataObject;
	outputs: JobOutput[];
}

/** A job that is still running has not all its outputs; one that ended badly may still have some, already paid for. */
async function checkEnded(context: DownloadContext, job: Job): Promise<void> {
	// A model is told to ask again.
	if (!isTerminal(job.status) && context.isTool) return;
	if (!isTerminal(job.status)) {
		throw new ItemFault(`Job ${job.job_id} has not ended yet (status "${job.status}")`, 'Put Comfy Wait For Job before this node.');
	}
	if (job.status !== 'succeeded' && job.outputs.length === 0) throw await jobFaultByTitle(context, job);
}

/** An engine loses its history; the files, and the item that Comfy Wait For Job heard of them, stay. */
const isForgotten = (read: { ok: true; value: Job } | { ok: false; error: unknown }): boolean =>
	read.ok
		? read.value.job_error?.code === FORGOTTEN_BY_ENGINE
		: read.error instanceof ApiError && read.error.interface === 'engine' && read.error.code === 'job_not_found';

async function find(context: DownloadContext): Promise<Found> {
	const { execution, itemIndex, connection, settings, signal, progress } = context;
	const item = execution.getInputData()[itemIndex]?.json ?? {};
	const read = await outcomeOf(connection.jobs.get(settings.jobId, { signal }));
	const heard = outputsOfItem(item, settings.jobId);
	if (heard !== undefined && isForgotten(read)) return { ids: idsOfItem(item), outputs: heard };
	if (!read.ok) throw read.error;
	const job = await withTextsBehindProxy(context, read.value);
	progress.confirmJob(job.job_id);
	await checkEnded(context, job);
	if (job.outputs_unavailable && heard === undefined) throw outputsFault(job, KEEP_ITEM_ADVICE);
	return { job, ids: jobIds(job), outputs: job.outputs_unavailable ? (heard ?? []) : job.outputs };
}

export const isLost = (one: SavedOutput | LostOutput): one is LostOutput => 'fault' in one;

/** One file that is gone must not take the others with it; it is told in its place, and above the node's output. */
function tellLost({ execution, settings, credential }: DownloadContext, all: Array<SavedOutput | LostOutput>): void {
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
const normalized = (text: string): string => text.replace(/\s+/g, '');

const textOf = (one: SavedOutput | LostOutput): string | undefined =>
	isLost(one) || typeof one.output.text !== 'string' ? undefined : normalized(one.output.text);

/** A node that saves a text often shows it as well: the file alone is kept, as over the API proxy. */
function withoutShownCopies(all: Array<SavedOutput | LostOutput>): Array<SavedOutput | LostOutput> {
	const savedTexts = new Set(all.flatMap((one) => (one.output.url === null ? [] : [JSON.stringify([one.output.node_id, textOf(one)])])));
	const isCopy = (one: SavedOutput | LostOutput): boolean =>
		one.output.url === null && textOf(one) !== undefined && savedTexts.has(JSON.stringify([one.output.node_id, textOf(one)]));
	return all.filter((one) => !isCopy(one));
}

/** Streams what passes the filter into n8n's store. @throws ItemFault when nothing of it could be saved. */
export async function saveOutputs(context: DownloadContext, outputs: JobOutput[]): Promise<Array<SavedOutput | LostOutput>> {
	const wanted = outputs.filter((output) => passes(output, context.settings.filter));
	const all = await inParallel(wanted, FILES_AT_ONCE, async (output) => await save(context, output));
	tellLost(context, all);
	return withoutShownCopies(all);
}

export async function execute(context: DownloadContext): Promise<ItemResult | ItemResult[]> {
	const { settings, progress } = context;
	progress.setJobId(settings.jobId);
	const { job, ids: found, outputs } = await find(context);
	const ids = { ...found, ...seedsOfItem(context, settings.jobId) };
	// Files are lost on an agent.
	if (context.isTool && job !== undefined)
		return {
			json: await jobForModel(
				context,
				job,
				outputs.filter((output) => passes(output, settings.filter)),
			),
		};
	const all = await saveOutputs(context, outputs);
	if (all.length === 0) return { json: { ...ids, outputs: [] } };
	if (settings.outputMode === 'singleItem') return inOneItem(ids, all, settings.binaryField);
	return all.map((one) => ({
		json: { ...ids, output: outputRecord(one, settings.binaryField) },
		binary: binaryOf(one, settings.binaryField),
	}));
}
