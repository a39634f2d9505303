import { headOf } from '../proxy/rawAnswers';
import type { Fault, RawAnswer, Seen } from '../shapes';
import { without } from './without';
import { ANSWERED, OF_JSON, WITH_BODY } from './wires';

const sized = ({ status, headers, body }: RawAnswer, length = String(body.length)): string =>
	headOf(status, { ...headers, 'content-length': length });

const chunked = ({ status, headers }: RawAnswer): string =>
	headOf(status, { ...without(headers, 'content-length'), 'transfer-encoding': 'chunked' });

/** The connection is closed, well and truly, after these bytes. */
const cut = (
	name: string,
	family: string,
	seen: Seen,
	on: Fault['on'],
	bytes: (answer: RawAnswer) => Array<string | Uint8Array>,
): Fault => ({
	name,
	family,
	on,
	delivery: 'whole',
	seen,
	strike: async ({ deliver, socket }) => {
		for (const piece of bytes(await deliver())) socket.write(piece);
		socket.end();
	},
});

const inHead = (name: string, end: (head: string) => number): Fault =>
	cut(name, 'cut', 'lost', ANSWERED, (answer) => [sized(answer).slice(0, end(sized(answer)))]);

const inBody = (name: string, end: (length: number) => number): Fault =>
	cut(name, 'cut', 'cut', WITH_BODY, (answer) => [sized(answer), answer.body.subarray(0, end(answer.body.length))]);

const chunkOf = (bytes: Buffer): Array<string | Uint8Array> => [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n'];
const halfOf = ({ body }: RawAnswer): Buffer => body.subarray(0, body.length / 2);

const broken = (name: string, after: string): Fault =>
	cut(name, 'chunks', 'cut', WITH_BODY, (answer) => [chunked(answer), ...chunkOf(halfOf(answer)), after]);

/** Answers that end early, whose length is wrong, or whose chunks are. */
export const cuts: readonly Fault[] = [
	{
		name: 'closed after the request, undelivered',
		family: 'cut',
		on: ANSWERED,
		delivery: 'nothing',
		seen: 'lost',
		strike: async ({ received, socket }) => {
			await received();
			socket.end();
		},
	},
	inHead('closed after the request, delivered', () => 0),
	inHead('answer cut after its first byte', () => 1),
	inHead('answer cut in its status line', () => 12),
	inHead('answer cut after its status line', (head) => head.indexOf('\r\n') + 2),
	inHead('answer cut in its headers', (head) => head.length / 2),
	inHead('answer cut before its empty line', (head) => head.length - 2),
	inBody('answer cut before its body', () => 0),
	inBody('answer cut after one byte of its body', () => 1),
	inBody('answer cut in the middle of its body', (length) => length / 2),
	inBody('answer cut before its last byte', (length) => length - 1),
	cut('answer without a length, cut', 'cut', 'half', OF_JSON, (answer) => [
		headOf(answer.status, { ...without(answer.headers, 'content-length'), connection: 'close' }),
		halfOf(answer),
	]),

	cut('length longer than the body', 'length', 'cut', WITH_BODY, (answer) => [sized(answer, String(answer.body.length + 10)), answer.body]),
	cut('length shorter than the body', 'length', 'half', OF_JSON, (answer) => [
		sized(answer, String(Math.floor(answer.body.length / 2))),
		answer.body,
	]),
	...['-1', 'many', '1e3', '0x10', '99999999999999999999', '1, 2'].map((length) =>
		cut(`length of ${length}`, 'length', 'lost', ANSWERED, (answer) => [sized(answer, length), answer.body]),
	),
	cut('two lengths', 'length', 'lost', ANSWERED, (answer) => [
		headOf(answer.status, { ...answer.headers, 'content-length': [String(answer.body.length), String(answer.body.length + 1)] }),
		answer.body,
	]),
	cut('a length beside chunks', 'length', 'lost', WITH_BODY, (answer) => [
		headOf(answer.status, { ...answer.headers, 'content-length': '5', 'transfer-encoding': 'chunked' }),
		...chunkOf(answer.body),
		'0\r\n\r\n',
	]),

	broken('chunks without an end', ''),
	broken('chunk of no size', 'zz\r\n'),
	broken('chunk of a negative size', '-5\r\nabcde\r\n'),
	cut('chunk larger than what comes', 'chunks', 'cut', WITH_BODY, (answer) => [chunked(answer), '7fffffff\r\n', halfOf(answer)]),
	cut('chunk too large for a number', 'chunks', 'cut', WITH_BODY, (answer) => [chunked(answer), 'fffffffffffffffff\r\n', halfOf(answer)]),
	broken('chunk cut in its size', '1'),
	cut('chunk longer than its size', 'chunks', 'cut', WITH_BODY, (answer) => [chunked(answer), '1\r\n', answer.body, '\r\n0\r\n\r\n']),
	cut('chunks with trailers', 'chunks', 'fine', WITH_BODY, (answer) => [
		chunked(answer),
		...chunkOf(answer.body),
		'0\r\nx-after: all\r\n\r\n',
	]),
	cut('chunks with extensions', 'chunks', 'fine', WITH_BODY, (answer) => [
		chunked(answer),
		`${answer.body.length.toString(16)};name="value"\r\n`,
		answer.body,
		'\r\n0\r\n\r\n',
	]),
];
