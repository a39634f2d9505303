import {
	connect,
	type Connection,
	type ConnectSettings,
	findServer,
	type ApiGraph,
	type Job,
	type JobEvent,
	type JobOutput,
	listenAhead,
	waitForJob,
} from '../../client';
import { collect } from '../../test/client/support/bytes';
import { hold, type Report } from './report';

/** A server that does not answer at once is not there. */
const PATIENCE_MS = 3_000;

/** One server under test. */
interface Server {
	settings: ConnectSettings;
	connection: Connection;
	/** Another client of the same server, which remembers nothing of what the first one did. */
	stranger: Connection;
}

/** Finds whatever answers there, as the nodes do. @returns undefined where it is another server than the settings say. */
export async function find(settings: ConnectSettings, report: Report, signal: AbortSignal): Promise<Server | undefined> {
	const [name, other] =
		settings.interface === 'engine'
			? ['Find ComfyUI', 'found the API proxy, not ComfyUI itself. Give the address of ComfyUI behind it, usually port 8188']
			: ['Find the API proxy', 'found ComfyUI itself, not the API proxy. The proxy is usually at port 8189'];
	return await report.check(name, async () => {
		const { connection, service } = await findServer({ ...settings, engineUrl: '', wanted: 'any' }, { signal, patienceMs: PATIENCE_MS });
		hold(connection.interface === settings.interface, other);
		return {
			said: service.version === null ? 'it does not report its version' : `version ${service.version}`,
			value: { settings, connection, stranger: connect(settings) },
		};
	});
}

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
	return { file: await download(stage, output.url), output };
}

export async function download({ connection, signal }: Stage, url: string): Promise<Buffer> {
	const { bytes } = await connection.assets.download({ url, contentType: 'image/png' }, { signal });
	return await collect(bytes);
}
