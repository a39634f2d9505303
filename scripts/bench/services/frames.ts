/** Sends the frames of one running job over a WebSocket, written to its socket as raw bytes: as fast as they are read, or paced. */
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { WebSocketServer } from 'ws';

import { type FrameSettings, serve } from '../services';

const JOB = '6f0dd4b2-6d66-4f6e-9d0f-4c1d1c6d6a11';
const FRAMES_A_WRITE = 200;
const TICK_MS = 10;
const [TEXT, LONG] = [0x81, 126];

let settings: FrameSettings;

function framed(text: string): Buffer {
	const payload = Buffer.from(text);
	const head =
		payload.length < LONG ? Buffer.from([TEXT, payload.length]) : Buffer.from([TEXT, LONG, payload.length >> 8, payload.length & 0xff]);
	return Buffer.concat([head, payload]);
}

const node = (id: string, value: number, max: number, state: string) => ({
	value,
	max,
	state,
	node_id: id,
	prompt_id: JOB,
	display_node_id: id,
	parent_node_id: null,
	real_node_id: id,
});

/** What ComfyUI sends at every step of a sampler: each node that has begun. */
const step = (index: number): Buffer =>
	framed(
		JSON.stringify({
			type: 'progress_state',
			data: {
				prompt_id: JOB,
				nodes: {
					'4': node('4', 1, 1, 'finished'),
					'6': node('6', 1, 1, 'finished'),
					'3': node('3', index + 1, settings.count, 'running'),
				},
			},
		}),
	);

const START = framed(JSON.stringify({ type: 'execution_start', data: { prompt_id: JOB, timestamp: 1 } }));
const END = framed(JSON.stringify({ type: 'execution_success', data: { prompt_id: JOB, timestamp: 2 } }));

/** Made before a client connects, so that the measured time does not include them. */
let writes: Buffer[];

function makeWrites(): void {
	const each = settings.perSecond === null ? FRAMES_A_WRITE : Math.max(1, Math.round((settings.perSecond * TICK_MS) / 1_000));
	writes = [START];
	for (let from = 0; from < settings.count; from += each)
		writes.push(Buffer.concat(Array.from({ length: Math.min(each, settings.count - from) }, (_, at) => step(from + at))));
	writes.push(END);
}

function sendAll(socket: Socket): void {
	let next = 0;
	const pump = (): void => {
		while (next < writes.length) if (!socket.write(writes[next++] as Buffer)) return;
		socket.off('drain', pump);
	};
	socket.on('drain', pump);
	pump();
}

function sendPaced(socket: Socket): void {
	const startedAt = performance.now();
	let next = 0;
	const timer = setInterval(() => {
		const due = Math.min(writes.length, Math.ceil((performance.now() - startedAt) / TICK_MS));
		while (next < due) socket.write(writes[next++] as Buffer);
		if (next === writes.length || socket.destroyed) clearInterval(timer);
	}, TICK_MS);
}

function accept({ socket }: IncomingMessage): void {
	if (settings.perSecond === null) sendAll(socket);
	else sendPaced(socket);
}

serve((asked: FrameSettings) => {
	settings = asked;
	makeWrites();
	const server = createServer();
	new WebSocketServer({ server }).on('connection', (_, request) => accept(request));
	return server;
});
