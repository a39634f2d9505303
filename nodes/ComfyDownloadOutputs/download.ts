import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { isTerminal, type Job, type JobOutput } from '../../client';
import { checkFits, storeFile } from '../shared/binaryFields';
import { UNKNOWN_CONTENT_TYPE } from '../shared/contentTypes';
import { safeFileName } from '../shared/fileNames';
import { inParallel } from '../shared/inParallel';
import { jobFaultByTitle, jobIds, outputsFault } from '../shared/jobItems';
import { type ItemContext, ItemFault, type ItemResult } from '../shared/operations';
import { passes } from './filter';
import { outputsOfItem } from './outputsOfItem';
import type { DownloadSettings } from './settings';

type DownloadContext = ItemContext<DownloadSettings>;

/** Of one job. Small files cost mostly round trips; large ones are streamed, so that memory stays flat all the same. */
const FILES_AT_ONCE = 4;

const KEEP_ITEM_ADVICE = 'Next time put this node right after Comfy Wait For Job with How To Wait set to Live, and pass its item on: its outputs are used then.';

interface SavedOutput {
	output: JobOutput;
	binary: IBinaryData;
}

/** Links expire; a job read gives new ones. */
async function freshUrl({ connection, settings, signal }: DownloadContext, { id, url, name, node_id }: JobOutput): Promise<string> {
	const job = await connection.jobs.get(settings.jobId, { signal });
	return job.outputs.find((output) => output.id === id && output.name === name && output.node_id === node_id)?.url ?? url;
}

async function save(context: DownloadContext, output: JobOutput): Promise<SavedOutput> {
	const { execution, connection, signal } = context;
	await checkFits(execution, output.name, output.size_bytes);
	const download = await connection.assets.download(
		{
			url: output.url,
			sizeBytes: output.size_bytes,
			hash: output.hash,
			contentType: output.content_type,
			freshUrl: async () => await freshUrl(context, output),
		},
		{ signal },
	);
	const contentType = output.content_type || (download.contentType ?? UNKNOWN_CONTENT_TYPE);
	const name = safeFileName(output.name, `output-${output.node_id || output.id}`, contentType);
	const announcedBytes = download.sizeBytes ?? output.size_bytes;
	return { output, binary: await storeFile(execution, download.bytes, { name, contentType, announcedBytes }) };
}

/** A job that is still running has not all its outputs; one that ended badly may still have some, already paid for. */
async function checkEnded({ connection, signal }: DownloadContext, job: Job): Promise<void> {
	if (!isTerminal(job.status)) {
		throw new ItemFault(
			`Job ${job.job_id} has not ended yet (status "${job.status}")`,
			'Put Comfy Wait For Job before this node.',
		);
	}
	if (job.status !== 'succeeded' && job.outputs.length === 0) throw await jobFaultByTitle(connection, job, signal);
}

/** Where the service no longer tells, the item that Comfy Wait For Job heard of them still does. */
function outputsOf({ execution, itemIndex }: DownloadContext, job: Job): JobOutput[] {
	if (!job.outputs_unavailable) return job.outputs;
	const heard = outputsOfItem(execution.getInputData()[itemIndex]?.json ?? {}, job.job_id);
	if (heard === undefined) throw outputsFault(job, KEEP_ITEM_ADVICE);
	return heard;
}

const recordOf = ({ output, binary }: SavedOutput, field: string): IDataObject => ({
	...(output as unknown as IDataObject),
	binary_field: field,
	file_name: binary.fileName ?? null,
});

function inOneItem(ids: IDataObject, saved: SavedOutput[], prefix: string): ItemResult {
	const field = (index: number) => `${prefix}_${index}`;
	const binary: IBinaryKeyData = Object.fromEntries(saved.map((one, index) => [field(index), one.binary]));
	return { json: { ...ids, outputs: saved.map((one, index) => recordOf(one, field(index))) }, binary };
}

/** Streams a job's outputs into n8n's store. */
export async function execute(context: DownloadContext): Promise<ItemResult | ItemResult[]> {
	const { connection, settings, signal, known, existing } = context;
	known.job_id = settings.jobId;
	const job = await connection.jobs.get(settings.jobId, { signal });
	existing.add(job.job_id);
	await checkEnded(context, job);
	const ids = jobIds(job);
	const wanted = outputsOf(context, job).filter((output) => passes(output, settings.filter));
	const saved = await inParallel(wanted, FILES_AT_ONCE, async (output) => await save(context, output));
	if (saved.length === 0) return { json: { ...ids, outputs: [] } };
	if (settings.outputMode === 'singleItem') return inOneItem(ids, saved, settings.binaryField);
	return saved.map((one) => ({
		json: { ...ids, output: recordOf(one, settings.binaryField) },
		binary: { [settings.binaryField]: one.binary },
	}));
}
