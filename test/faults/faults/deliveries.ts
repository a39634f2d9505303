import { setTimeout as delay } from 'node:timers/promises';

import { answer } from '../proxy/rawAnswers';
import type { Exchange, Fault } from '../shapes';
import { refusal } from './refusals';
import { ANSWERED } from './wires';

const LATE_MS = 300;

/** After the caller was told that it is lost. */
const late = (name: string, seen: Fault['seen'], tell: (exchange: Exchange) => void): Fault => ({
	name,
	family: 'delivery',
	on: ANSWERED,
	delivery: 'late',
	seen,
	strike: async (exchange) => {
		await exchange.received();
		exchange.deliverLater(delay(LATE_MS));
		tell(exchange);
	},
});

const twice = (name: string, tell: 'first' | 'second' | 'neither'): Fault => ({
	name,
	family: 'delivery',
	on: ANSWERED,
	delivery: 'twice',
	seen: tell === 'neither' ? 'lost' : 'fine',
	strike: async (exchange) => {
		const answers = [await exchange.deliver(), await exchange.deliver()] as const;
		if (tell === 'neither') exchange.socket.resetAndDestroy();
		else answer(exchange, answers[tell === 'first' ? 0 : 1]);
	},
});

/** Requests that reach the service late, or twice. */
export const deliveries: readonly Fault[] = [
	late('late delivery, connection reset', 'lost', ({ socket }) => void socket.resetAndDestroy()),
	late('late delivery, 502', { status: 502, code: 'upstream_unreachable' }, (exchange) =>
		answer(exchange, refusal(502, 'upstream_unreachable')),
	),
	late('late delivery, 504', { status: 504, code: 'upstream_timeout' }, (exchange) => answer(exchange, refusal(504, 'upstream_timeout'))),
	twice('double delivery, first answer told', 'first'),
	twice('double delivery, second answer told', 'second'),
	twice('double delivery, no answer told', 'neither'),
];
