import { headOf } from '../proxy/rawAnswers';
import type { Exchange, Fault } from '../shapes';
import { ANSWERED, NEEDS_BODY, WITH_BODY } from './wires';

const half = (text: string): string => text.slice(0, Math.floor(text.length / 2));

const headOfAnswer = async (exchange: Exchange): Promise<{ head: string; body: Buffer }> => {
	const { status, headers, body } = await exchange.deliver();
	return { head: headOf(status, { ...headers, 'content-length': String(body.length) }), body };
};

/** Connections that are reset, and some that are closed, around one request. */
export const resets: readonly Fault[] = [
	{
		name: 'reset after the request head',
		family: 'reset',
		on: ANSWERED,
		delivery: 'nothing',
		seen: 'lost',
		strike: async ({ socket }) => void socket.resetAndDestroy(),
	},
	{
		name: 'reset in the request body',
		family: 'reset',
		on: ANSWERED,
		...NEEDS_BODY,
		delivery: 'nothing',
		seen: 'lost',
		strike: async ({ socket, begun }) => {
			await begun();
			socket.resetAndDestroy();
		},
	},
	{
		name: 'reset after the request, undelivered',
		family: 'reset',
		on: ANSWERED,
		delivery: 'nothing',
		seen: 'lost',
		strike: async ({ socket, received }) => {
			await received();
			socket.resetAndDestroy();
		},
	},
	{
		name: 'reset after the request, delivered',
		family: 'reset',
		on: ANSWERED,
		delivery: 'whole',
		seen: 'lost',
		strike: async ({ socket, deliver }) => {
			await deliver();
			socket.resetAndDestroy();
		},
	},
	{
		name: 'reset within the answer head',
		family: 'reset',
		on: ANSWERED,
		delivery: 'whole',
		seen: 'lost',
		strike: async (exchange) => {
			const { head } = await headOfAnswer(exchange);
			exchange.socket.write(half(head), () => exchange.socket.resetAndDestroy());
		},
	},
	{
		name: 'reset within the answer body',
		family: 'reset',
		on: WITH_BODY,
		delivery: 'whole',
		seen: 'cut',
		strike: async (exchange) => {
			const { head, body } = await headOfAnswer(exchange);
			exchange.socket.write(head);
			exchange.socket.write(body.subarray(0, body.length / 2));
			await exchange.noticed();
			exchange.socket.resetAndDestroy();
		},
	},
];
