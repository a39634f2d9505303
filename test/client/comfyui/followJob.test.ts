/** When a followed job is read, because an engine sends the events of a job only to its submitter. */
import type { Job } from '../../../client';
import { followJob, type StatusEvent } from '../../../client/comfyui/followJob';
import type { SocketFeed } from '../../../client/comfyui/socketFeed';
import type { CallOptions } from '../../../client/ports/jobService';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { connected, useFeeds } from '../support/feeds';
import { text } from '../support/frames';
import { serveSockets, type SocketServer } from '../support/socketServer';
import { job } from './progress/support';

const moveOn = useStillClock();
const { feed, follow } = useFeeds();
const STATUS: StatusEvent = { kind: 'status', status: 'running', service_status: 'in_progress', queue_position: null };
const readRunning = async (): Promise<StatusEvent> => await Promise.resolve(STATUS);
const queueFrame = (remaining?: number): string => text('status', { status: { exec_info: { queue_remaining: remaining } } });
const startFrame = (jobId: string): string => text('execution_start', { prompt_id: jobId });
/** A pause between two reads, with a margin for timers that fire early. */
const PAUSE_MS = 251;
const MARK = text('notification', { value: 'mark' });

let server: SocketServer;
const stop = { current: new AbortController() };
beforeEach(async () => {
	stop.current = new AbortController();
	server = await serveSockets();
});
afterEach(async () => {
	stop.current.abort();
	await server.close();
});

/**
 * Follows the jobs `j` and `k`. Each frame of a test is followed by a mark, so that the test knows when the frame was handled.
 * @param isSubmitted the feed has all of their events, so that no first read is needed.
 */
async function followTwo(readStatus: (options: CallOptions) => Promise<StatusEvent>, isSubmitted = false) {
	const { signal } = stop.current;
	const jobFeed: SocketFeed = feed(server.url);
	const marks = follow(jobFeed);
	await connected(marks);
	const reads = { j: 0, k: 0 };
	const events = { j: 0, k: 0 };
	const followOne = async (jobId: 'j' | 'k'): Promise<void> => {
		if (isSubmitted) jobFeed.expectJob(jobId, jobFeed.session);
		const read = async (options: CallOptions): Promise<StatusEvent> => {
			reads[jobId] += 1;
			return await readStatus(options);
		};
		const submitted: Job = job(jobId, 'queued');
		for await (const event of followJob(jobFeed, submitted, { readStatus: read, readsOnQueueChange: true, signal }))
			if (event.kind === 'status') events[jobId] += 1;
	};
	const followed = [followOne('j'), followOne('k')].map(async (one) => await failureOf(one));
	const send = async (...frames: string[]): Promise<void> => {
		const before = marks.of('notification').length;
		for (const frame of [...frames, MARK]) server.sockets.at(-1)?.send(frame);
		await until(() => marks.of('notification').length > before);
	};
	return { reads, events, followed, send };
}

test('when the queue changes, only the job whose frames may have been missed is read', async () => {
	const { reads, events, send } = await followTwo(readRunning);
	await until(() => events.j + events.k === 2);
	await send(startFrame('j'), queueFrame(1), queueFrame(0));
	await until(() => reads.k === 2);
	expect(reads).toEqual({ j: 1, k: 2 });
});

test.each([0, undefined])(
	'two jobs that wait for their first frame are read when the queue is empty (%s jobs remain)',
	async (remaining) => {
		const { reads, events, send } = await followTwo(readRunning, true);
		await until(() => events.j + events.k === 2);
		await send(queueFrame(1));
		expect(reads).toEqual({ j: 0, k: 0 });
		await send(queueFrame(remaining));
		await until(() => events.j + events.k === 4);
		expect(reads).toEqual({ j: 1, k: 1 });
	},
);

test('several changes of the queue within a quarter of a second cause one more read of each job', async () => {
	const { reads, events, send } = await followTwo(readRunning);
	await until(() => events.j + events.k === 2);
	await send(queueFrame(1));
	await until(() => events.j + events.k === 4);
	await send(queueFrame(2), queueFrame(3), queueFrame(2));
	expect(reads).toEqual({ j: 2, k: 2 });
	moveOn(PAUSE_MS);
	await until(() => events.j + events.k === 6);
	moveOn(PAUSE_MS);
	await send();
	expect(reads).toEqual({ j: 3, k: 3 });
});

test('a stop ends the reads of both jobs', async () => {
	const signals: AbortSignal[] = [];
	const { reads, followed, send } = await followTwo(async ({ signal }) => {
		if (signal !== undefined) signals.push(signal);
		return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('Stopped'))));
	}, true);
	await send(queueFrame(0));
	await until(() => reads.j + reads.k === 2);
	stop.current.abort();
	expect(await Promise.all(followed)).toMatchObject([{ name: 'StoppedError' }, { name: 'StoppedError' }]);
	expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
