import { createGzip, type Gzip } from 'node:zlib';
import { headOf } from '../proxy/strangers';
import type { Exchange, Fault, Seen } from '../shapes';
import { after, again, byteByByte, type Change, each, ENDS, EVENTS_HEAD, halfThen, inPairs, relayEvents, silence } from './relay';

const MIB = 1024 * 1024;
const PAGE = '<!doctype html><html><head><title>Sign in</title></head><body></body></html>';

const fault = (name: string, family: string, seen: Seen, delivery: Fault['delivery'], strike: Fault['strike']): Fault => ({
	name,
	family,
	on: ['events'],
	delivery,
	seen,
	strike,
});

const stream = (name: string, seen: Seen, change: Change<string>, head?: string): Fault =>
	fault(name, 'events', seen, 'whole', async (exchange) => await relayEvents(exchange, change, head));

const answered = (name: string, status: number, type: string, body: string | Buffer, more: Record<string, string> = {}): Fault =>
	fault(name, 'stream refused', status === 200 ? 'other' : { status }, 'nothing', async ({ received, socket }) => {
		await received();
		const length = Buffer.byteLength(body);
		socket.write(headOf(status, { 'content-type': type, connection: 'close', 'content-length': String(length), ...more }));
		socket.end(body);
	});

const envelope = (code: string): string => JSON.stringify({ error: { code, message: 'No', details: null } });

const refused = (status: number, code: string, more: Record<string, string> = {}): Fault =>
	answered(`stream refused with ${[status, ...Object.values(more)].join(' ')}`, status, 'application/json', envelope(code), more);

/** The service's own, between other words. */
const beside = (name: string, words: string): Fault => mapped(name, (event) => [words + event]);

const mapped = (name: string, become: (event: string) => string[]): Fault => stream(name, 'fine', each(become));

/** Without what the service says. */
const instead = (name: string, seen: Seen, words: (exchange: Exchange) => AsyncIterable<string>): Fault =>
	stream(name, seen, (_, exchange) => words(exchange));

const isEnd = (event: string): boolean => /"status":\s?"(succeeded|failed|canceled)"/.test(event);
const HALF_HEAD = EVENTS_HEAD.slice(0, EVENTS_HEAD.length / 2);
const status = (word: string): string => `event: status\ndata: {"status":"${word}","queue_position":null}\n\n`;

const chunked = (text: string | Buffer): string => `${Buffer.byteLength(text).toString(16)}\r\n${String(text)}\r\n`;
const GZIP_HEAD = EVENTS_HEAD.replace(/\r\n$/, 'content-encoding: gzip\r\n\r\n');
const zipped = async (gzip: Gzip, text: string): Promise<Buffer> =>
	await new Promise((resolve) => {
		gzip.write(text);
		gzip.flush(() => resolve((gzip.read() as Buffer | null) ?? Buffer.alloc(0)));
	});
const CHUNKED_HEAD = EVENTS_HEAD.replace('connection: close', 'transfer-encoding: chunked');

