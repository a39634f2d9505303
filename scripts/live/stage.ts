/** One server under test, and what all checks of it share. */
import {
	ApiError,
	type ApiGraph,
	type Connection,
	type ServerConnection,
	ConnectionError,
	type ConnectSettings,
	type Job,
	type JobEvent,
	type JobOutput,
	listenAhead,
	StoppedError,
	UnreadableAnswerError,
	waitForJob,
} from '../../client';
import { collect } from '../../test/client/support/bytes';
import type { ComfyProcess } from './comfyProcess';

/** What all checks of one server share. */
export interface Stage {
	settings: ConnectSettings;
	connection: ServerConnection;
	/** Another client of the same server, which remembers nothing of what the first one did. */
	stranger: ServerConnection;
	/** Of ComfyUI itself, as it was given. */
	url: string;
	/** The headers that ComfyUI, or a reverse proxy in front of it, needs. */
	headers: Record<string, string>;
	/** Of this run alone: in the output folder of ComfyUI, and the place of its saved workflows. */
	folder: string;
	/** The same in the input folder, as uploads name it. */
	inputFolder: string;
	/** The ComfyUI that `--start` started. */
	comfy: ComfyProcess | undefined;
	waitForServerMs: number;
	/** Fires when the time is over. */
	signal: AbortSignal;
}

export interface Check {
	name: string;
	/** @returns what to say of its success. @throws CheckFailure, or CheckSkipped if it cannot be shown here. */
	check(stage: Stage): Promise<string>;
}

type Client = Pick<Stage, 'signal'> & { connection: Connection };

/** Waits by live events. @throws Unmet for a job that did not succeed. */
export async function waitForSuccess({ connection, signal }: Client, jobId: string, onEvent?: (event: JobEvent) => void): Promise<Job> {
	const { job } = await waitForJob(connection.jobs, jobId, { mode: 'live', maxWaitMs: Infinity, signal, onEvent });
	assertThat(job.status === 'succeeded', `the job ended as ${job.status}${job.job_error === null ? '' : `: ${job.job_error.message}`}`);
	return job;
}

/** Submits and waits as the nodes do. */
export async function run(stage: Stage, graph: ApiGraph, onEvent?: (event: JobEvent) => void): Promise<Job> {
	const { connection, signal } = stage;
	await listenAhead(connection, { signal });
	const { job_id: id } = await connection.jobs.submit({ graph }, { signal });
	return await waitForSuccess(stage, id, onEvent);
}

/** The one file that a job made. */
export async function downloadOutput(stage: Client, { outputs }: Job): Promise<{ file: Buffer; output: JobOutput }> {
	const [output, ...others] = outputs;
	assertThat(output !== undefined && others.length === 0, `the job has ${outputs.length} outputs, not 1`);
	assertThat(output.url !== null, 'the output has no link');
	return { file: await download(stage, output.url), output };
}

export async function download({ connection, signal }: Client, url: string): Promise<Buffer> {
	const { bytes } = await connection.assets.download({ url, contentType: 'image/png' }, { signal });
	return await collect(bytes);
}

/** Sends what only a person or the editor sends to ComfyUI itself. */
export async function requestComfy({ url, headers, signal }: Stage, path: string, init: RequestInit): Promise<void> {
	const all = { 'content-type': 'application/json', ...headers };
	const { ok, status } = await fetch(`${url.replace(/\/+$/, '')}${path}`, { ...init, signal, headers: all });
	assertThat(ok, `ComfyUI answered HTTP ${status} to ${init.method} ${path}`);
}

const ASKS_FOR_AUTHORIZATION = 'a reverse proxy asks for an Authorization: give it with --authorization, e.g. "Basic dXNlcjpwYXNzd29yZA=="';

/** Why a request to the engine came to nothing, and what to look at. */
export function describeError(error: unknown): string {
	if (error instanceof StoppedError || (error instanceof Error && error.name === 'AbortError'))
		return 'the time was over; a busy or slow ComfyUI needs more: --seconds';
	if (error instanceof ConnectionError)
		return `${error.message}. Is ComfyUI running, and started with --listen if it is on another computer?`;
	if ((error instanceof UnreadableAnswerError || error instanceof ApiError) && error.status === 401) return ASKS_FOR_AUTHORIZATION;
	if (error instanceof UnreadableAnswerError)
		return `found something else than ComfyUI: ${error.message}. Give the address of ComfyUI itself, usually port 8188`;
	if (error instanceof ApiError) return `ComfyUI answered ${error.status}: ${error.message}`;
	return error instanceof Error ? error.message : String(error);
}

/** Something does not hold; the message says why, for people. */
export class CheckFailure extends Error {}

/** It could not be shown here, which proves nothing against it. */
export class CheckSkipped extends Error {}

export function assertThat(isSo: boolean, otherwise: string): asserts isSo {
	if (!isSo) throw new CheckFailure(otherwise);
}
