import type { LinkResolver } from '../api';
import type { JobEvent } from '../job';
import type { StreamOptions } from '../ports';
import { parseJson } from '../transport/parseJson';
import { readEventStream, type ServerEvent } from '../transport/eventStream';
import type { V2Api } from './api';
import { decodeOutput, decodeProgress } from './decode';
import { refusalIn } from './refusal';
import { isRecord, numberOr, textOr, type Told } from '../decode';
import type { V2 } from '../generated/v2';

/**
 * One connection's worth of a job's events.
 * @throws ApiError when the stream is refused, or ends with a frame `error` that carries an envelope; ConnectionError when it is lost or silent; StoppedError.
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
		const refusal = event.name === 'error' ? refusalIn(response, parse(event.data)) : undefined;
		if (refusal !== undefined) throw refusal;
		yield decodeEvent(event, (link) => api.resolve(link, response));
	}
}

function decodeEvent({ name, data }: ServerEvent, resolve: LinkResolver): JobEvent {
	const json = parse(data);
	if (!isRecord(json)) return { kind: 'other', name, data: json };
	switch (name) {
		case 'status': {
			const told: Told<V2['StatusEvent']> = json;
			const status = textOr(told.status, '');
			return { kind: 'status', status, service_status: status, queue_position: numberOr(told.queue_position, null) };
		}
		case 'progress':
			return { kind: 'progress', progress: decodeProgress(json) };
		case 'preview': {
			const told: Told<V2['PreviewEvent']> = json;
			const data = Buffer.from(textOr(told.data_base64, ''), 'base64');
			return { kind: 'preview', node_id: textOr(told.node_id, null), content_type: textOr(told.content_type, 'image/png'), data };
		}
		case 'output':
			return { kind: 'output', output: decodeOutput(json, resolve) };
		case 'log': {
			const told: Told<V2['LogEvent']> = json;
			return { kind: 'log', level: textOr(told.level, 'info'), message: textOr(told.message, '') };
		}
		default:
			return { kind: 'other', name, data: json };
	}
}

/** A frame that is no JSON is handed on as it is: the stream is only an ornament. */
function parse(data: string): unknown {
	try {
		return parseJson(data);
	} catch {
		return data;
	}
}
