/** Receives and sends files as fast as sockets can. */
import { openSync, readSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

import { type FileCounts, type FileSettings, serve } from '../services';

const MIB = 1024 * 1024;
const BLOCK_BYTES = 16 * MIB;
const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = '0\r\n\r\n';
const ID = '6f0dd4b2-6d66-4f6e-9d0f-4c1d1c6d6a11';
const AT = '2026-01-01T00:00:00Z';

const counts: FileCounts = { requests: 0, bodyBytes: 0 };
let settings: FileSettings;
let block: Buffer;

/** Reads the head as text; of the body, only its length and its end. */
class Request {
	readonly method: string;
	readonly path: string;
	private received = 0;
	private tail = Buffer.alloc(0);
	private readonly length: number;
	private readonly isChunked: boolean;
	readonly expectsContinue: boolean;

	constructor(head: string) {
		[this.method = '', this.path = ''] = head.split(' ');
		this.length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
		this.isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
		this.expectsContinue = /\r\nexpect: *100-continue/i.test(head);
	}

	take(bytes: Buffer): void {
		this.received += bytes.length;
		counts.bodyBytes += bytes.length;
		if (this.isChunked) this.tail = Buffer.concat([this.tail, bytes.subarray(-END_OF_CHUNKS.length)]).subarray(-END_OF_CHUNKS.length);
	}

	get isWhole(): boolean {
		return this.isChunked ? this.tail.toString('latin1') === END_OF_CHUNKS : this.received >= this.length;
	}
}

function converse(socket: Socket): void {
	let head = Buffer.alloc(0);
	let request: Request | undefined;
	socket.setNoDelay(true);
	socket.on('error', () => socket.destroy());
	socket.on('data', (bytes: Buffer) => {
		let body = bytes;
		if (request === undefined) {
			head = Buffer.concat([head, bytes]);
			const end = head.indexOf(END_OF_HEAD);
			if (end < 0) return;
			request = new Request(head.toString('latin1', 0, end));
			if (request.expectsContinue) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
			body = head.subarray(end + END_OF_HEAD.length);
			head = Buffer.alloc(0);
		}
		request.take(body);
		if (!request.isWhole) return;
		const { method, path } = request;
		request = undefined;
		counts.requests += 1;
		answer(socket, method, path);
	});
}

function answer(socket: Socket, method: string, path: string): void {
	if (method === 'HEAD') return writeHead(socket, settings.isStored ? '200 OK' : '404 Not Found', { 'content-length': 0 });
	if (path.includes('/jobs')) return writeJson(socket, job());
	if (path.endsWith('/content')) return writeFile(socket);
	writeJson(socket, asset(), method === 'POST' ? '201 Created' : '200 OK');
}

function writeHead(socket: Socket, status: string, headers: Record<string, string | number>): void {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	socket.write(`HTTP/1.1 ${[status, ...lines].join('\r\n')}\r\n\r\n`);
}

function writeJson(socket: Socket, body: unknown, status = '200 OK'): void {
	const text = JSON.stringify(body);
	writeHead(socket, status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
	socket.write(text);
}

function writeFile(socket: Socket): void {
	writeHead(socket, '200 OK', { 'content-type': 'application/octet-stream', 'content-length': settings.bytes });
	let sent = 0;
	const pump = (): void => {
		while (sent < settings.bytes) {
			const from = sent % block.length;
			const part = block.subarray(from, from + Math.min(MIB, settings.bytes - sent));
			sent += part.length;
			if (!socket.write(part)) return;
		}
		socket.off('drain', pump);
	};
	socket.on('drain', pump);
	pump();
}

const file = () => ({
	id: ID,
	hash: settings.hash,
	size_bytes: settings.bytes,
	content_type: 'application/octet-stream',
	url: `/api/v2/assets/${ID}/content`,
	url_expires_at: null,
});

const asset = () => ({
	...file(),
	file_path: 'a.bin',
	tags: [],
	created_at: AT,
	created_new: !settings.isStored,
	expires_at: null,
	job_id: null,
});

const job = () => ({
	id: ID,
	status: 'succeeded',
	created_at: AT,
	started_at: AT,
	completed_at: AT,
	expires_at: null,
	queue_position: null,
	progress: null,
	error: null,
	urls: { self: `/api/v2/jobs/${ID}`, events: `/api/v2/jobs/${ID}/events`, cancel: `/api/v2/jobs/${ID}/cancel` },
	outputs: [{ ...file(), node_id: '9', name: 'a.bin', type: 'file', job_id: ID }],
});

/** The part of the file that is sent again and again. */
function beginningOf({ path, bytes }: FileSettings): Buffer {
	const beginning = Buffer.alloc(Math.min(BLOCK_BYTES, bytes));
	readSync(openSync(path, 'r'), beginning, 0, beginning.length, 0);
	return beginning;
}

serve(
	(asked: FileSettings) => {
		settings = asked;
		block = beginningOf(settings);
		return createServer(converse);
	},
	() => counts,
);
