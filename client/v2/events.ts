import { createParser } from 'eventsource-parser';

import { throwIfStopped } from '../async/stoppableWait';
import type { LinkResolver } from '../requests/serviceApi';
import { toStatusEvent } from '../comfyui/followJob';
import { isRecord, numberOr, textOr, type Unchecked } from '../json/decode';
import type { V2 } from '../generated/v2';
import { isTerminal, type Job, type JobEvent } from '../ports/job';
import type { StreamOptions } from '../ports/jobService';
import { onAbort } from '../async/abort';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { LATE_READS } from '../contact/policy';
import { parseJson } from '../transport/parseJson';
import type { V2Api } from './api';
import { decodeOutput, decodeProgress } from './decode';
import { findV2Error } from './errorResponse';

/**
 * The events of a job over one connection.
 * @throws ApiError if the stream is rejected, or ends with an `error` frame that has an envelope; ConnectionError if it
 *   is lost or silent; StoppedError.
 */
export async function* readJobEvents(api: V2Api, url: URL, { signal, onOpen }: StreamOptions): AsyncGenerator<JobEvent, void, undefined> {
	const idleMs = api.limits.streamIdleMs;
	const response = await api.send({ method: 'GET', url, headers: { accept: 'text/event-stream' }, signal, idleMs });
	if (!/^text\/event-stream/i.test(response.contentType ?? '')) {
		await response.discard();
		throw response.unreadable('unexpected');
	}
	onOpen?.();
	for await (const event of readEventStream(response.chunks())) {
		const rejection = event.name === 'error' ? findV2Error(response, parseData(event.data)) : undefined;
		if (rejection !== undefined) throw rejection;
		yield decodeEvent(event, (link) => api.resolve(link, response));
	}
}

function decodeEvent({ name, data }: ServerEvent, resolve: LinkResolver): JobEvent {
	const json = parseData(data);
	if (!isRecord(json)) return { kind: 'other', name, data: json };
	switch (name) {
		case 'status': {
			const payload: Unchecked<V2['StatusEvent']> = json;
			const status = textOr(payload.status, '');
			return { kind: 'status', status, service_status: status, queue_position: numberOr(payload.queue_position, null) };
		}
		case 'progress':
			return { kind: 'progress', progress: decodeProgress(json) };
		case 'preview': {
			const payload: Unchecked<V2['PreviewEvent']> = json;
			const data = Buffer.from(textOr(payload.data_base64, ''), 'base64');
			return { kind: 'preview', node_id: textOr(payload.node_id, null), content_type: textOr(payload.content_type, 'image/png'), data };
		}
		case 'output':
			return { kind: 'output', output: decodeOutput(json, resolve) };
		case 'log': {
			const payload: Unchecked<V2['LogEvent']> = json;
			return { kind: 'log', level: textOr(payload.level, 'info'), message: textOr(payload.message, '') };
		}
		default:
			return { kind: 'other', name, data: json };
	}
}

/** A frame that is not JSON is passed on as text, because events are optional. */
function parseData(data: string): unknown {
	try {
		return parseJson(data);
	} catch {
		return data;
	}
}

/** A preview frame contains a base64 image, so the limit is generous. */
const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024;

export interface ServerEvent {
	name: string;
	data: string;
}

/** The events in a `text/event-stream` body. Comments (keep-alives) and events beyond the limit are skipped. */
export async function* readEventStream(
	chunks: AsyncIterable<Uint8Array>,
	longestEvent = MAX_EVENT_CHARACTERS,
): AsyncGenerator<ServerEvent, void, undefined> {
	const decoder = new TextDecoder();
	let events: ServerEvent[] = [];
	const parser = createParser({
		maxBufferSize: longestEvent,
		onEvent: ({ event = 'message', data }) => events.push({ name: event, data }),
		onError: ({ type }) => {
			if (type === 'max-buffer-size-exceeded') parser.reset();
		},
	});
	for await (const chunk of chunks) {
		parser.feed(decoder.decode(chunk, { stream: true }));
		const ready = events;
		events = [];
		yield* ready;
	}
}

/** The API proxy grants 8 streams at once. A service that grants more is a different one, and its streams need no check. */
const MAX_CHECKED_STREAMS = 8;

export interface EndCheckParts {
	/** Opens the stream. */
	open: (signal: AbortSignal) => AsyncIterable<JobEvent>;
	readJob: (signal: AbortSignal) => Promise<Job>;
	/** The number of open streams to the service. */
	openStreams: () => number;
	/** Ends the stream with a StoppedError. */
	signal?: AbortSignal;
}

/**
 * Returns the events of a stream. If the stream is silent after its first status, two reads check whether the job has ended;
 * the last event is then the status that a read returned.
 * @throws as the stream does; StoppedError.
 */
export async function* withEndCheck({ open, readJob, openStreams, signal }: EndCheckParts): AsyncGenerator<JobEvent, void, undefined> {
	throwIfStopped(signal);
	const closing = new AbortController();
	const stopListening = onAbort(signal, () => closing.abort());
	const seenKinds = new Set<JobEvent['kind']>();
	let isConnected = false;
	let ended: Job | undefined;
	const check = async (): Promise<void> => {
		for (const pauseMs of LATE_READS.silentStream) {
			await delay(pauseMs, closing.signal);
			if (isConnected || openStreams() > MAX_CHECKED_STREAMS) return;
			const read = await outcomeOf(readJob(closing.signal));
			if (!read.ok || !isTerminal(read.value.status)) continue;
			ended = read.value;
			return closing.abort();
		}
	};
	try {
		for await (const event of open(closing.signal)) {
			if (seenKinds.size === 0) void outcomeOf(check());
			// The first event of each kind may show the state at the start. A second one shows that the service follows the job.
			isConnected ||= seenKinds.has(event.kind);
			seenKinds.add(event.kind);
			yield event;
		}
	} catch (error) {
		yield toEndEvent(ended, error);
	} finally {
		stopListening();
		closing.abort();
	}
}

/** Returns the end that a check found. @throws the stream's own error if there is none. */
function toEndEvent(ended: Job | undefined, streamError: unknown): JobEvent {
	if (ended === undefined) throw streamError;
	return toStatusEvent(ended);
}
