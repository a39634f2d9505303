import { until } from '../../support/until';
import { ConnectionError } from '../../../client';
import { connected, QUICK, useFeeds } from '../support/feeds';
import { deadOrigin, freed } from '../support/deadOrigin';
import { useSandbox } from '../support/sandbox';
import { shown } from '../support/shown';
import { MARKER, serveSockets, type SocketServer, type SocketServerOptions } from '../support/socketServer';

const { feed, follow } = useFeeds();
const harness = useSandbox({ progressIntervalMs: 20 });
const WS = 'GET /ws';
const onSandbox = (token = harness.sandbox.keys.apiKey): URL =>
	new URL(`${harness.sandbox.urls.hosted.replace('http', 'ws')}/ws?clientId=c&token=${token}`);

const closing: SocketServer[] = [];
afterEach(async () => {
	await Promise.all(closing.splice(0).map(async (server) => await server.close()));
});
const served = async (options?: SocketServerOptions): Promise<SocketServer> => {
	const server = await serveSockets(options);
	closing.push(server);
	return server;
};

test('a silent connection is noticed by its pings', async () => {
	harness.sandbox.inject({ on: WS, fault: { kind: 'silent_socket', afterFrames: 1 }, times: 1 });
	const follower = follow(feed(onSandbox(), { limits: { pingEveryMs: 50, idleMs: 1_000 } }));
	await connected(follower, 2);
	expect(follower.troubles).toMatchObject([{ error: { trouble: 'timeout' } }]);
});

test('an address that answers with a redirect is reported as no socket without its key, and tried again slowly', async () => {
	const location = `http://127.0.0.1:1/?token=${MARKER}`;
	const server = await served({ refuse: (_request, response) => void response.writeHead(302, { location }).end(`<html>${MARKER}`) });
	const follower = follow(feed(server.url, { retry: { ...QUICK, lastingMs: 60_000 } }));
	await until(() => follower.troubles.length === 1);
	expect(follower.troubles[0]?.error).toMatchObject({ name: 'UnreadableAnswerError', facts: { reason: 'unexpected', status: 302 } });
	expect(follower.troubles[0]?.retryInMs).toBeGreaterThan(40_000);
	expect(shown(follower.troubles[0]?.error)).not.toContain(MARKER);
});

test('a service that is down when the feed begins is found when it starts', async () => {
	const origin = await deadOrigin();
	const url = new URL(`${origin.replace('http', 'ws')}/ws?token=${MARKER}`);
	const follower = follow(feed(url));
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
	const news = feed(url, { retry: { ...QUICK, firstMs: 60_000, longestMs: 60_000 } });
	const first = follow(news);
	await until(() => first.troubles.length === 1);
	const late = follow(news);
	expect(late.troubles).toMatchObject([{ error: { trouble: 'refused' } }]);
	expect(late.troubles[0]?.retryInMs).toBeLessThanOrEqual(first.troubles[0]?.retryInMs ?? 0);
});
