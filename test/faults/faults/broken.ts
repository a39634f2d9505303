/** Requests and answers that are reset, closed or held before their end. */
import { headOf, sizedHead, without } from '../proxy/strangers';
import { ANSWERED, type Exchange, type Fault, OF_JSON, type RawAnswer, type Seen, WITH_BODY } from '../shapes';

const fault = (family: string, name: string, seen: Seen, strike: Fault['strike'], rest: Partial<Fault> = {}): Fault => ({
	name,
	family,
	on: ANSWERED,
	delivery: 'whole',
	seen,
	strike,
	...rest,
});

const UNDELIVERED = { delivery: 'nothing' } as const;
const half = <T extends string | Buffer>(whole: T): T => whole.slice(0, Math.floor(whole.length / 2)) as T;

const reset = (name: string, before: Fault['strike'], rest: Partial<Fault> = {}): Fault =>
	fault(
		'reset',
		name,
		'lost',
		async (exchange) => {
			await before(exchange);
			exchange.socket.resetAndDestroy();
		},
		rest,
	);

/** Connections that are reset around one request. */
export const resets: readonly Fault[] = [
	reset('reset after the request head', async () => await Promise.resolve(), UNDELIVERED),
	reset('reset in the request body', async ({ begun }) => await begun(), { ...UNDELIVERED, needsBody: true }),
	reset('reset after the request, undelivered', async ({ received }) => await received(), UNDELIVERED),
	reset('reset after the request, delivered', async ({ deliver }) => void (await deliver())),
	reset('reset within the answer head', async ({ deliver, socket }) => {
		const head = sizedHead(await deliver());
		await new Promise((resolve) => socket.write(half(head), resolve));
	}),
	reset(
		'reset within the answer body',
		async ({ deliver, socket, noticed }) => {
			const got = await deliver();
			socket.write(sizedHead(got));
			socket.write(half(got.body));
			await noticed();
		},
		{ on: WITH_BODY, seen: 'cut' },
	),
];

async function drip({ socket, over }: Exchange, pieces: Iterable<string | Uint8Array>, pieceMs = 20): Promise<void> {
	let isOver = false;
	void over.then(() => (isOver = true));
	for (const piece of pieces) {
		if (isOver || socket.destroyed) return;
		socket.write(piece);
		await new Promise((resolve) => setTimeout(resolve, pieceMs));
	}
}

function* endlessly(text: string): Generator<string> {
	for (;;) yield text;
}

const inQuarters = (bytes: Buffer): Buffer[] => {
	const size = Math.max(1, Math.ceil(bytes.length / 4));
	return Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) => bytes.subarray(place * size, (place + 1) * size));
};

/** After these bytes of the answer nothing more comes. */
const silence = (name: string, bytes: (got: RawAnswer) => Array<string | Buffer>, on: Fault['on'] = ANSWERED): Fault =>
	fault(
		'stall',
		name,
		'silent',
		async ({ deliver, socket, over }) => {
			for (const piece of bytes(await deliver())) socket.write(piece);
			await over;
		},
		{ on },
	);

/** Connections that stay, while nothing or next to nothing comes. */
export const stalls: readonly Fault[] = [
	fault('stall', 'silence, undelivered', 'silent', async ({ over }) => await over, UNDELIVERED),
	silence('silence, delivered', () => []),
	silence('silence within the answer head', (got) => [half(sizedHead(got))]),
	silence('silence before the answer body', (got) => [sizedHead(got)], WITH_BODY),
	silence('silence within the answer body', (got) => [sizedHead(got), half(got.body)], WITH_BODY),
	fault('stall', 'endless drip of the answer head', 'silent', async (exchange) => {
		await exchange.deliver();
		exchange.socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
		await drip(exchange, endlessly('a'));
	}),
	fault(
		'stall',
		'endless drip of the answer body',
		'silent',
		async (exchange) => {
			await exchange.deliver();
			exchange.socket.write(headOf(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }));
			exchange.socket.write('1\r\n{\r\n');
			await drip(exchange, endlessly('1\r\n \r\n'));
		},
		{ on: OF_JSON },
	),
	fault('stall', 'slow answer', 'fine', async (exchange) => {
		const got = await exchange.deliver();
		const body = exchange.method === 'HEAD' ? [] : inQuarters(got.body);
		await drip(exchange, [...inQuarters(Buffer.from(sizedHead(got))), ...body], 5);
	}),
];

