import type { Fault, Seen } from '../shapes';
import {
	after,
	again,
	byteByByte,
	type Change,
	each,
	ENDS,
	frame,
	halfThen,
	inPairs,
	json,
	OPCODE,
	opcodeOf,
	relaySocket,
	silence,
} from './relay';

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

const ID_IN_FRAME = /(?<="prompt_id":\s?")[^"]+/;
const promptIn = (bytes: Buffer): string | undefined => ID_IN_FRAME.exec(bytes.toString('latin1'))?.[0];

/** Each of the service's own frames becomes these. */
const mapped = (name: string, become: (one: Buffer) => Buffer[]): Fault =>
	order(
		name,
		'fine',
		each((one) => (isNews(one) ? become(one) : [one])),
	);

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
	mapped('each frame twice', (one) => [one, one]),
	mapped('frames of another job in place of one’s own', (one) => [
		Buffer.from(
			one.toString('latin1').replace(ID_IN_FRAME, (id) => id.replace(/[0-9a-f]/g, (digit) => (digit === '0' ? '1' : '0'))),
			'latin1',
		),
	]),
	mapped('frames of another job beside one’s own', (one) => [
		one,
		json({ type: 'execution_error', data: { prompt_id: 'of-another', node_id: '1', exception_message: 'Not yours' } }),
	]),
	mapped('frames without a job', (one) => (promptIn(one) === undefined ? [one] : [])),
	mapped('every frame but the end', (one) => (isEnd(one) ? [] : [one])),
	mapped('the end, and then that it begins', (one) =>
		isEnd(one) ? [one, aboutJob('execution_start', promptIn(one) ?? ''), aboutJob('executing', promptIn(one) ?? '', { node: '1' })] : [one],
	),
	mapped('the end, and then that it failed', (one) =>
		isEnd(one) ? [one, aboutJob('execution_error', promptIn(one) ?? '', { exception_message: 'No' })] : [one],
	),
	mapped('nothing but the end', (one) => (isEnd(one) ? [one] : [])),
	mapped('nothing but the queue', (one) => (one.includes('"queue_remaining"') ? [one] : [])),
	mapped('no news at all, while pings are answered', () => []),
	ahead('the end before the beginning', (id) => [aboutJob('execution_success', id)]),
	ahead('a failure before the beginning', (id) => [aboutJob('execution_error', id, { exception_message: 'No' })]),
	ahead('all of its progress before the beginning', (id) => [
		aboutJob('progress_state', id, {
			nodes: { '1': { value: 1, max: 1, state: 'finished' }, '2': { value: 1, max: 1, state: 'finished' } },
		}),
	]),
	ahead('outputs that it does not have', (id) => [
		aboutJob('executed', id, { node: '99', output: { images: [{ filename: 'none.png', subfolder: '', type: 'output' }] } }),
	]),
	order('frames in pairs, the second first', 'fine', inPairs(isNews)),
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
	order('frames byte by byte', 'fine', byteByByte),
	order('silence after the upgrade', 'silent', after<Buffer>(0, silence)),
	...ENDS.flatMap(([word, seen, end]) => [
		...[1, 6].map((count) => order(`${word} after ${count} frames`, seen, after<Buffer>(count, end))),
		order(`${word} in frame 3`, seen, after<Buffer>(2, halfThen<Buffer>(end))),
	]),
	order(
		'fragments without an end',
		'silent',
		after(1, async function* () {
			yield frame(OPCODE.text, { isLast: false, payload: '{"type":"' });
			yield* again(frame(OPCODE.continuation, { isLast: false, payload: 'x' }));
		}),
	),
	order(
		'pings without an end, and nothing else',
		'silent',
		after(1, () => again(frame(OPCODE.ping))),
	),
	order('a farewell that is never answered', 'fine', async function* (frames, { over }) {
		for await (const one of frames) if (opcodeOf(one) !== OPCODE.close) yield one;
		await over;
	}),
];
