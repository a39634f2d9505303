import { headOf } from '../proxy/rawAnswers';
import type { Exchange, Fault } from '../shapes';
import { ANSWERED, NEEDS_BODY, WITH_BODY } from './wires';

const half = (text: string): string => text.slice(0, Math.floor(text.length / 2));

const headOfAnswer = async (exchange: Exchange): Promise<{ head: string; body: Buffer }> => {
	const { status, headers, body } = await exchange.deliver();
	return { head: headOf(status, { ...headers, 'content-length': String(body.length) }), body };
};

const reset = (name: string, delivery: Fault['delivery'], before: Fault['strike'], rest: Partial<Fault> = {}): Fault => ({
	name,
	family: 'reset',
	on: ANSWERED,
	delivery,
	seen: 'lost',
	strike: async (exchange) => {
		await before(exchange);
		exchange.socket.resetAndDestroy();
	},
	...rest,
});

/** Connections that are reset around one request. */
export const resets: readonly Fault[] = [
	reset('reset after the request head', 'nothing', async () => await Promise.resolve()),
	reset('reset in the request body', 'nothing', async ({ begun }) => await begun(), NEEDS_BODY),
	reset('reset after the request, undelivered', 'nothing', async ({ received }) => await received()),
	reset('reset after the request, delivered', 'whole', async ({ deliver }) => void (await deliver())),
	reset('reset within the answer head', 'whole', async (exchange) => {
		const { head } = await headOfAnswer(exchange);
		await new Promise((resolve) => exchange.socket.write(half(head), resolve));
	}),
	reset(
		'reset within the answer body',
		'whole',
		async (exchange) => {
			const { head, body } = await headOfAnswer(exchange);
			exchange.socket.write(head);
			exchange.socket.write(body.subarray(0, body.length / 2));
			await exchange.noticed();
		},
		{ on: WITH_BODY, seen: 'cut' },
	),
];
