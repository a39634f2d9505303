import { randomBytes } from 'node:crypto';

import type { Fault, Seen } from '../shapes';
import { binary, close, frame, json, OPCODE, relaySocket, text } from './relay';

const MIB = 1024 * 1024;
const LONGEST_PAYLOAD_MIB = 32;
const CONTROL_LIMIT = 125;

/** Among the service's own, behind the first of them. */
const among = (name: string, seen: Seen, bytes: () => Buffer): Fault => ({
	name,
	family: 'frames',
	on: ['socket'],
	delivery: 'whole',
	seen,
	strike: async (exchange) =>
		await relaySocket(exchange, async function* (frames) {
			let isFirst = true;
			for await (const one of frames) {
				yield one;
				if (isFirst) yield bytes();
				isFirst = false;
			}
		}),
});

/** No caller may go on after it. */
const illegal = (name: string, bytes: () => Buffer): Fault => among(name, 'broken', bytes);
/** It says nothing, and breaks nothing. */
const empty = (name: string, bytes: () => Buffer): Fault => among(name, 'fine', bytes);

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const ofNobody = { prompt_id: '00000000-0000-4000-8000-000000000000' };

const LONE_SURROGATE = '{"type":"notification","data":{"value":"\\ud800"}}';
const PROTO =
	'{"type":"executed","data":{"prompt_id":"__proto__","node":"__proto__","output":{"__proto__":{"images":[{"filename":"a.png"}]},"constructor":{"prototype":{"polluted":true}}}}}';

