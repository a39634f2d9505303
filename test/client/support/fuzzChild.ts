/**
 * A process that sends random and mutated frames through everything that takes frames: from a real socket to the
 * listeners. Reports what was thrown, and how much memory is held after some of them and after all.
 */
import { once } from 'node:events';

import type { FeedListener, JobEvent } from '../../../client';
import { isRecord } from '../../../client/decode';
import { SocketFeed } from '../../../client/comfyui/socketFeed';
import { outputDecoder } from '../../../client/comfyui/outputs';
import { badEnds, jobFrames, text } from './frames';
import { Chance } from './chance';
import { serveSockets } from './socketServer';

const MIB = 1024 * 1024;
/** As many are on their way at once. */
const BATCH = 500;

export interface FuzzOrder {
	seed: number;
	frames: number;
	firstLookAt: number;
}

export interface FuzzReport {
	thrown: string[];
	/** Held at the first look and at the end, after collection. */
	heapMib: [number, number];
	/** Kind of event → how many were reported. */
	reported: Record<string, number>;
	connects: number;
}

const MOST_JOBS = 60;
const messagesByJob = new Map<string, Array<string | Buffer>>();

/** Kept for the jobs of the moment: to make all messages of a job takes most of the time of this test. */
function messagesOf(jobId: string): Array<string | Buffer> {
	const known = messagesByJob.get(jobId);
	if (known !== undefined) return known;
	const messages = [...jobFrames(jobId), ...badEnds(jobId)];
	messagesByJob.set(jobId, messages);
	for (const oldest of messagesByJob.keys()) {
		if (messagesByJob.size <= MOST_JOBS) break;
		messagesByJob.delete(oldest);
	}
	return messages;
}

/** Jobs come and go: as time goes on others are talked of, and never more than fifty at once. */
function messageAt(at: number, chance: Chance): string | Buffer {
	const jobId = `job-${Math.floor(at / 20) + chance.below(50)}`;
	const kind = chance.below(10);
	if (kind === 0) return chance.bytes(chance.below(400));
	if (kind === 1)
		return text(chance.oneOf(['executing', 'progress', 'progress_state', 'executed', 'status', 'constructor']), chance.json(4));
	const message = chance.oneOf(messagesOf(jobId));
	if (kind < 6) return message;
	return typeof message === 'string' ? chance.mutated(Buffer.from(message)).toString('utf8') : chance.mutated(message);
}

/** A mistake of our own, that was caught so that nothing worse comes of it. */
const isCaught = (event: JobEvent): boolean =>
	event.kind === 'other' && isRecord(event.data) && / is (unusable|unreadable)$/.test(String(event.data.reason));

const heapMib = async (): Promise<number> => {
	for (let round = 0; round < 5; round++) {
		await new Promise((resolve) => setTimeout(resolve, 20));
		global.gc?.();
	}
	return process.memoryUsage().heapUsed / MIB;
};

async function main({ seed, frames, firstLookAt }: FuzzOrder): Promise<FuzzReport> {
	const thrown: string[] = [];
	for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, (error) => thrown.push(String(error)));
	const reported: Record<string, number> = {};
	let connects = 0;
	const listener: FeedListener = {
		onConnect: () => (connects += 1),
		onEvent: (event) => {
			reported[event.kind] = (reported[event.kind] ?? 0) + 1;
			if (isCaught(event)) thrown.push(JSON.stringify(event));
		},
		onTrouble: (error) => thrown.push(String(error)),
	};
	const server = await serveSockets();
	const feed = new SocketFeed({
		url: () => server.url,
		decodeOutputs: outputDecoder(
			({ filename }) => filename,
			({ filename }) => filename,
		),
		readError: async () => new Error('refused'),
		onOpen: () => undefined,
		closed: new AbortController().signal,
	});
	const stop = new AbortController();
	const following = feed.follow(listener, stop.signal);
	while (!server.sockets[0]) await new Promise((resolve) => setTimeout(resolve, 5));
	const socket = server.sockets[0];
	const chance = new Chance(seed);

	const send = async (from: number, to: number): Promise<void> => {
		for (let at = from; at < to; at += BATCH) {
			for (let one = at; one < Math.min(at + BATCH, to); one++) socket.send(messageAt(one, chance));
			// The answer comes once all before it has been taken in.
			socket.ping();
			await once(socket, 'pong');
		}
	};
	await send(0, firstLookAt);
	const early = await heapMib();
	await send(firstLookAt, frames);
	const late = await heapMib();
	stop.abort();
	await following;
	await server.close();
	return { thrown, heapMib: [early, late], reported, connects };
}

void main(JSON.parse(process.argv[2] ?? '') as FuzzOrder).then((report) => process.stdout.write(JSON.stringify(report)));
