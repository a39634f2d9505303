/** Sockets that go wrong, and the controls over open ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { picture, slowPicture } from '../support/graphs';
import { listen, Listeners, refusal, type ListenOptions } from './support/socket';
import { V1 } from './support/v1';

let sandbox: Sandbox;
let v1: V1;
const listeners = new Listeners();
const connect = async (options: ListenOptions = {}) => await listeners.connect(sandbox, options);
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
});
afterAll(async () => await sandbox.close());
afterEach(async () => {
	sandbox.clearFaults();
	sandbox.configure({ keepAliveMs: 15_000 });
	await listeners.close(sandbox);
});

const ON_SOCKET = 'GET /ws';

test.each([
	[
		'a refusal',
		{ status: 401, json: { code: 'unauthorized', message: 'no' } },
		401,
		'application/json',
		'{"code":"unauthorized","message":"no"}',
	],
	['no body', { status: 503, retryAfter: 1 }, 503, undefined, ''],
	['a web page', { status: 200, html: true }, 200, 'text/html', expect.stringMatching(/^<!DOCTYPE html>/) as string],
])('an answer in place of the upgrade: %s', async (_what, answer, status, type, body) => {
	const fault = sandbox.inject({ on: ON_SOCKET, answer });
	const refused = await refusal(sandbox);
	expect([refused.status, refused.contentType?.split(';')[0], refused.body]).toEqual([status, type, body]);
	expect([fault.used, sandbox.requests(ON_SOCKET).at(-1)?.status]).toEqual([1, status]);
	await connect();
});

test('drop_before: the connection ends with no answer', async () => {
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'drop_before' } });
	await expect(listen(sandbox)).rejects.toThrow('socket hang up');
	expect(sandbox.requests(ON_SOCKET).at(-1)).toMatchObject({ status: null, finished: true });
});

test('delay: the upgrade comes later', async () => {
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'delay', ms: 80 } });
	const start = performance.now();
	await connect();
	expect(performance.now() - start).toBeGreaterThan(75);
});

test.each([0, 3])('lost_socket: cut after %d frames, which still arrive', async (afterFrames) => {
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'lost_socket', afterFrames } });
	const listener = await connect();
	if (afterFrames > 0) await v1.started(picture());
	await until(() => listener.closed !== null);
	expect([listener.closed, listener.text.length]).toEqual([{ code: 1006 }, afterFrames]);
	await until(() => sandbox.sockets().length === 0);
});

test('silent_socket: TCP stays, but no frame, ping or pong comes, nor an answer to a close', async () => {
	sandbox.configure({ keepAliveMs: 10 });
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'silent_socket', afterFrames: 2 } });
	const [listener, healthy] = [await connect(), await connect()];
	const jobId = await v1.started(picture());
	await healthy.runEnded(jobId);
	const pings = listener.pings;
	listener.socket.ping();
	listener.socket.close();
	const heard = healthy.pings;
	await until(() => healthy.pings > heard + 2);
	expect([listener.text.length, listener.pings - pings, listener.pongs, listener.closed]).toEqual([2, 0, 0, null]);
	expect(sandbox.sockets()).toHaveLength(2);
	listener.close();
	await until(() => sandbox.sockets().length === 1);
});

test('silent_socket from the start: not even the greeting comes', async () => {
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'silent_socket' } });
	const listener = await connect();
	await sleep(30);
	expect([listener.text.length, sandbox.sockets()[0]?.framesSent]).toEqual([0, 0]);
});

test('garbage_socket: malformed and unknown frames, then the run goes on', async () => {
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'garbage_socket', afterFrames: 1 } });
	const listener = await connect();
	const jobId = await v1.started(picture());
	await until(() => listener.text.some((text) => text.includes('execution_success') && text.includes(jobId)));
	const malformed = listener.text.filter((text) => {
		try {
			JSON.parse(text);
			return false;
		} catch {
			return true;
		}
	});
	expect(malformed).toHaveLength(2);
	expect(listener.text[1]).toBe(malformed[0]);
	const types = listener.binary.map((frame) => (frame.byteLength < 4 ? null : frame.readUInt32BE(0)));
	expect(types).toEqual(expect.arrayContaining([null, 1, 3, 4, 99]));
	expect(listener.closed).toBeNull();
});

test('oversized_frame: one that exceeds what the caller takes', async () => {
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'oversized_frame', bytes: 200_000, afterFrames: 1 } });
	const listener = await connect({ maxPayload: 100_000 });
	await until(() => listener.closed !== null);
	expect([listener.errorCode, listener.text.length]).toEqual(['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1]);
	sandbox.inject({ on: ON_SOCKET, fault: { kind: 'oversized_frame', bytes: 200_000 } });
	const patient = await connect();
	await until(() => patient.text.length === 1);
	expect(patient.binary.map(({ byteLength }) => byteLength)).toEqual([200_000]);
});

test('a fault hits as many connections as it says', async () => {
	sandbox.inject({ on: ON_SOCKET, surface: 'hosted', skip: 1, times: 1, fault: { kind: 'lost_socket', afterFrames: 0 } });
	const first = await connect();
	const second = await connect();
	const third = await connect();
	await until(() => second.closed !== null);
	expect([first.closed, third.closed]).toEqual([null, null]);
});

test('dropSockets destroys connections; whoever connects again hears the rest', async () => {
	const listener = await connect();
	const jobId = await v1.started(slowPicture(1000));
	await until(() => listener.of('progress', jobId).length > 0);
	sandbox.dropSockets('hosted');
	await until(() => listener.closed !== null);
	expect(listener.closed).toEqual({ code: 1006 });
	const again = await connect();
	await v1.call('POST', '/api/interrupt');
	await again.runEnded(jobId);
	expect(again.of('execution_start', jobId)).toEqual([]);
});

test('sendFrame sends text and bytes as they are', async () => {
	const [one, two] = [await connect(), await connect({ token: sandbox.keys.otherApiKey })];
	sandbox.sendFrame('{"type":"made_up"}');
	sandbox.sendFrame(Buffer.from([0, 0, 0, 7]), 'hosted');
	sandbox.sendFrame('elsewhere', 'deployment');
	for (const listener of [one, two]) {
		await until(() => listener.binary.length === 1);
		expect([listener.text.slice(1), listener.binary]).toEqual([['{"type":"made_up"}'], [Buffer.from([0, 0, 0, 7])]]);
	}
	expect(sandbox.sockets().map(({ account, framesSent }) => [account, framesSent])).toEqual([
		['main', 3],
		['other', 3],
	]);
});

test('closing the sandbox ends open sockets', async () => {
	const other = await startSandbox();
	const listener = await listen(other);
	await other.close();
	await until(() => listener.closed !== null);
});
