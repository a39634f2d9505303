import { answer, headOf, sizedHead } from '../proxy/strangers';
import { ANSWERED, type Fault, type RawAnswer, type Seen, WITH_BODY } from '../shapes';
import { refusal } from './refusals';

const headed = (name: string, seen: Seen, bytes: (answer: RawAnswer) => Array<string | Uint8Array>, rest: Partial<Fault> = {}): Fault => ({
	name,
	family: 'head',
	on: ANSWERED,
	delivery: 'whole',
	seen,
	strike: async ({ deliver, socket, method }) => {
		const got = await deliver();
		for (const piece of bytes(method === 'HEAD' ? { ...got, body: Buffer.alloc(0) } : got)) socket.write(piece);
	},
	...rest,
});

/** The true answer, with these headers as well. */
const withHeaders = (name: string, seen: Seen, headers: Record<string, string | string[]>): Fault =>
	headed(name, seen, (got) => [sizedHead(got, headers), got.body]);

/** The true answer, with its head rewritten. */
const rewritten = (name: string, seen: Seen, change: (head: string) => string): Fault =>
	headed(name, seen, (got) => [change(sizedHead(got)), got.body]);

const closing = (name: string, version: string): Fault =>
	headed(name, 'fine', ({ status, headers, body }) => [headOf(status, headers).replace('HTTP/1.1', version), body], { on: WITH_BODY });

const thenEnds = (fault: Fault, how: 'end' | 'resetAndDestroy'): Fault => ({
	...fault,
	strike: async (exchange) => {
		await fault.strike(exchange);
		if (how === 'resetAndDestroy') await exchange.noticed();
		exchange.socket[how]();
	},
});

/** Heads beyond measure or use, answers out of their order, and what comes before and after one. */
export const heads: readonly Fault[] = [
	withHeaders('header of 1 MB', 'lost', { 'x-large': 'a'.repeat(1024 * 1024) }),
	withHeaders('300 headers', 'fine', Object.fromEntries(Array.from({ length: 300 }, (_, place) => [`x-${place}`, 'y']))),
	withHeaders('cookies', 'fine', { 'set-cookie': ['one=1; Path=/', 'two=2; Path=/'] }),
	rewritten('header with a NUL', 'lost', (head) => head.replace('\r\n', '\r\nx-odd: a\0b\r\n')),
	rewritten('no reason beside the status', 'fine', (head) => head.replace(/^(HTTP\/1\.1 \d+) [^\r]*/, '$1')),
	rewritten('another protocol', 'lost', (head) => head.replace('HTTP/1.1', 'ICY')),
	thenEnds(closing('HTTP/1.0 without a length', 'HTTP/1.0'), 'end'),
	thenEnds(closing('HTTP/1.1 without a length', 'HTTP/1.1'), 'end'),
	thenEnds(withHeaders('answer, then closed unsaid', 'fine', {}), 'end'),
	thenEnds(withHeaders('answer, then closed as said', 'fine', { connection: 'close' }), 'end'),
	headed('answer twice', 'fine', (got) => [sizedHead(got), got.body, sizedHead(got), got.body]),
	headed('answer, then garbage', 'fine', (got) => [sizedHead(got), got.body, 'more \0 and more']),
	headed('103 before the answer', 'fine', (got) => [headOf(103, { link: '</style.css>; rel=preload' }), sizedHead(got), got.body]),
	// undici treats an unexpected 100 as a malformed answer.
	headed('100 before the answer', 'lost', (got) => [headOf(100), sizedHead(got), got.body]),
	...(
		[
			[413, 'payload_too_large'],
			[503, 'service_unavailable'],
		] as const
	).map(([status, code]): Fault => ({
		name: `${status} before the body is read`,
		family: 'head',
		on: ANSWERED,
		needsBody: true,
		delivery: 'nothing',
		seen: { status, code },
		strike: async (exchange) => {
			answer(exchange, refusal(status, code, { connection: 'close' }));
			exchange.socket.end();
		},
	})),
];