/** Everything that can happen to an event stream. */
export const events: readonly Fault[] = [
	...[400, 403, 404, 410].map((code) => refused(code, 'refused')),
	refused(401, 'unauthorized'),
	refused(501, 'not_implemented'),
	refused(500, 'upstream_error'),
	refused(503, 'unavailable', { 'retry-after': '1' }),
	refused(429, 'too_many_streams'),
	refused(429, 'too_many_streams', { 'retry-after': '1' }),
	refused(429, 'too_many_streams', { 'retry-after': '86400' }),
	refused(429, 'too_many_streams', { 'retry-after': 'soon' }),
	answered('stream refused with a 502 page', 502, 'text/html', PAGE),
	answered('page in place of a stream', 200, 'text/html', PAGE),
	answered('JSON in place of a stream', 200, 'application/json', '{"status":"succeeded"}'),
	answered('page that says it is a stream', 200, 'text/event-stream', PAGE),
	answered('empty stream', 200, 'text/event-stream', ''),
	answered('nothing in place of a stream', 204, 'text/event-stream', ''),
	answered('stream that redirects to itself', 302, 'text/plain', '', { location: '' }),
	fault('stream never answered', 'stream refused', 'silent', 'nothing', async ({ over }) => await over),
	fault('reset in place of a stream', 'stream refused', 'lost', 'nothing', async ({ socket }) => void socket.resetAndDestroy()),
	fault('closed in place of a stream', 'stream refused', 'lost', 'nothing', async ({ socket }) => void socket.end()),
	fault('stream cut in its head', 'stream refused', 'lost', 'nothing', async ({ socket }) => void socket.end(HALF_HEAD)),
	fault('silence in the head of a stream', 'stream refused', 'silent', 'nothing', async ({ socket, over }) => {
		socket.write(HALF_HEAD);
		await over;
	}),

	...[0, 3].flatMap((count) =>
		ENDS.flatMap(([word, seen, end]) => [
			stream(`${word} after ${count} events`, seen, after<string>(count, end)),
			stream(`${word} in event ${count + 1}`, seen, after<string>(count, halfThen<string>(end))),
		]),
	),
	stream(
		'a line of 1 MB',
		'fine',
		after(0, async function* (event) {
			yield `event: log\ndata: ${JSON.stringify({ level: 'info', message: 'x'.repeat(MIB) })}\n\n`;
			yield event;
		}),
	),
	stream(
		'a line without an end',
		'fine',
		after(0, async function* () {
			yield 'data: ';
			yield* again('x'.repeat(64 * 1024));
		}),
	),
	instead('comments without an end, and nothing else', 'fine', () => again(': keep-alive\n\n')),
	instead('statuses that go round', 'fine', () => again(status('queued') + status('running'))),
	instead('a stream that is silent from its start', 'silent', (exchange) => silence(undefined, exchange)),
	instead('an end of a word that nobody knows', 'fine', async function* () {
		yield status('evaporated');
	}),
	mapped('every event but the end', (event) => (isEnd(event) ? [] : [event])),
	mapped('no event but the end', (event) => (isEnd(event) ? [event] : [])),
	mapped('each event twice', (event) => [event, event]),
	mapped('the end, and then that it runs', (event) => (isEnd(event) ? [event, status('running')] : [event])),
	stream('the event of the end before all others', 'fine', async function* (events) {
		yield status('succeeded');
		yield* events;
	}),
	stream('an event of failure before all others', 'fine', async function* (events) {
		yield status('failed');
		yield* events;
	}),
	stream('events in pairs, the second first', 'fine', inPairs()),
	stream('a stream byte by byte', 'fine', byteByByte),
	mapped('no empty line at its end', (event) => [isEnd(event) ? event.trimEnd() : event]),
	mapped('lines that end in all ways', (event) => [event.replace('\n', '\r\n').replace(/\n$/, '\r')]),
	mapped('fields of other names', (event) => [`colour: red\nname\n:\n${event}`]),
	beside('a retry and an id', 'retry: 86400000000\nid: 7\n'),
	beside('events of kinds that are new', 'event: from_the_future\ndata: {"a":1}\n\n'),
	beside('events without a name', 'data: {"status":"succeeded"}\n\n'),
	beside('data that is no JSON', 'event: status\ndata: succeeded\n\n'),
	beside('data that is null', 'event: progress\ndata: null\n\n'),
	beside('data of other shapes', 'event: status\ndata: {"status":{"a":1},"queue_position":"first"}\n\n'),
	beside('data with __proto__', 'event: output\ndata: {"__proto__":{"status":"succeeded"},"constructor":{"prototype":{}}}\n\n'),
	beside('data nested 10,000 deep', `event: log\ndata: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n\n`),
	beside('progress beyond its end', 'event: progress\ndata: {"value":7,"current_node":"1"}\n\n'),
	beside('previews that are no base64', 'event: preview\ndata: {"data_base64":"****","content_type":7}\n\n'),
	beside('outputs of another job', 'event: output\ndata: {"job_id":"another","name":"x.png","url":"http://127.0.0.1:9/x"}\n\n'),
	beside('an error that is no refusal', 'event: error\ndata: oops\n\n'),
	stream('10,000 events in a burst', 'fine', async function* (events) {
		yield 'event: progress\ndata: {"value":0.5}\n\n'.repeat(10_000);
		yield* events;
	}),
	...['upstream_error', 'unauthorized'].map((code) =>
		stream(
			`error of the stream: ${code}`,
			'cut',
			after<string>(1, async function* () {
				yield `event: error\ndata: ${envelope(code)}\n\n`;
			}),
		),
	),
	stream(
		'stream in gzip without asking',
		'fine',
		async function* (events) {
			const gzip = createGzip();
			for await (const event of events) yield await zipped(gzip, event);
		},
		GZIP_HEAD,
	),
	stream(
		'a stream in chunks',
		'fine',
		async function* (events) {
			for await (const event of events) yield chunked(event);
			yield '0\r\n\r\n';
		},
		CHUNKED_HEAD,
	),
	stream(
		'a stream in chunks without the last',
		'lost',
		each((event) => [chunked(event)]),
		CHUNKED_HEAD,
	),
	stream(
		'a chunk that is shorter than it says',
		'lost',
		each((event) => [`fffff\r\n${event}`]),
		CHUNKED_HEAD,
	),
	stream('a length that is too small', 'lost', (events) => events, EVENTS_HEAD.replace('connection: close', 'content-length: 20')),
	stream(
		'a content type in other letters',
		'fine',
		(events) => events,
		EVENTS_HEAD.replace('text/event-stream; charset=utf-8', 'Text/Event-Stream'),
	),
	stream('a stream in HTTP/1.0', 'fine', (events) => events, EVENTS_HEAD.replace('HTTP/1.1', 'HTTP/1.0')),
];
