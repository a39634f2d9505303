import { createParser } from 'eventsource-parser';

/** A preview frame holds a base64 image: generous, yet bounded. */
const LONGEST_EVENT_CHARACTERS = 32 * 1024 * 1024;

export interface ServerEvent {
	name: string;
	data: string;
}

/** The events in a `text/event-stream` body. Comments (keep-alives) and events too long to hold are skipped. */
export async function* readEventStream(
	chunks: AsyncIterable<Uint8Array>,
	longestEvent = LONGEST_EVENT_CHARACTERS,
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
