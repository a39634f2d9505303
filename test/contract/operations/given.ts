/** What the calls of the tables are given. */
import { waitForJob, type ApiGraph, type Job, type JobFeed, type JobService, type MadeBy, type UploadSource } from '../../../client';
import { freshPicture } from '../v1/hosted';

/** A file of such bytes. */
export const uploadOf = (text: string): UploadSource => sourceOf(Buffer.from(text));

/** A new one. */
export const picture = async (): Promise<UploadSource> => sourceOf(await freshPicture());

const sourceOf = (bytes: Uint8Array): UploadSource => ({
	open: async function* () {
		yield bytes;
	},
	sizeBytes: bytes.byteLength,
	contentType: 'image/png',
});

export const madeOf = (node: string): MadeBy => ({ workflow_id: 'flow', workflow_name: 'A flow', execution_id: '7', node, item: 0 });

export async function finished(jobs: JobService, graph: ApiGraph): Promise<Job> {
	const { job_id } = await jobs.submit({ graph });
	return (await waitForJob(jobs, job_id, { mode: 'polling', maxWaitMs: 15_000 })).job;
}

/** Follows until it is connected, then no longer. */
export async function connected(feed: JobFeed): Promise<void> {
	const leaving = new AbortController();
	await feed.follow({ onConnect: () => leaving.abort(), onEvent: () => undefined, onTrouble: () => undefined }, leaving.signal);
}