/** The connection is closed properly after these bytes. */
const cut = (name: string, family: string, seen: Seen, on: Fault['on'], bytes: (got: RawAnswer) => Array<string | Uint8Array>): Fault =>
	fault(
		family,
		name,
		seen,
		async ({ deliver, socket }) => {
			for (const piece of bytes(await deliver())) socket.write(piece);
			socket.end();
		},
		{ on },
	);

const inHead = (name: string, end: (head: string) => number): Fault =>
	cut(name, 'cut', 'lost', ANSWERED, (got) => [sizedHead(got).slice(0, end(sizedHead(got)))]);

const inBody = (name: string, end: (length: number) => number): Fault =>
	cut(name, 'cut', 'cut', WITH_BODY, (got) => [sizedHead(got), got.body.subarray(0, end(got.body.length))]);

const ofLength = (name: string, length: string | string[], seen: Seen = 'lost', on: Fault['on'] = ANSWERED): Fault =>
	cut(name, 'length', seen, on, (got) => [sizedHead(got, { 'content-length': length }), got.body]);

const chunkOf = (bytes: Buffer): Array<string | Uint8Array> => [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n'];

const inChunks = (name: string, seen: Seen, bytes: (got: RawAnswer) => Array<string | Uint8Array>): Fault =>
	cut(name, 'chunks', seen, WITH_BODY, (got) => [
		headOf(got.status, { ...without(got.headers, 'content-length'), 'transfer-encoding': 'chunked' }),
		...bytes(got),
	]);

/** Answers that end early, whose length is wrong, or whose chunks are. */
export const cuts: readonly Fault[] = [
	fault(
		'cut',
		'closed after the request, undelivered',
		'lost',
		async ({ received, socket }) => {
			await received();
			socket.end();
		},
		UNDELIVERED,
	),
	inHead('closed after the request, delivered', () => 0),
	inHead('answer cut after its first byte', () => 1),
	inHead('answer cut in its status line', () => 12),
	inHead('answer cut in its headers', (head) => head.length / 2),
	inBody('answer cut before its body', () => 0),
	inBody('answer cut in the middle of its body', (length) => length / 2),
	inBody('answer cut before its last byte', (length) => length - 1),
	cut('answer without a length, cut', 'cut', 'half', OF_JSON, ({ status, headers, body }) => [
		headOf(status, { ...without(headers, 'content-length'), connection: 'close' }),
		half(body),
	]),

	cut('length longer than the body', 'length', 'cut', WITH_BODY, (got) => [
		sizedHead(got, { 'content-length': String(got.body.length + 10) }),
		got.body,
	]),
	cut('length shorter than the body', 'length', 'half', OF_JSON, (got) => [
		sizedHead(got, { 'content-length': String(half(got.body).length) }),
		got.body,
	]),
	...['-1', 'many', '99999999999999999999'].map((length) => ofLength(`length of ${length}`, length)),
	ofLength('two lengths', ['1', '2']),
	cut('a length beside chunks', 'length', 'lost', WITH_BODY, (got) => [
		sizedHead(got, { 'content-length': '5', 'transfer-encoding': 'chunked' }),
		...chunkOf(got.body),
		'0\r\n\r\n',
	]),

	inChunks('chunks without an end', 'cut', ({ body }) => chunkOf(half(body))),
	inChunks('chunk of no size', 'cut', ({ body }) => [...chunkOf(half(body)), 'zz\r\n']),
	inChunks('chunk larger than what comes', 'cut', ({ body }) => ['7fffffff\r\n', half(body)]),
	inChunks('chunk longer than its size', 'cut', ({ body }) => ['1\r\n', body, '\r\n0\r\n\r\n']),
	inChunks('chunks with trailers', 'fine', ({ body }) => [...chunkOf(body), '0\r\nx-after: all\r\n\r\n']),
];
