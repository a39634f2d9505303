import { deflateSync, gzipSync } from 'node:zlib';
import { answer } from '../proxy/strangers';
import { type Fault, OF_JSON, type Seen, type Wire, WITH_BODY } from '../shapes';

const coded = (name: string, seen: Seen, coding: string, encode: (body: Buffer) => Buffer, on: readonly Wire[] = WITH_BODY): Fault => ({
	name,
	family: 'coding',
	on,
	delivery: 'whole',
	seen,
	strike: async (exchange) => {
		const { status, headers, body } = await exchange.deliver();
		answer(exchange, { status, headers: { ...headers, 'content-encoding': coding }, body: encode(body) });
	},
});

/** Its first block is of a kind that there is not. */
const damaged = (body: Buffer): Buffer => {
	const encoded = gzipSync(body);
	encoded[10] = 0xff;
	return encoded;
};

/** Of the checksum and length, and of what surely holds some of the body. */
const MORE_THAN_ITS_END = 12;

const same = (body: Buffer): Buffer => body;

/** Bodies in a coding that was not requested. */
export const codings: readonly Fault[] = [
	coded('gzip unasked', 'fine', 'gzip', gzipSync),
	coded('x-gzip unasked', 'fine', 'X-GZIP', gzipSync),
	coded('deflate unasked', 'fine', 'deflate', deflateSync),
	coded('gzip twice', 'fine', 'gzip, gzip', (body) => gzipSync(gzipSync(body))),
	coded('gzip damaged', 'broken', 'gzip', damaged),
	coded('gzip cut short', 'cut', 'gzip', (body) => gzipSync(body).subarray(0, -MORE_THAN_ITS_END)),
	coded('gzip that is none', 'broken', 'gzip', same),
	coded('brotli that is none', 'broken', 'br', () => Buffer.from('{"job": "not brotli at all"}')),
	coded('coding that is unknown, and not there', 'fine', 'x-unheard-of', same),
	coded('coding that is unknown', 'no json', 'zstd', (body) => Buffer.concat([Buffer.from('28b52ffd', 'hex'), body]), OF_JSON),
	coded('identity said', 'fine', 'identity', same),
];
