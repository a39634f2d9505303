import { headOf } from '../proxy/rawAnswers';
import type { Exchange, Fault, RawAnswer } from '../shapes';
import { ANSWERED, OF_JSON, WITH_BODY } from './wires';

const PIECE_MS = 20;

async function drip({ socket, over }: Exchange, pieces: Iterable<string | Uint8Array>, pieceMs = PIECE_MS): Promise<void> {
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

const inPieces = (bytes: Buffer, count: number): Buffer[] => {
	const size = Math.max(1, Math.ceil(bytes.length / count));
	return Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) => bytes.subarray(place * size, (place + 1) * size));
};

const rawHead = ({ status, headers, body }: RawAnswer): string => headOf(status, { ...headers, 'content-length': String(body.length) });

const stall = (name: string, rest: Pick<Fault, 'strike'> & Partial<Fault>): Fault => ({
	name,
	family: 'stall',
	on: ANSWERED,
	delivery: 'whole',
	seen: 'silent',
	...rest,
});

/** Connections that stay, while nothing or next to nothing comes. */
export const stalls: readonly Fault[] = [
	stall('silence, undelivered', { delivery: 'nothing', strike: async ({ over }) => await over }),
	stall('silence, delivered', {
		strike: async ({ deliver, over }) => {
			await deliver();
			await over;
		},
	}),
	stall('silence within the answer head', {
		strike: async (exchange) => {
			const head = rawHead(await exchange.deliver());
			exchange.socket.write(head.slice(0, head.length / 2));
			await exchange.over;
		},
	}),
	stall('silence before the answer body', {
		on: WITH_BODY,
		strike: async (exchange) => {
			exchange.socket.write(rawHead(await exchange.deliver()));
			await exchange.over;
		},
	}),
	stall('silence within the answer body', {
		on: WITH_BODY,
		strike: async (exchange) => {
			const got = await exchange.deliver();
			exchange.socket.write(rawHead(got));
			exchange.socket.write(got.body.subarray(0, got.body.length / 2));
			await exchange.over;
		},
	}),
	stall('endless drip of the answer head', {
		strike: async (exchange) => {
			await exchange.deliver();
			exchange.socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
			await drip(exchange, endlessly('a'));
		},
	}),
	stall('endless drip of the answer body', {
		on: OF_JSON,
		strike: async (exchange) => {
			await exchange.deliver();
			exchange.socket.write(headOf(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }));
			exchange.socket.write('1\r\n{\r\n');
			await drip(exchange, endlessly('1\r\n \r\n'));
		},
	}),
	stall('slow answer', {
		seen: 'fine',
		strike: async (exchange) => {
			const got = await exchange.deliver();
			const body = exchange.method === 'HEAD' ? [] : inPieces(got.body, 4);
			await drip(exchange, [...inPieces(Buffer.from(rawHead(got)), 4), ...body], 5);
		},
	}),
];
