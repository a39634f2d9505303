/** What a feed reports of its socket, and of which jobs it has all events. */
import { ConnectionError } from '../../../client';
import { until } from '../../support/until';
import { deadOrigin, freed } from '../support/deadOrigin';
import { connected, QUICK, useFeeds } from '../support/feeds';
import { jobFrames, JPEG, previewFrame, text } from '../support/frames';
import { decodeImages } from '../support/outputs';
import { shown } from '../support/shown';
import { MARKER, serveSockets, type SocketServer, type SocketServerOptions } from '../support/socketServer';

const { feed, follow } = useFeeds();
const closing: SocketServer[] = [];
const served = async (options?: SocketServerOptions): Promise<SocketServer> => {
	const started = await serveSockets(options);
	closing.push(started);
	return started;
};
let server: SocketServer;
beforeEach(async () => {
	server = await served();
});
afterEach(async () => {
	await Promise.all(closing.splice(0).map(async (one) => await one.close()));
});

const send = (...messages: Array<string | Buffer>): void => messages.forEach((message) => server.sockets.at(-1)?.send(message));
const notification = (value: string): string => text('notification', { value });

test('a feed reports a job from start to end, each event with its frame', async () => {
	const follower = follow(feed(server.url));
	await connected(follower);
	send(...jobFrames('j'));
	await until(() => follower.of('status').length === 2);
	expect(follower.of('status').map(({ status }) => status)).toEqual(['running', 'succeeded']);
	expect(follower.of('queue')).toEqual([{ kind: 'queue', queue_remaining: 1 }]);
	expect(follower.of('preview').map(({ content_type }) => content_type)).toEqual(['image/jpeg', 'image/png']);
	const raws = Object.fromEntries(follower.heard.map(({ event, raw }) => [event.kind, raw]));
	expect(raws).toMatchObject({
		output: { type: 'executed', data: { node: '3' } },
		text: { type: 3, node_id: '2', text: 'half way' },
		preview: { type: 4, metadata: { node_id: '2' } },
	});
	expect(follower.heard.every(({ event, jobId }) => jobId === (event.kind === 'queue' ? null : 'j'))).toBe(true);
});

test('several followers share one socket from the first to the last, and the next one opens a new socket', async () => {
	const events = feed(server.url);
	const first = follow(events);
	await connected(first);
	const late = follow(events);
	expect(late.connects).toBe(1);
	send(notification('one'));
	await until(() => first.heard.length === 1 && late.heard.length === 1);
	await first.leave();
	send(notification('two'));
	await until(() => late.heard.length === 2);
	expect([first.heard.length, server.sockets.length, server.connections()]).toEqual([1, 1, 1]);
	const left = late.leave();
	await new Promise(setImmediate);
	const next = follow(events);
	await left;
	await connected(next);
	expect([server.sockets.length, late.troubles, next.troubles]).toEqual([2, [], []]);
	await next.leave();
	await until(() => server.connections() === 0);
});

test('a listener that fails, or leaves while it receives an event, keeps no events from the others', async () => {
	const fail = (): never => {
		throw new Error('mine');
	};
	const events = feed(server.url);
	const failing = follow(events, { onConnect: fail, onEvent: fail, onTrouble: fail });
	const leaving = follow(events, { onEvent: () => void leaving.leave() });
	const other = follow(events);
	await connected(other);
	send(notification('one'));
	await until(() => other.heard.length === 1);
	send(notification('two'));
	await until(() => other.heard.length === 2);
	server.sockets.at(-1)?.terminate();
	await connected(other, 2);
	expect([failing.connects, failing.heard.length, failing.troubles.length, other.troubles.length]).toEqual([2, 2, 1, 1]);
	expect([leaving.connects, leaving.heard.length]).toEqual([1, 1]);
});

