/** Runs jobs that take a fixed time, with their streams, lists and one small file each. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { type JobCounts, type JobReport, type JobSettings, serve, sharedNow } from '../services';

const KEEP_ALIVE_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;
const LISTED = 100;
const OUTPUT = Buffer.alloc(1024, 7);

interface Job {
	id: string;
	status: 'running' | 'succeeded';
	createdAt: number;
	endedAt?: number;
	stream?: ServerResponse;
}

const jobs = new Map<string, Job>();
const counted: JobCounts = {
	submits: 0,
	rejectedSubmits: 0,
	reads: 0,
	lists: 0,
	streams: 0,
	rejectedStreams: 0,
	downloads: 0,
	mostStreams: 0,
};
let settings: JobSettings;
let open = 0;
let inFlight = 0;

function begin(id: string): Job {
	const job: Job = { id, status: 'running', createdAt: Date.now() };
	jobs.set(id, job);
	inFlight += 1;
	setTimeout(() => end(job), settings.jobMs);
	return job;
}

function end(job: Job): void {
	inFlight -= 1;
	job.status = 'succeeded';
	job.endedAt = sharedNow();
	job.stream?.end(statusEvent(job));
}

const statusEvent = ({ status }: Job): string => `event: status\ndata: ${JSON.stringify({ status, queue_position: null })}\n\n`;

function shown({ id, status, createdAt, endedAt }: Job): Record<string, unknown> {
	const at = (milliseconds: number) => new Date(milliseconds).toISOString();
	const links = { self: `/api/v2/jobs/${id}`, events: `/api/v2/jobs/${id}/events`, cancel: `/api/v2/jobs/${id}/cancel` };
	const output = {
		node_id: '9',
		name: 'a.bin',
		type: 'file',
		content_type: 'application/octet-stream',
		size_bytes: OUTPUT.length,
		id: `${id}-0`,
		hash: null,
		url: `/api/v2/assets/${id}-0/content`,
		url_expires_at: at(createdAt + 3_600_000),
	};
	return {
		id,
		status,
		created_at: at(createdAt),
		started_at: at(createdAt),
		expires_at: null,
		queue_position: null,
		progress: null,
		error: null,
		urls: links,
		completed_at: endedAt === undefined ? null : at(createdAt + settings.jobMs),
		outputs: endedAt === undefined ? [] : [output],
	};
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
	const text = JSON.stringify(body);
	response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers }).end(text);
}

const reject = (response: ServerResponse, status: number, code: string, headers?: Record<string, string>): void =>
	answer(response, status, { error: { code, message: code } }, headers);

function stream(job: Job, response: ServerResponse): void {
	if (open >= (settings.maxStreams ?? Infinity)) {
		counted.rejectedStreams += 1;
		return reject(response, 429, 'too_many_streams', { 'retry-after': String(RETRY_AFTER_SECONDS) });
	}
	counted.streams += 1;
	open += 1;
	counted.mostStreams = Math.max(counted.mostStreams, open);
	const keepAlive = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
	response.on('close', () => {
		clearInterval(keepAlive);
		open -= 1;
	});
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	job.stream = response;
	if (job.endedAt === undefined) response.write(statusEvent(job));
	else response.end(statusEvent(job));
}

function list(query: URLSearchParams, response: ServerResponse): void {
	counted.lists += 1;
	if (settings.lists === 'nothing') return reject(response, 501, 'not_implemented');
	const statuses = query.get('status')?.split(',');
	const wanted = [...jobs.values()].reverse().filter(({ status }) => statuses?.includes(status) ?? true);
	answer(response, 200, { jobs: wanted.slice(0, LISTED).map(shown), truncated: wanted.length > LISTED });
}

function submit(response: ServerResponse): void {
	if (inFlight >= (settings.maxJobs ?? Infinity)) {
		counted.rejectedSubmits += 1;
		return reject(response, 429, 'queue_full', { 'retry-after': '1' });
	}
	counted.submits += 1;
	answer(response, 201, shown(begin(randomUUID())));
}

function respond(request: IncomingMessage, response: ServerResponse): void {
	const url = new URL(request.url ?? '/', 'http://localhost');
	const [, kind, id, rest] = /^\/api\/v2\/(jobs|assets)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(url.pathname) ?? [];
	if (request.method === 'POST' && kind === 'jobs' && id === undefined) {
		request.resume().on('end', () => submit(response));
		return;
	}
	if (kind === 'jobs' && id === undefined) return list(url.searchParams, response);
	if (kind === 'assets') {
		counted.downloads += 1;
		response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': OUTPUT.length }).end(OUTPUT);
		return;
	}
	const job = jobs.get(id ?? '');
	if (job === undefined) return reject(response, 404, 'job_not_found');
	if (rest === 'events') return stream(job, response);
	counted.reads += 1;
	answer(response, 200, shown(job));
}

serve(
	(asked: JobSettings) => {
		settings = asked;
		// Longer than any client pauses: a connection that closes as its next request arrives would fail that request.
		return createServer({ keepAliveTimeout: 600_000 }, respond);
	},
	({ jobId }: { jobId?: string }): { id: string } | JobReport =>
		jobId === undefined
			? { counted, endedAt: Object.fromEntries([...jobs.values()].map(({ id, endedAt = NaN }) => [id, endedAt])) }
			: { id: begin(jobId).id },
);
