/** Receives and sends one file as fast as a socket can. */
import { openSync, readSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { type FileCounts, type FileSettings, serve } from '../services';

const MIB = 1024 * 1024;
const BLOCK_BYTES = 16 * MIB;
const ID = '6f0dd4b2-6d66-4f6e-9d0f-4c1d1c6d6a11';
const AT = '2026-01-01T00:00:00Z';

const counts: FileCounts = { requests: 0, bodyBytes: 0 };
let settings: FileSettings;
let block: Buffer;

function receive(request: IncomingMessage, response: ServerResponse): void {
	request.on('data', ({ length }: Buffer) => (counts.bodyBytes += length));
	request.on('end', () => {
		counts.requests += 1;
		answer(response, request.method ?? '', request.url ?? '');
	});
}

function answer(response: ServerResponse, method: string, path: string): void {
	if (method === 'HEAD') return void response.writeHead(settings.isStored ? 200 : 404).end();
	if (path.includes('/jobs')) return sendJson(response, 200, job());
	if (path.endsWith('/content')) return sendFile(response);
	sendJson(response, method === 'POST' ? 201 : 200, asset());
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendFile(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': settings.bytes });
	let sent = 0;
	const pump = (): void => {
		while (sent < settings.bytes) {
			const from = sent % block.length;
			const part = block.subarray(from, from + Math.min(MIB, settings.bytes - sent));
			sent += part.length;
			if (!response.write(part)) return;
		}
		response.end();
	};
	response.on('drain', pump);
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
		return createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, receive);
	},
	() => counts,
);
