/** Stored files by name: one flat, content-addressed namespace for each account. */
import path from 'node:path';
import type { Blob } from '../store/blobs';
import type { AccountName } from '../vocabulary';
import type { Job, JobOutput } from '../service/job';
import type { Service } from '../service/service';
import { resultKey } from '../graphEngine';
import type { OutputFile } from '../socket/runFrames';

export interface StoredFile {
	blob: Blob;
	contentType: string;
}

/** @param extension with its dot, or empty. */
export const contentName = ({ hash, id }: Blob, extension: string): string => (hash?.replace('blake3:', '') ?? id) + extension;

/** Where v1 says an output is. */
export function fileOf({ name, temporary, asset }: JobOutput): OutputFile {
	const extension = /^\.[a-z0-9]{1,16}$/i.exec(path.posix.extname(name))?.[0] ?? '';
	return { filename: contentName(asset.blob, extension), subfolder: '', type: temporary ? 'temp' : 'output' };
}

export const outputKey = ({ kind, asset }: JobOutput): string => resultKey(kind, asset.contentType);

/** Node id → its outputs by key. */
export function outputsOf(job: Job): Record<string, Record<string, OutputFile[]>> {
	const nodes: Record<string, Record<string, OutputFile[]>> = {};
	for (const output of job.outputs) ((nodes[output.nodeId] ??= {})[outputKey(output)] ??= []).push(fileOf(output));
	return nodes;
}

/** An upload, or the output of a job that is still kept. */
export function findFile({ assets, jobs }: Service, account: AccountName, filename: string): StoredFile | undefined {
	const upload = assets.named(account, filename);
	if (upload !== undefined) return upload;
	for (const job of jobs.values()) {
		if (job.account !== account || job.expiresAt <= Date.now()) continue;
		const output = job.outputs.find((one) => fileOf(one).filename === filename);
		if (output !== undefined) return output.asset;
	}
	return undefined;
}
