/** Of which jobs a feed has all events. */
import { until } from '../../support/until';
import { connected, useFeeds } from '../support/feeds';
import { text } from '../support/frames';
import { serveSockets, type SocketServer } from '../support/socketServer';

const { feed, follow } = useFeeds();
let server: SocketServer;
beforeEach(async () => {
	server = await serveSockets();
});
afterEach(async () => await server.close());

const send = (type: string): void => server.sockets.at(-1)?.send(text(type, { prompt_id: 'j' }));

test('a feed has all events of a job that was submitted while its socket was open, until the socket is lost', async () => {
	const one = feed(server.url);
	const follower = follow(one);
	await connected(follower);
	one.expectJob('j', one.session);
	expect(one.hasAllEvents('j')).toBe(true);
	server.sockets.at(-1)?.terminate();
	await connected(follower, 2);
	expect(one.hasAllEvents('j')).toBe(false);
});

test('a feed does not have all events of a job that was submitted before its socket opened', async () => {
	const one = feed(server.url);
	const { session } = one;
	await connected(follow(one));
	one.expectJob('j', session);
	expect(one.hasAllEvents('j')).toBe(false);
});

test('a job that has ended must be read', async () => {
	const one = feed(server.url);
	const follower = follow(one);
	await connected(follower);
	one.expectJob('j', one.session);
	send('execution_start');
	send('execution_success');
	await until(() => follower.of('status').length === 2);
	expect([one.hasAllEvents('j'), one.isTrackedFromStart('j')]).toEqual([false, true]);
});
