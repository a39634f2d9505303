import { clock } from '../async/clock';
import type { EngineConnection } from '../connection/connection';
import type { CallOptions, JobQueue } from '../ports/jobService';
import type { ServerInfo } from '../ports/server';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';

/** ComfyUI unloads its models tensor by tensor, which takes 1 to 8 s. Between two tensors, the memory can stay the same. */
const READ_EVERY_MS = 500;
/** So many readings in a row must agree. */
const AGREEING_READINGS = 3;
/** Other programs, such as a desktop, use a little more or less of the memory all the time. */
const AGREEING_BYTES = 16 * 1024 ** 2;

export interface FreeRequest {
	/** Whether to drop the cached results of nodes too. */
	caches: boolean;
	/** How long to wait for the memory, in milliseconds. */
	maxWaitMs: number;
	/** Jobs that have ended, although the server may still list them for a moment. */
	endedJobIds?: ReadonlySet<string>;
}

export interface FreedMemory {
	before: ServerInfo;
	/** The last reading. */
	after: ServerInfo;
	/** The queue after the request. */
	queue: JobQueue;
	/** Whether the queue has jobs that have not ended. The server then frees the memory when the running one ends, or not at all. */
	isBusy: boolean;
	/** Whether the free memory no longer changes. Null on a CPU: its readings say nothing about a GPU, so there is no wait. */
	isFinal: boolean | null;
}

/** Returns the free memory of all devices in bytes; null if the engine does not report it. */
export function freeVram({ devices }: ServerInfo): number | null {
	const known = devices.flatMap(({ vram_free }) => vram_free ?? []);
	return known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0);
}

const hasGpu = (info: ServerInfo): boolean => freeVram(info) !== null && info.devices.some(({ type }) => type !== 'cpu');

/** Whether clearly more memory is free than before. */
const isMore = (after: ServerInfo, before: ServerInfo): boolean => Number(freeVram(after)) > Number(freeVram(before)) + AGREEING_BYTES;

function doAgree(readings: ServerInfo[]): boolean {
	const bytes = readings.map((info) => Number(freeVram(info)));
	return readings.length === AGREEING_READINGS && Math.max(...bytes) - Math.min(...bytes) <= AGREEING_BYTES;
}

/**
 * Asks an engine to free its memory, and waits until the memory is free, so that other programs can use it. If nothing
 * happened, it asks once more, because a job that began meanwhile may have used the first request.
 * @param options `signal` ends the requests with a StoppedError.
 * @param waitOptions for the wait. Its signal ends only the wait, and the result is then not final.
 * @throws the errors of the requests.
 */
export async function freeMemory(
	{ control, maintenance }: Pick<EngineConnection, 'control' | 'maintenance'>,
	{ caches, maxWaitMs, endedJobIds = new Set() }: FreeRequest,
	options: CallOptions,
	waitOptions = options,
): Promise<FreedMemory> {
	const before = await maintenance.info(options);
	await maintenance.freeMemory({ caches }, options);
	// The queue is read after the request, because jobs may end before it arrives.
	const queue = await control.queue(options);
	let after = await maintenance.info(options);
	const isBusy = [...queue.running, ...queue.pending].some(({ job_id: jobId }) => !endedJobIds.has(jobId));
	const facts = { before, queue, isBusy };
	if (isBusy || !hasGpu(before)) return { ...facts, after, isFinal: isBusy ? false : null };

	const signal = AbortSignal.any([clock.signalAfter(maxWaitMs), ...(waitOptions.signal === undefined ? [] : [waitOptions.signal])]);
	const readNext = async (asksAgain: boolean): Promise<ServerInfo> => {
		if (asksAgain) await maintenance.freeMemory({ caches }, { signal });
		await delay(READ_EVERY_MS, signal);
		return await maintenance.info({ signal });
	};
	let readings = [after];
	for (let hasAskedAgain = false; ;) {
		const isSteady = doAgree(readings);
		if (isSteady && (hasAskedAgain || isMore(after, before))) return { ...facts, after, isFinal: true };
		const next = await outcomeOf(readNext(isSteady));
		if (!next.ok && signal.aborted) return { ...facts, after, isFinal: false };
		if (!next.ok) throw next.error;
		hasAskedAgain ||= isSteady;
		after = next.value;
		readings = [...(isSteady ? [] : readings), after].slice(-AGREEING_READINGS);
	}
}
