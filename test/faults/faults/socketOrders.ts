import type { Exchange, Fault, Seen } from '../shapes';
import { type Change, noMore, relaySocket, reset } from './relay';
import { frame, json, OPCODE, opcodeOf } from './webSocketFrames';

const order = (name: string, seen: Seen, change: Change<Buffer>): Fault => ({
	name,
	family: 'order',
	on: ['socket'],
	delivery: 'whole',
	seen,
	strike: async (exchange) => await relaySocket(exchange, change),
});

const isNews = (bytes: Buffer): boolean => [OPCODE.text, OPCODE.binary].some((opcode) => opcode === opcodeOf(bytes));
const isEnd = (bytes: Buffer): boolean => bytes.includes('"execution_success"');
const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.ceil(bytes.length / 2));

const ID_IN_FRAME = /(?<="prompt_id":\s?")[^"]+/;
const promptIn = (bytes: Buffer): string | undefined => ID_IN_FRAME.exec(bytes.toString('latin1'))?.[0];

/** Each of the service's frames becomes these. */
const each = (name: string, become: (one: Buffer) => Buffer[]): Fault =>
	order(name, 'fine', async function* (frames) {
		for await (const one of frames) yield* isNews(one) ? become(one) : [one];
	});

/** So many pass; what happens then ends the story. */
const after = (name: string, seen: Seen, count: number, end: (next: Buffer, exchange: Exchange) => AsyncIterable<Buffer>): Fault =>
	order(name, seen, async function* (frames, exchange) {
		let passed = 0;
		for await (const one of frames) {
			if (passed >= count) return yield* end(one, exchange);
			yield one;
			passed += 1;
		}
	});

const silence = (_: unknown, { over }: Exchange): AsyncIterable<Buffer> => noMore(async () => await over);

/** What is said of a job before the first that the service says of it. */
const ahead = (name: string, said: (promptId: string) => Buffer[]): Fault =>
	order(name, 'fine', async function* (frames) {
		const told = new Set<string>();
		for await (const one of frames) {
			const promptId = promptIn(one);
			if (promptId !== undefined && !told.has(promptId)) {
				told.add(promptId);
				yield* said(promptId);
			}
			yield one;
		}
	});

const aboutJob = (type: string, prompt_id: string, more: object = {}): Buffer => json({ type, data: { prompt_id, ...more } });

/** The right frames, but too few, too many, too late, or in a wrong order. */
export const orders: readonly Fault[] = [
	each('each frame twice', (one) => [one, one]),
	each('each frame five times', (one) => [one, one, one, one, one]),
	each('each frame with a ping behind it', (one) => [one, frame(OPCODE.ping)]),
	each('frames of another job in place of one’s own', (one) => [
		Buffer.from(
			one.toString('latin1').replace(ID_IN_FRAME, (id) => id.replace(/[0-9a-f]/g, (digit) => (digit === '0' ? '1' : '0'))),
			'latin1',
		),
	]),
	each('frames of another job beside one’s own', (one) => [
		one,
		json({ type: 'execution_error', data: { prompt_id: 'of-another', node_id: '1', exception_message: 'Not yours' } }),
	]),
	each('frames without a job', (one) => (promptIn(one) === undefined ? [one] : [])),
	each('every frame but the end', (one) => (isEnd(one) ? [] : [one])),
	each('the frame of the end twice', (one) => (isEnd(one) ? [one, one] : [one])),
	each('the end, and then that it begins', (one) =>
		isEnd(one) ? [one, aboutJob('execution_start', promptIn(one) ?? ''), aboutJob('executing', promptIn(one) ?? '', { node: '1' })] : [one],
	),
	each('the end, and then that it failed', (one) =>
		isEnd(one) ? [one, aboutJob('execution_error', promptIn(one) ?? '', { exception_message: 'No' })] : [one],
	),
	each('nothing but the end', (one) => (isEnd(one) ? [one] : [])),
	each('nothing but the queue', (one) => (one.includes('"queue_remaining"') ? [one] : [])),
	each('no news at all, while pings are answered', () => []),
	ahead('the end before the beginning', (id) => [aboutJob('execution_success', id)]),
	ahead('a failure before the beginning', (id) => [aboutJob('execution_error', id, { exception_message: 'No' })]),
	ahead('an interruption before the beginning', (id) => [aboutJob('execution_interrupted', id)]),
	ahead('all of its progress before the beginning', (id) => [
		aboutJob('progress_state', id, {
			nodes: { '1': { value: 1, max: 1, state: 'finished' }, '2': { value: 1, max: 1, state: 'finished' } },
		}),
	]),
	ahead('outputs that it does not have', (id) => [
		aboutJob('executed', id, { node: '99', output: { images: [{ filename: 'none.png', subfolder: '', type: 'output' }] } }),
	]),
	ahead('10,000 nodes that it does not have', (id) =>
		Array.from({ length: 10_000 }, (_, node) => aboutJob('executing', id, { node: `ghost-${node}` })),
	),
	order('frames in pairs, the second first', 'fine', async function* (frames) {
		let held: Buffer | undefined;
		for await (const one of frames) {
			if (!isNews(one)) yield one;
			else if (held === undefined) held = one;
			else {
				yield one;
				yield held;
				held = undefined;
			}
		}
	}),
	order('all frames at the end, the last first', 'fine', async function* (frames) {
		const held: Buffer[] = [];
		for await (const one of frames) {
			if (!isNews(one)) yield one;
			else held.unshift(one);
			if (isEnd(one)) yield* held.splice(0);
		}
	}),
	order('every other frame', 'fine', async function* (frames) {
		let count = 0;
		for await (const one of frames) if (!isNews(one) || count++ % 2 === 0) yield one;
	}),
	order('frames byte by byte', 'fine', async function* (frames) {
		for await (const one of frames) {
			for (const byte of one) {
				yield Buffer.from([byte]);
				await new Promise((resolve) => setImmediate(resolve));
			}
		}
	}),
	after('silence after the upgrade', 'silent', 0, silence),
	...[1, 3, 6].map((count) => after(`silence after ${count} frames`, 'silent', count, silence)),
	...[1, 3, 6].map((count) => after(`reset after ${count} frames`, 'lost', count, reset)),
	...[1, 3, 6].map((count) => after(`closed after ${count} frames`, 'lost', count, () => noMore())),
	...[0, 2, 5].flatMap((count) => [
		after(`silence in frame ${count + 1}`, 'silent', count, async function* (one, exchange) {
			yield half(one);
			yield* silence(one, exchange);
		}),
		after(`reset in frame ${count + 1}`, 'lost', count, async function* (one) {
			yield half(one);
			yield* reset();
		}),
		after(`closed in frame ${count + 1}`, 'lost', count, async function* (one) {
			yield half(one);
		}),
	]),
	after('fragments that are never finished', 'silent', 1, async function* (one, exchange) {
		yield frame(OPCODE.text, { isLast: false, payload: '{"type":' });
		yield* silence(one, exchange);
	}),
	after('fragments without an end', 'silent', 1, async function* () {
		yield frame(OPCODE.text, { isLast: false, payload: '{"type":"' });
		for (;;) {
			yield frame(OPCODE.continuation, { isLast: false, payload: 'x' });
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}),
	after('pings without an end, and nothing else', 'silent', 1, async function* () {
		for (;;) {
			yield frame(OPCODE.ping);
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	}),
	order('a farewell that is never answered', 'fine', async function* (frames, { over }) {
		for await (const one of frames) if (opcodeOf(one) !== OPCODE.close) yield one;
		await over;
	}),
];
