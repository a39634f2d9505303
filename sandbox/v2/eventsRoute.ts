/** `GET /jobs/{id}/events`: live events of one job as server-sent events. */
import type { OutgoingHttpHeader } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { faultOf } from '../faults';
import { metered, type MeteredResponse } from '../http/metered';
import { Refusal } from '../service/traits';
import { findJob, requireEngine, type Service } from '../service/service';
import type { Job, JobEvent } from '../service/job';
import { KEEP_ALIVE_MS } from '../socket/connections';
import { type Links, linksFor, presentOutput, presentProgress, visibleOutputs } from './present';

const SELF_HOSTED_STREAM_LIMIT = 8;
const STREAMS_RETRY_AFTER_SECONDS = 5;

export function eventsRoute(app: FastifyInstance, service: Service): void {
	let open = 0;
	app.get<{ Params: { id: string } }>('/jobs/:id/events', (request, reply) => {
		requireEngine(service);
		const job = findJob(service, request.account, request.params.id);
		const { maxStreams } = service.behaviour;
		if (open >= (maxStreams ?? (service.traits.selfHosted ? SELF_HOSTED_STREAM_LIMIT : Infinity))) {
			throw new Refusal({
				status: 429,
				code: 'too_many_streams',
				message: 'Too many open streams',
				retryAfter: STREAMS_RETRY_AFTER_SECONDS,
			});
		}
		open += 1;
		reply.hijack();
		const stream = new EventStream(metered(reply), reply.getHeaders());
		const stopListening = follow(job, service, request, stream);
		stream.onClose(() => {
			stopListening();
			open -= 1;
		});
	});
}

/** Sends the state of the job, then its events until it has ended. @returns a function that stops it. */
function follow(job: Job, service: Service, request: FastifyRequest, stream: EventStream): () => void {
	const links = linksFor(service, request);
	sendStatus(job, service, stream);
	const progress = presentProgress(job, service.traits.selfHosted);
	if (progress !== null) stream.send('progress', progress);
	if (job.preview !== null && !job.isTerminal) sendEvent({ kind: 'preview', preview: job.preview }, job, service, links, stream);
	const end = (): void => {
		sendFinalOutputs(job, service, links, stream);
		stream.end();
	};
	if (job.isTerminal) {
		end();
		return () => undefined;
	}
	if (faultOf(request, 'missed_end') !== undefined) {
		const timer = setInterval(() => {
			if (!job.isTerminal) return;
			clearInterval(timer);
			sendStatus(job, service, stream);
			end();
		}, KEEP_ALIVE_MS);
		return () => clearInterval(timer);
	}
	return job.onEvent((news) => {
		sendEvent(news, job, service, links, stream);
		if (news.kind === 'status' && job.isTerminal) end();
	});
}

function sendEvent(news: JobEvent, job: Job, service: Service, links: Links, stream: EventStream): void {
	switch (news.kind) {
		case 'status':
			// The proxy sends a status only at the start and at the end of a stream.
			if (!service.traits.selfHosted || job.isTerminal) sendStatus(job, service, stream);
			return;
		case 'progress':
			return stream.send('progress', news.progress);
		case 'preview': {
			const { nodeId, contentType, data } = news.preview;
			return stream.send('preview', { node_id: nodeId, content_type: contentType, data_base64: Buffer.from(data).toString('base64') });
		}
		case 'output':
			if (!service.traits.selfHosted) stream.send('output', presentOutput(news.output, job, service, links));
	}
}

const sendStatus = (job: Job, { runner }: Service, stream: EventStream): void =>
	stream.send('status', { status: job.status, queue_position: runner.positionOf(job) });

/** The proxy reads outputs from the engine's history, after it has sent the final status. */
function sendFinalOutputs(job: Job, service: Service, links: Links, stream: EventStream): void {
	if (!service.traits.selfHosted) return;
	for (const output of visibleOutputs(job, service)) stream.send('output', presentOutput(output, job, service, links));
}

/** Writes server-sent events: a name and one line of JSON each, and comments as keep-alives. */
class EventStream {
	readonly #keepAlive: NodeJS.Timeout;

	constructor(
		private readonly response: MeteredResponse,
		headers: Record<string, OutgoingHttpHeader | undefined>,
	) {
		response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
		this.#keepAlive = setInterval(() => this.#write(': keep-alive\n\n'), KEEP_ALIVE_MS);
		this.onClose(() => clearInterval(this.#keepAlive));
	}

	send(event: string, data: unknown): void {
		this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
	}

	end(): void {
		this.response.end();
	}

	onClose(listener: () => void): void {
		this.response.once('close', listener);
	}

	#write(text: string): void {
		if (!this.response.writableEnded) this.response.write(text);
	}
}
