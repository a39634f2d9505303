import type { StatusEvent } from '../../../client/comfyui/followJob';
import { QueuePollingFeed } from '../../../client/engine/queuePollingFeed';
import type { JobEvent } from '../../../client';
import type { CallOptions } from '../../../client/ports/jobService';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { useFeeds } from '../support/feeds';
import { text } from '../support/frames';
import { serveSockets, type SocketServer } from '../support/socketServer';

const moveOn = useStillClock();
const { feed } = useFeeds();
const STATUS: StatusEvent = { kind: 'status', status: 'running', service_status: 'in_progress', queue_position: null };
const queueFrame = (remaining?: number): string => text('status', { status: { exec_info: { queue_remaining: remaining } } });
/** A pause between two reads, with a margin for timers that fire early. */
const PAUSE_MS = 251;
const MARK = text('notification', { value: 'mark' });

let server: SocketServer;
const stops: AbortController[] = [];
beforeEach(async () => {
	server = await serveSockets();
});
afterEach(async () => {
	stops.splice(0).forEach((stop) => stop.abort());
	await server.close();
});

/** Follows the job `j`. Each frame of a test is followed by a mark, so that the test knows when the frame was handled. */
async function followJob(readStatus: (options: CallOptions) => Promise<StatusEvent>) {
	const stop = new AbortController();
	stops.push(stop);
	const heard = { connects: 0, events: [] as JobEvent[], troubles: [] as unknown[], reads: 0 };
	const jobEvents = feed(server.url);
	const polling = new QueuePollingFeed(jobEvents, 'j', async (options) => {
		heard.reads += 1;
		return await readStatus(options);
	});
	const listener = {
		onConnect: () => void (heard.connects += 1),
		onEvent: (event: JobEvent) => void heard.events.push(event),
		onTrouble: (error: unknown) => void heard.troubles.push(error),
	};
	const following = polling.follow(listener, stop.signal);
	await until(() => heard.connects === 1);
	const countMarks = () => heard.events.filter(({ kind }) => kind === 'notification').length;
	const send = async (...frames: string[]): Promise<void> => {
		const marks = countMarks() + 1;
		for (const frame of [...frames, MARK]) server.sockets.at(-1)?.send(frame);
		await until(() => countMarks() === marks);
	};
	return { heard, jobEvents, send, stop, following };
}

test('a job whose frames have all arrived since its start is not read when the queue changes', async () => {
	const { heard, send } = await followJob(async () => await Promise.resolve(STATUS));
	await send(text('execution_start', { prompt_id: 'j' }), queueFrame(1), queueFrame(0));
	expect(heard.reads).toBe(0);
});

test.each([0, undefined])('a job that waits for its first frame is read when the queue is empty (%s jobs remain)', async (remaining) => {
	const { heard, jobEvents, send } = await followJob(async () => await Promise.resolve(STATUS));
	jobEvents.expectJob('j', jobEvents.session);
	await send(queueFrame(1));
	expect(heard.reads).toBe(0);
	await send(queueFrame(remaining));
	await until(() => heard.reads === 1);
});

test('several changes of the queue within a quarter of a second cause one more read', async () => {
	const { heard, send } = await followJob(async () => await Promise.resolve(STATUS));
	await send(queueFrame(1));
	await until(() => heard.reads === 1);
	await send(queueFrame(2), queueFrame(3), queueFrame(2));
	expect(heard.reads).toBe(1);
	moveOn(PAUSE_MS);
	await until(() => heard.reads === 2);
	moveOn(PAUSE_MS);
	await send();
	expect(heard.reads).toBe(2);
});

test('a stop ends the read of the status', async () => {
	const { heard, send, stop, following } = await followJob(
		async ({ signal }) => await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('Stopped')))),
	);
	await send(queueFrame(1));
	await until(() => heard.reads === 1);
	stop.abort();
	await following;
});