/** Frames that must not be, or mean nothing. */
export const frames: readonly Fault[] = [
	...[3, 7].map((opcode) => illegal(`frame of reserved opcode ${opcode}`, () => frame(opcode, { payload: 'x' }))),
	illegal('control frame of reserved opcode 11', () => frame(11)),
	...[4, 2, 1].map((reserved) => illegal(`frame with reserved bits ${reserved}`, () => frame(OPCODE.text, { reserved, payload: '{}' }))),
	illegal('ping with reserved bits', () => frame(OPCODE.ping, { reserved: 4 })),
	illegal('frame masked by the server', () => frame(OPCODE.text, { isMasked: true, payload: '{}' })),
	illegal('control frame in fragments', () => frame(OPCODE.ping, { isLast: false })),
	illegal('control frame too long', () => frame(OPCODE.ping, { payload: Buffer.alloc(CONTROL_LIMIT + 1) })),
	illegal('frame of 2^63 bytes', () => frame(OPCODE.text, { length: 2n ** 63n })),
	illegal('frame of 2^53 bytes', () => frame(OPCODE.binary, { length: 2n ** 53n })),
	illegal('frame beyond the limit', () => frame(OPCODE.binary, { length: BigInt(LONGEST_PAYLOAD_MIB * MIB + 1) })),
	illegal('fragments beyond the limit', () =>
		Buffer.concat([
			frame(OPCODE.binary, { isLast: false, payload: Buffer.alloc(MIB) }),
			...Array.from({ length: LONGEST_PAYLOAD_MIB }, () => frame(OPCODE.continuation, { isLast: false, payload: Buffer.alloc(MIB) })),
		]),
	),
	illegal('continuation without a start', () => frame(OPCODE.continuation, { payload: 'x' })),
	illegal('fragments that another frame interrupts', () => frame(OPCODE.text, { isLast: false, payload: '{"type":' })),
	...[999, 1004, 1005, 1006, 1016, 2999, 5000].map((code) => illegal(`close with the illegal code ${code}`, () => close(code))),
	illegal('close with half a code', () => frame(OPCODE.close, { payload: Buffer.from([3]) })),
	illegal('close with a reason that is no text', () => close(1000, Buffer.from([0xff, 0xfe]))),
	illegal('close with a reason too long', () => close(1000, 'x'.repeat(CONTROL_LIMIT))),
	...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 4000, 4001, 4999].map((code) =>
		among(`close with code ${code}`, 'lost', () => close(code, 'Because')),
	),
	among('close without a code', 'lost', () => frame(OPCODE.close)),
	among('close twice', 'lost', () => Buffer.concat([close(1000), close(1000)])),

	empty('text that is no UTF-8', () => text(Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x7d]))),
	empty('text that is empty', () => text('')),
	empty('text that is no JSON', () => text('pong')),
	empty('text that is half a JSON', () => text('{"type":"execution_success","data":{"prompt_id":"')),
	empty('text that is a web page', () => text('<!doctype html><html></html>')),
	empty('frame of JSON: null', () => text('null')),
	empty('frame of JSON: a number', () => text('1e999')),
	empty('frame of JSON: a text', () => json('execution_success')),
	empty('frame of JSON: a list', () => json([{ type: 'execution_success', data: ofNobody }])),
	empty('frame of JSON: nothing in it', () => json({})),
	empty('frame of JSON: nested 100,000 deep', () => text(nested(100_000))),
	empty('frame of JSON: nested 200 deep', () => text(`{"type":"x","data":${nested(200)}}`)),
	empty('frame of JSON: of 8 MB', () => json({ type: 'notification', data: { value: 'x'.repeat(8 * MIB) } })),
	empty('frame of JSON: lone surrogate', () => text(LONE_SURROGATE)),
	empty('frame of JSON: __proto__', () => text(PROTO)),
	empty('frame of JSON: type __proto__', () => text('{"type":"__proto__","data":{"prompt_id":"toString"}}')),
	empty('frame of JSON: type that is no text', () => json({ type: { a: 1 }, data: ofNobody })),
	empty('frame of JSON: type that is new', () => json({ type: 'from_the_future', data: ofNobody })),
	empty('frame of JSON: no data', () => json({ type: 'execution_success' })),
	empty('frame of JSON: data null', () => json({ type: 'execution_success', data: null })),
	empty('frame of JSON: data a list', () => json({ type: 'progress_state', data: [] })),
	empty('frame of JSON: no prompt', () => json({ type: 'execution_success', data: {} })),
	empty('frame of JSON: ids of other kinds', () => json({ type: 'executing', data: { prompt_id: ['a'], node: { a: 1 } } })),
	empty('frame of JSON: an id of 1 MB', () => json({ type: 'execution_start', data: { prompt_id: 'x'.repeat(MIB) } })),
	empty('frame of JSON: progress beyond its end', () => json({ type: 'progress', data: { value: 9e15, max: 1, node: '1' } })),
	empty('frame of JSON: progress below nothing', () => json({ type: 'progress', data: { value: -5, max: 0, node: '1' } })),
	empty('frame of JSON: progress in words', () => json({ type: 'progress', data: { value: 'half', max: 'all', node: '1' } })),
	empty('frame of JSON: status in words', () => json({ type: 'status', data: { status: 'fine' } })),
	empty('frame of JSON: outputs that are none', () =>
		json({ type: 'executed', data: { ...ofNobody, node: '1', output: { images: [null, 7, { filename: null }, {}] } } }),
	),

	empty('binary that is empty', () => binary()),
	empty('binary of three bytes', () => binary(0, 0, 1)),
	empty('binary of an unknown kind', () => binary(0, 0, 0, 99, 1, 2, 3, 4)),
	empty('binary: a preview without its kind of image', () => binary(0, 0, 0, 1)),
	empty('binary: a preview without an image', () => binary(0, 0, 0, 1, 0, 0, 0, 1)),
	empty('binary: a preview of an unknown kind of image', () => binary(0, 0, 0, 1, 0, 0, 0, 77, 1, 2, 3)),
	empty('binary: metadata that point beyond the end', () => binary(0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff, 0x7b)),
	empty('binary: metadata that are no JSON', () => binary(0, 0, 0, 4, 0, 0, 0, 2, 0x7b, 0x7b, 0xff, 0xd8, 0xff)),
	empty('binary: metadata that are a list', () => binary(0, 0, 0, 4, 0, 0, 0, 2, 0x5b, 0x5d, 0xff, 0xd8, 0xff)),
	empty('binary: a text that points beyond the end', () => binary(0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff)),
	empty('binary: a text of nobody', () => binary(0, 0, 0, 3, 0, 0, 0, 0, 0xff, 0xfe)),
	empty('binary: noise', () => frame(OPCODE.binary, { payload: randomBytes(4_096) })),
	empty('binary: 8 MB of noise', () => frame(OPCODE.binary, { payload: randomBytes(8 * MIB) })),
	empty('ping with a payload', () => frame(OPCODE.ping, { payload: 'x'.repeat(CONTROL_LIMIT) })),
	empty('pong that nobody asked for', () => frame(OPCODE.pong, { payload: 'x' })),
	empty('10,000 pings', () => Buffer.concat(Array.from({ length: 10_000 }, () => frame(OPCODE.ping)))),
	empty('10,000 pongs', () => Buffer.concat(Array.from({ length: 10_000 }, () => frame(OPCODE.pong)))),
	empty('10,000 frames in a burst', () =>
		Buffer.concat(
			Array.from({ length: 10_000 }, (_, value) => json({ type: 'progress', data: { ...ofNobody, node: '1', value, max: 10_000 } })),
		),
	),
	empty('1,000 frames that are no JSON', () => Buffer.concat(Array.from({ length: 1_000 }, () => text('pong')))),
	empty('a text in 1,000 fragments', () =>
		Buffer.concat([
			frame(OPCODE.text, { isLast: false, payload: '{"type":"notification","data":{"value":"' }),
			...Array.from({ length: 1_000 }, () => frame(OPCODE.continuation, { isLast: false, payload: 'x' })),
			frame(OPCODE.continuation, { payload: '"}}' }),
		]),
	),
	empty('fragments with pings between them', () =>
		Buffer.concat([
			frame(OPCODE.text, { isLast: false, payload: '{"type":"x",' }),
			frame(OPCODE.ping),
			frame(OPCODE.continuation, { payload: '"data":{}}' }),
		]),
	),
];
