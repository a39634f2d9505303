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

const ofNobody = { prompt_id: '00000000-0000-4000-8000-000000000000' };

const PROTO =
	'{"type":"executed","data":{"prompt_id":"__proto__","node":"__proto__","output":{"__proto__":{"images":[{"filename":"a.png"}]},"constructor":{"prototype":{"polluted":true}}}}}';

/**
 * Frames that must not be, or mean nothing. What a frame may hold is tested at its decoder (test/client/comfyui/frames): here
 * stands one of each way in which it is dropped.
 */
export const frames: readonly Fault[] = [
	illegal('frame of reserved opcode 3', () => frame(3, { payload: 'x' })),
	illegal('frame with reserved bits 4', () => frame(OPCODE.text, { reserved: 4, payload: '{}' })),
	illegal('control frame too long', () => frame(OPCODE.ping, { payload: Buffer.alloc(CONTROL_LIMIT + 1) })),
	illegal('frame of 2^63 bytes', () => frame(OPCODE.text, { length: 2n ** 63n })),
	illegal('frame beyond the limit', () => frame(OPCODE.binary, { length: BigInt(LONGEST_PAYLOAD_MIB * MIB + 1) })),
	illegal('fragments beyond the limit', () =>
		Buffer.concat([
			frame(OPCODE.binary, { isLast: false, payload: Buffer.alloc(MIB) }),
			...Array.from({ length: LONGEST_PAYLOAD_MIB }, () => frame(OPCODE.continuation, { isLast: false, payload: Buffer.alloc(MIB) })),
		]),
	),
	illegal('continuation without a start', () => frame(OPCODE.continuation, { payload: 'x' })),
	illegal('close with the illegal code 1005', () => close(1005)),
	illegal('close with a reason that is no text', () => close(1000, Buffer.from([0xff, 0xfe]))),
	...[1000, 1001, 1011, 1012, 1013, 4000].map((code) => among(`close with code ${code}`, 'lost', () => close(code, 'Because'))),
	among('close without a code', 'lost', () => frame(OPCODE.close)),

	empty('text that is no UTF-8', () => text(Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x7d]))),
	empty('text that is half a JSON', () => text('{"type":"execution_success","data":{"prompt_id":"')),
	empty('frame of JSON: of 8 MB', () => json({ type: 'notification', data: { value: 'x'.repeat(8 * MIB) } })),
	empty('frame of JSON: __proto__', () => text(PROTO)),
	empty('frame of JSON: type that is new', () => json({ type: 'from_the_future', data: ofNobody })),
	empty('frame of JSON: no prompt', () => json({ type: 'execution_success', data: {} })),
	empty('frame of JSON: progress beyond its end', () => json({ type: 'progress', data: { value: 9e15, max: 1, node: '1' } })),
	empty('frame of JSON: status in words', () => json({ type: 'status', data: { status: 'fine' } })),
	empty('frame of JSON: outputs that are none', () =>
		json({ type: 'executed', data: { ...ofNobody, node: '1', output: { images: [null, 7, { filename: null }, {}] } } }),
	),

	empty('binary of an unknown kind', () => binary(0, 0, 0, 99, 1, 2, 3, 4)),
	empty('binary: a preview without an image', () => binary(0, 0, 0, 1, 0, 0, 0, 1)),
	empty('binary: 8 MB of noise', () => frame(OPCODE.binary, { payload: randomBytes(8 * MIB) })),
	empty('pong that nobody asked for', () => frame(OPCODE.pong, { payload: 'x' })),
	empty('10,000 pings', () => Buffer.concat(Array.from({ length: 10_000 }, () => frame(OPCODE.ping)))),
	empty('10,000 frames in a burst', () =>
		Buffer.concat(
			Array.from({ length: 10_000 }, (_, value) => json({ type: 'progress', data: { ...ofNobody, node: '1', value, max: 10_000 } })),
		),
	),
	empty('1,000 frames that are no JSON', () => Buffer.concat(Array.from({ length: 1_000 }, () => text('pong')))),
	empty('fragments with pings between them', () =>
		Buffer.concat([
			frame(OPCODE.text, { isLast: false, payload: '{"type":"x",' }),
			frame(OPCODE.ping),
			frame(OPCODE.continuation, { payload: '"data":{}}' }),
		]),
	),
];