test('malformed, unknown and undecodable frames become events, and mark the collected results as incomplete', async () => {
	const decodeOutputs: typeof decodeImages = (nodeId, ...results) => {
		if (nodeId === 'bad') throw new TypeError('undecodable');
		return decodeImages(nodeId, ...results);
	};
	const events = feed(server.url, { decodeOutputs });
	const follower = follow(events);
	await connected(follower);
	const start = (prompt_id: string): string => text('execution_start', { prompt_id });
	send(start('j'), Buffer.from([0]), start('k'), '{"type":"executed","data"', text('crystools.monitor', { cpu: 4 }));
	send(start('l'), text('executed', { prompt_id: 'l', node: 'bad', output: {} }));
	send(...['j', 'l'].map((prompt_id) => text('execution_success', { prompt_id })), previewFrame(1, JPEG));
	await until(() => follower.of('preview').length === 1);
	expect(follower.of('other')).toEqual([
		{ kind: 'other', name: 'malformed', data: { reason: 'the frame is too short' } },
		{ kind: 'other', name: 'malformed', data: { reason: 'the text is not JSON' } },
		{ kind: 'other', name: 'crystools.monitor', data: { cpu: 4 } },
		{ kind: 'other', name: 'malformed', data: { reason: expect.stringContaining('executed') as string } },
	]);
	for (const jobId of ['j', 'l']) expect(events.jobFromEvents(jobId)).toMatchObject({ isComplete: false });
});

test('a feed has all events of a job that was submitted while its socket was open, until the job ends or the socket is lost', async () => {
	const events = feed(server.url);
	const { session: before } = events;
	const follower = follow(events);
	await connected(follower);
	events.expectJob('early', before);
	for (const jobId of ['j', 'k']) events.expectJob(jobId, events.session);
	const complete = () => ['early', 'j', 'k'].map((jobId) => events.hasAllEvents(jobId));
	expect(complete()).toEqual([false, true, true]);
	for (const type of ['execution_start', 'execution_success']) send(text(type, { prompt_id: 'j' }));
	await until(() => follower.of('status').length === 2);
	expect([complete(), events.isTrackedFromStart('j')]).toEqual([[false, false, true], true]);
	server.sockets.at(-1)?.terminate();
	await connected(follower, 2);
	expect(complete()).toEqual([false, false, false]);
});

test('an address that answers with a redirect is reported as no socket without its key, and tried again slowly', async () => {
	const location = `http://127.0.0.1:1/?token=${MARKER}`;
	const { url } = await served({ refuse: (_request, response) => void response.writeHead(302, { location }).end(`<html>${MARKER}`) });
	const follower = follow(feed(url, { retry: { ...QUICK, lastingMs: 60_000 } }));
	await until(() => follower.troubles.length === 1);
	expect(follower.troubles[0]?.error).toMatchObject({ name: 'UnreadableAnswerError', facts: { reason: 'unexpected', status: 302 } });
	expect(follower.troubles[0]?.retryInMs).toBeGreaterThan(40_000);
	expect(shown(follower.troubles[0]?.error)).not.toContain(MARKER);
});

test('a service that is down when the feed begins is found when it starts', async () => {
	const origin = await deadOrigin();
	const follower = follow(feed(new URL(`${origin.replace('http', 'ws')}/ws?token=${MARKER}`)));
	await until(() => follower.troubles.length >= 2);
	expect(follower).toMatchObject({ connects: 0, troubles: [{ error: { trouble: 'refused' } }, { error: { trouble: 'refused' } }] });
	await served({ port: await freed(origin) });
	await connected(follower);
	for (const { error } of follower.troubles) {
		expect(error).toBeInstanceOf(ConnectionError);
		expect(shown(error)).not.toContain(MARKER);
	}
});

test('a new follower learns at once of a connection that is down', async () => {
	const url = new URL(`${(await deadOrigin()).replace('http', 'ws')}/ws`);
	const events = feed(url, { retry: { ...QUICK, firstMs: 60_000, longestMs: 60_000 } });
	const first = follow(events);
	await until(() => first.troubles.length === 1);
	const late = follow(events);
	expect(late.troubles).toMatchObject([{ error: { trouble: 'refused' } }]);
	expect(late.troubles[0]?.retryInMs).toBeLessThanOrEqual(first.troubles[0]?.retryInMs ?? 0);
});
