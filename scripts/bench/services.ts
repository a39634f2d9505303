/** Minimal mock services for benchmarks. Each runs in a separate process, so that only the client is measured. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { answerRequests, Worker } from '../workers';

export interface FileSettings {
	/** A file whose beginning is sent again and again. */
	path: string;
	/** The length of a download. */
	bytes: number;
	/** `blake3:<hex>` of the file, or null when jobs report no hash. */
	hash: string | null;
	/** Whether the service has every file already. */
	isStored: boolean;
}

/** `bodyBytes`: of requests, without their heads. */
export type FileCounts = Record<'requests' | 'bodyBytes', number>;

export interface JobSettings {
	/** Event streams at the same time; more are rejected. Null for any number. */
	maxStreams: number | null;
	/** `newest`: its newest hundred, as the self-hosted proxy; `nothing`: 501, as the hosted service. */
	lists: 'newest' | 'nothing';
	/** How long a job runs, in milliseconds. */
	jobMs: number;
	/** Jobs in flight at the same time; more are rejected. Any number where absent. */
	maxJobs?: number | null;
}

/** `mostStreams`: open at the same time. */
export type JobCounts = Record<
	'submits' | 'rejectedSubmits' | 'reads' | 'lists' | 'streams' | 'rejectedStreams' | 'downloads' | 'mostStreams',
	number
>;

export interface JobReport {
	counted: JobCounts;
	/** Job id → when it ended, by `sharedNow`. */
	endedAt: Record<string, number>;
}

export interface EngineSettings {
	/** How long the sampler of each job runs, in milliseconds. */
	samplerMs: number;
}

/** `kill`: the engine loses its queue and its history, and refuses connections until `start`. */
export type EngineOrder = 'report' | 'kill' | 'start';

/** Counted since the process started. */
export type EngineReport = Record<'requests' | 'runs', number>;

/** Milliseconds by a clock that all processes of this machine share. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Starts the process of a service, which ends with this process. */
async function start(name: string, settings: object) {
	const worker = new Worker<object, unknown>(join(__dirname, 'services', `${name}.ts`));
	const ask = async <Answer>(request: object): Promise<Answer> => (await worker.ask(request)) as Answer;
	const { port } = await ask<{ port: number }>(settings);
	return { origin: `http://127.0.0.1:${port}`, ask, stop: () => void worker.end() };
}

export async function startFileService(settings: FileSettings) {
	const { ask, ...service } = await start('files', settings);
	return { ...service, report: async () => await ask<FileCounts>({}) };
}

export async function startJobService(settings: JobSettings) {
	const { ask, origin } = await start('jobs', settings);
	return { origin, begin: async (jobId: string) => await ask({ jobId }), report: async () => await ask<JobReport>({}) };
}

/** A ComfyUI that runs one job after another. */
export async function startEngine(settings: EngineSettings) {
	const { ask, ...service } = await start('engine', settings);
	return { ...service, order: async (order: EngineOrder) => await ask<EngineReport>({ order }) };
}

/** For the process of a service: the first request contains its settings. @param listen returns a server, or the port on which one listens. */
export function serve<Settings, Request = object>(
	listen: (settings: Settings) => Server | Promise<number>,
	answer: (request: Request) => object | Promise<object> = () => ({}),
): void {
	let isOpen = false;
	answerRequests(async (request: Settings | Request) => {
		if (isOpen) return await answer(request as Request);
		isOpen = true;
		const listening = listen(request as Settings);
		if (listening instanceof Promise) return { port: await listening };
		await once(listening.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }), 'listening');
		return { port: (listening.address() as AddressInfo).port };
	});
}
