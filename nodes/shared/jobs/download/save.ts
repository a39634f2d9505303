import { Readable } from 'node:stream';

import type { IBinaryData } from 'n8n-workflow';

import { clock, type JobOutput, outcomeOf, UNKNOWN_TYPE } from '../../../../client';
import { checkFits, storeFile } from '../../files/binaryFields';
import { safeFileName } from '../../files/safeFileName';
import { lostOutput } from '../../messages/tables/job';
import type { ItemContext } from '../../operation';
import { ItemFault } from '../../itemFault';
import { noted } from '../../debugLog';
import { downloadsLine, savedLine } from '../../messages/logLines';
import { learned, Passing } from './passing';
import type { DownloadSettings } from './settings';

export type DownloadContext = ItemContext<DownloadSettings>;

export interface SavedOutput {
	output: JobOutput;
	binary: IBinaryData;
}

/** Nobody can save it any more, however often it is tried. */
export interface LostOutput {
	output: JobOutput;
	fault: ItemFault;
}

/** Links expire; a job read gives new ones. */
async function freshUrl({ connection, settings, signal }: DownloadContext, { id, url, name, node_id }: JobOutput): Promise<string> {
	const job = await connection.jobs.get(settings.jobId, { signal });
	return job.outputs.find((output) => output.id === id && output.name === name && output.node_id === node_id)?.url ?? url ?? '';
}

async function saveText(context: DownloadContext, output: JobOutput, text: string): Promise<SavedOutput> {
	const name = safeFileName(output.name, `output-${output.node_id}`, output.content_type);
	const bytes = Readable.from([Buffer.from(text)]);
	return {
		output,
		binary: await storeFile(
			context.execution,
			bytes,
			{ name, contentType: output.content_type, announcedBytes: output.size_bytes },
			context.credential,
		),
	};
}

async function saveFile(context: DownloadContext, output: JobOutput, url: string): Promise<SavedOutput> {
	const { execution, connection, credential, signal } = context;
	await checkFits(execution, output.name, output.size_bytes);
	const startedAt = clock.realNow();
	noted(() => downloadsLine(output));
	const download = await connection.assets.download(
		{
			url,
			sizeBytes: output.size_bytes,
			hash: output.hash,
			contentType: output.content_type,
			freshUrl: async () => await freshUrl(context, output),
		},
		{ signal },
	);
	const contentType = output.content_type || (download.contentType ?? UNKNOWN_TYPE);
	const name = safeFileName(output.name || (download.fileName ?? ''), `output-${output.node_id || output.id}`, contentType);
	const announcedBytes = download.sizeBytes ?? output.size_bytes;
	const passing = new Passing(output.type === 'text');
	const binary = await storeFile(execution, passing.watch(download.bytes), { name, contentType, announcedBytes }, credential);
	noted(() => savedLine(output, passing.bytes, clock.realNow() - startedAt));
	return { output: learned(output, passing), binary };
}

/** Streams one output into n8n's store. */
export async function save(context: DownloadContext, output: JobOutput): Promise<SavedOutput | LostOutput> {
	if (typeof output.text === 'string') return await saveText(context, output, output.text);
	if (output.url === null) return { output, fault: new ItemFault(...lostOutput.text(output)) };
	const refused = context.credential.isOwnServer === true ? lostOutput.name(output) : undefined;
	if (refused !== undefined) return { output, fault: new ItemFault(...refused) };
	const saved = await outcomeOf(saveFile(context, output, output.url));
	if (saved.ok) return saved.value;
	const words = lostOutput.file(output, saved.error);
	if (words === undefined) throw saved.error;
	return { output, fault: new ItemFault(...words) };
}
