/** Sockets of v1: who hears what, faults, and the controls over open sockets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { picture, slowPicture } from '../support/graphs';
import { hasEnded, listen, type Heard, V1 } from './support';

const ON_SOCKET = 'GET /ws';

let sandbox: Sandbox;
let v1: V1;
const open: Heard[] = [];
const connect = async (options: Parameters<typeof listen>[1] = {}): Promise<Heard> => {
	const heard = await listen(sandbox, options);
	open.push(heard);
	return heard;
};
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
});
afterAll(async () => await sandbox.close());
afterEach(async () => {
	sandbox.clearFaults();
	sandbox.configure({ keepAliveMs: 15_000, workers: 4 });
	for (const { socket } of open.splice(0)) socket.terminate();
	await until(() => sandbox.sockets().length === 0);
});

test('a job that is deleted while it waits is reported by "status" frames only', async () => {
	sandbox.configure({ workers: 0 });
	const heard = await connect();
	const jobId = await v1.started(picture());
	await v1.call('POST', '/api/queue', { json: { delete: [jobId] } });
	await until(() => heard.text.filter((text) => text.includes('"status"')).length === 3);
	expect(heard.text.filter((text) => text.includes(jobId))).toEqual([]);
});

describe('faults', () => {
	test.each([
		['a refusal', { status: 401, json: { code: 'unauthorized', message: 'no' } }],
		['an answer without a body', { status: 503, retryAfter: 1 }],
		['a web page', { status: 200, html: true }],
	])('an upgrade can get %s', async (_what, answer) => {
		const fault = sandbox.inject({ on: ON_SOCKET, answer });
		await expect(listen(sandbox)).rejects.toThrow(String(answer.status));
		expect([fault.used, sandbox.requests(ON_SOCKET).at(-1)?.status]).toEqual([1, answer.status]);
		await connect();
	});

	test('drop_before ends the connection without an answer', async () => {
		sandbox.inject({ on: ON_SOCKET, fault: { kind: 'drop_before' } });
		await expect(listen(sandbox)).rejects.toThrow('socket hang up');
		expect(sandbox.requests(ON_SOCKET).at(-1)).toMatchObject({ status: null, finished: true });
	});

	test('delay holds the upgrade back', async () => {
		sandbox.inject({ on: ON_SOCKET, fault: { kind: 'delay', ms: 80 } });
		const start = performance.now();
		await connect();
		expect(performance.now() - start).toBeGreaterThan(75);
	});

	test.each([0, 3])('lost_socket cuts one connection, behind %d frames that arrive', async (afterFrames) => {
		sandbox.inject({ on: ON_SOCKET, skip: 1, fault: { kind: 'lost_socket', afterFrames } });
		const [first, lost, third] = [await connect(), await connect(), await connect()];
		if (afterFrames > 0) await v1.started(picture());
		await until(() => lost.closed !== null);
		expect([lost.closed, lost.text.length, first.closed, third.closed]).toEqual([1006, afterFrames, null, null]);
	});

	test('silent_socket stays open but sends no frame, ping or pong and answers no close', async () => {
		sandbox.configure({ keepAliveMs: 10 });
		sandbox.inject({ on: ON_SOCKET, fault: { kind: 'silent_socket', afterFrames: 2 } });
		const [silent, healthy] = [await connect(), await connect()];
		const jobId = await v1.started(picture());
		await until(() => hasEnded(healthy, jobId));
		const [pings, heard] = [silent.pings, healthy.pings];
		silent.socket.ping();
		healthy.socket.ping();
		silent.socket.close();
		await until(() => healthy.pings > heard + 2 && healthy.pongs === 1);
		expect([silent.text.length, silent.pings - pings, silent.pongs, silent.closed]).toEqual([2, 0, 0, null]);
		expect(sandbox.sockets()).toHaveLength(2);
	});

	test('silent_socket without a number of frames sends not even the first status', async () => {
		sandbox.inject({ on: ON_SOCKET, fault: { kind: 'silent_socket' } });
		const heard = await connect();
		await sleep(30);
		expect([heard.text.length, sandbox.sockets()[0]?.framesSent]).toEqual([0, 0]);
	});

	test('garbage_socket sends malformed and unknown frames, and the run goes on', async () => {
		sandbox.inject({ on: ON_SOCKET, fault: { kind: 'garbage_socket', afterFrames: 1 } });
		const heard = await connect();
		const jobId = await v1.started(picture());
		await until(() => hasEnded(heard, jobId));
		const malformed = heard.text.filter((text) => {
			try {
				JSON.parse(text);
				return false;
			} catch {
				return true;
			}
		});
		expect([malformed.length, malformed[0], heard.closed]).toEqual([2, heard.text[1], null]);
		const types = heard.binary.map((frame) => (frame.byteLength < 4 ? null : frame.readUInt32BE(0)));
		expect(types).toEqual(expect.arrayContaining([null, 1, 3, 4, 99]));
	});

	test('oversized_frame sends a frame of the size that it names', async () => {
		const fault = { kind: 'oversized_frame', bytes: 200_000, afterFrames: 1 } as const;
		sandbox.inject({ on: ON_SOCKET, times: 2, fault });
		const [limited, patient] = [await connect({ maxPayload: 100_000 }), await connect()];
		await until(() => limited.closed !== null && patient.binary.length === 1);
		expect([limited.errorCode, limited.text.length]).toEqual(['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1]);
		expect(patient.binary.map(({ byteLength }) => byteLength)).toEqual([200_000]);
	});
});

describe('controls', () => {
	test('dropSockets destroys connections, and a new connection hears the rest of a run', async () => {
		const heard = await connect();
		const jobId = await v1.started(slowPicture(1000));
		await until(() => heard.text.some((text) => text.includes('"progress"')));
		sandbox.dropSockets('hosted');
		await until(() => heard.closed === 1006);
		const again = await connect();
		await v1.call('POST', '/api/interrupt');
		await until(() => hasEnded(again, jobId));
		expect(again.text.filter((text) => text.includes('execution_start'))).toEqual([]);
	});

	test('sendFrame sends text and bytes unchanged to the sockets of a surface', async () => {
		const [one, two] = [await connect(), await connect({ token: sandbox.keys.otherApiKey })];
		sandbox.sendFrame('{"type":"made_up"}');
		sandbox.sendFrame(Buffer.from([0, 0, 0, 7]), 'hosted');
		sandbox.sendFrame('elsewhere', 'deployment');
		for (const heard of [one, two]) {
			await until(() => heard.binary.length === 1);
			expect([heard.text.slice(1), heard.binary]).toEqual([['{"type":"made_up"}'], [Buffer.from([0, 0, 0, 7])]]);
		}
		const sockets = sandbox.sockets().map(({ account, framesSent }) => [account, framesSent]);
		expect(sockets).toEqual(['main', 'other'].map((account) => [account, 3]));
	});
});
