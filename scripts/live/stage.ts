import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
	type ApiGraph,
	type Connection,
	type Job,
	type JobEvent,
	type JobOutput,
	listenAhead,
	type UploadSource,
	waitForJob,
} from '../../client';
import { hold } from './report';

/** What all checks of one run share. */
export interface Stage {
	/** Of the engine, as it was given. */
	url: string;
	/** The whole header, for a reverse proxy in front of it. */
	authorization: string | undefined;
	connection: Connection;
	/** Another client of the same engine, which remembers nothing of what this one did. */
	stranger: Connection;
	/** Of this run alone: in the engine's input folder and in its output folder. */
	folder: string;
	/** Fires when the time is over. */
	signal: AbortSignal;
	/** Where downloaded pictures are kept. */
	keepIn: string | undefined;
}

export const sourceOf = (file: Buffer): UploadSource => ({ open: () => once(file), sizeBytes: file.length, contentType: 'image/png' });

async function* once(file: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
	yield await Promise.resolve(file);
}

/** Waits live. @throws Unmet for a job that did not succeed. */
export async function finished({ connection, signal }: Stage, jobId: string): Promise<Job> {
	const { job } = await waitForJob(connection.jobs, jobId, { mode: 'live', maxWaitMs: Infinity, signal });
	hold(job.status === 'succeeded', `the job ended as ${job.status}${job.job_error === null ? '' : `: ${job.job_error.message}`}`);
	return job;
}

const OF_EVERYBODY = ['status', 'queue'];

/** Hears from now on what an engine tells of jobs themselves, and only to whoever submitted them. @returns how much so far. */
export async function listen({ connection, signal }: Stage): Promise<() => number> {
	let heard = 0;
	const count = ({ kind }: JobEvent): void => {
		if (!OF_EVERYBODY.includes(kind)) heard++;
	};
	void connection.feed?.follow({ onConnect: () => undefined, onTrouble: () => undefined, onEvent: count }, signal);
	await listenAhead(connection, { signal });
	return () => heard;
}

export async function run(stage: Stage, graph: ApiGraph): Promise<Job> {
	const { job_id: id } = await stage.connection.jobs.submit({ graph }, { signal: stage.signal });
	return await finished(stage, id);
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
