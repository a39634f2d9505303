import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiGraph, type Job, type JobEvent, type JobOutput, listenAhead, type UploadSource, waitForJob } from '../../client';
import type { Server } from './find';
import { hold } from './report';

/** What all checks of one server share. */
export interface Stage extends Server {
	/** Of ComfyUI itself, as it was given. */
	url: string;
	/** The whole header, for a reverse proxy in front of it. */
	authorization: string | undefined;
	/** Of this run alone: in the output folder of ComfyUI, and the place of its saved workflows. */
	folder: string;
	/** The same in the input folder, as uploads name it. */
	inputFolder: string;
	/** Fires when the time is over. */
	signal: AbortSignal;
	/** Where downloaded pictures are kept. */
	keepIn: string | undefined;
	/** How often a job is canceled behind others, each time behind more of them. */
	cancelAttempts: number;
}

export const sourceOf = (file: Buffer): UploadSource => ({ open: () => once(file), sizeBytes: file.length, contentType: 'image/png' });

async function* once(file: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
	yield await Promise.resolve(file);
}

/** Waits by live events. @throws Unmet for a job that did not succeed. */
export async function finished({ connection, signal }: Stage, jobId: string, onEvent?: (event: JobEvent) => void): Promise<Job> {
	const { job } = await waitForJob(connection.jobs, jobId, { mode: 'live', maxWaitMs: Infinity, signal, onEvent });
	hold(job.status === 'succeeded', `the job ended as ${job.status}${job.job_error === null ? '' : `: ${job.job_error.message}`}`);
	return job;
}

/** Submits and waits as the nodes do. */
export async function run(stage: Stage, graph: ApiGraph, onEvent?: (event: JobEvent) => void): Promise<Job> {
	const { connection, signal } = stage;
	await listenAhead(connection, { signal });
	const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
	return await finished(stage, id, onEvent);
}

/** The one file that a job made. */
export async function fileOf(stage: Stage, { outputs }: Job): Promise<{ file: Buffer; output: JobOutput }> {
	const [output, ...others] = outputs;
	hold(output !== undefined && others.length === 0, `the job has ${outputs.length} outputs, not 1`);
	hold(output.url !== null, 'the output has no link');
	const file = await download(stage, output.url);
	if (stage.keepIn !== undefined) {
		await mkdir(stage.keepIn, { recursive: true });
		await writeFile(join(stage.keepIn, output.name), file);
	}
	return { file, output };
}

export async function download({ connection, signal }: Stage, url: string): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	const { bytes } = await connection.assets.download({ url, contentType: 'image/png' }, { signal });
	for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks);
}
