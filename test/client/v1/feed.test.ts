import { until } from '../../support/until';
import { connected, useFeeds } from '../support/feeds';
import { jobFrames, JPEG, previewFrame, text } from '../support/frames';
import { serveSockets, type SocketServer } from '../support/socketServer';

const { feed, follow } = useFeeds();
let server: SocketServer;
beforeEach(async () => {
	server = await serveSockets();
});
afterEach(async () => await server.close());

const send = (...messages: Array<string | Buffer>): void => messages.forEach((message) => server.sockets.at(-1)?.send(message));

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

test('several followers share one socket from the first to the last', async () => {
	const news = feed(server.url);
	const first = follow(news);
	await connected(first);
	const late = follow(news);
	expect(late.connects).toBe(1);
	send(text('notification', { value: 'one' }));
	await until(() => first.heard.length === 1 && late.heard.length === 1);
	await first.leave();
	send(text('notification', { value: 'two' }));
	await until(() => late.heard.length === 2);
	expect([first.heard.length, server.sockets.length, server.connections()]).toEqual([1, 1, 1]);
	await late.leave();
	await until(() => server.connections() === 0);
});

test('the next follower opens a new socket after the last one left', async () => {
	const news = feed(server.url);
	const first = follow(news);
	await connected(first);
	const left = first.leave();
	await new Promise(setImmediate);
	const next = follow(news);
	await left;
	await connected(next);
	expect([server.sockets.length, first.troubles, next.troubles]).toEqual([2, [], []]);
});

test('a failing listener keeps no events from the others', async () => {
	const fail = (): never => {
		throw new Error('mine');
	};
	const news = feed(server.url);
	const failing = follow(news, { onConnect: fail, onEvent: fail, onTrouble: fail });
	const other = follow(news);
	await connected(other);
	send(text('notification', { value: 'one' }), text('notification', { value: 'two' }));
	await until(() => other.heard.length === 2);
	server.sockets.at(-1)?.terminate();
	await connected(other, 2);
	expect([failing.connects, failing.heard.length, failing.troubles.length, other.troubles.length]).toEqual([2, 2, 1, 1]);
});

test('a listener may leave while it receives an event', async () => {
	const news = feed(server.url);
	const other = follow(news);
	const leaving = follow(news, { onEvent: () => void leaving.leave() });
	await connected(other);
	send(text('notification', { value: 'one' }));
	await until(() => other.heard.length === 1);
	send(text('notification', { value: 'two' }));
	await until(() => other.heard.length === 2);
	expect(leaving.heard).toHaveLength(1);
});

test('malformed and unknown frames become events, and mark the collected results as incomplete', async () => {
	const news = feed(server.url);
	const follower = follow(news);
	await connected(follower);
	send(
		text('execution_start', { prompt_id: 'j' }),
		Buffer.from([0]),
		text('execution_start', { prompt_id: 'k' }),
		'{"type":"executed","data"',
	);
	send(text('crystools.monitor', { cpu: 4 }), text('execution_success', { prompt_id: 'j' }), previewFrame(1, JPEG));
	await until(() => follower.of('preview').length === 1);
	expect(follower.of('other')).toEqual([
		{ kind: 'other', name: 'malformed', data: { reason: 'the frame is too short' } },
		{ kind: 'other', name: 'malformed', data: { reason: 'the text is not JSON' } },
		{ kind: 'other', name: 'crystools.monitor', data: { cpu: 4 } },
	]);
	expect(news.jobFromEvents('j')).toMatchObject({ isComplete: false });
});

test('results that cannot be decoded are reported as malformed', async () => {
	const decodeOutputs = () => {
		throw new TypeError('undecodable');
	};
	const follower = follow(feed(server.url, { decodeOutputs }));
	await connected(follower);
	send(text('executed', { prompt_id: 'j', node: '1', output: {} }), text('notification', { value: 'next' }));
	await until(() => follower.of('notification').length === 1);
	expect(follower.of('other')).toMatchObject([{ name: 'malformed', data: { reason: expect.stringContaining('executed') as string } }]);
});
