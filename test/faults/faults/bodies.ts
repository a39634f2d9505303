import { answer, without } from '../proxy/strangers';
import { type Fault, OF_JSON, type RawAnswer, type Seen, WITH_BODY } from '../shapes';

const changed = (name: string, seen: Seen, change: (answer: RawAnswer) => Partial<RawAnswer>, on: Fault['on'] = OF_JSON): Fault => ({
	name,
	family: 'body',
	on,
	delivery: 'whole',
	seen,
	strike: async (exchange) => {
		const got = await exchange.deliver();
		answer(exchange, { ...got, ...change(got) });
	},
});

const ok = (body: string | Buffer, type = 'application/json') => ({
	status: 200,
	headers: { 'content-type': type },
	body: Buffer.from(body as string),
});

const LOGIN = '<!doctype html><html><body><form action="/login">Sign in to continue</form></body></html>';

/** Adds an unknown field to the answer, or to the last entry of a list. */
const withField = ({ body }: RawAnswer, value: string, name = 'x_unknown'): { body: Buffer } => ({
	body: Buffer.from(body.toString('utf8').replace(/\}(\]?)\s*$/, (_, end) => `,"${name}":${value}}${end}`)),
});

/** 200, and a body that is none, or an odd one. */
export const bodies: readonly Fault[] = [
	changed('web page', 'page', () => ok(LOGIN, 'text/html'), WITH_BODY),
	changed('web page that says it is JSON', 'page', () => ok(LOGIN)),
	changed('empty body', 'no json', () => ok('')),
	changed('words', 'no json', () => ok('OK')),
	changed('broken JSON', 'no json', () => ok('{"id": nope, "status": }')),
	changed('half JSON', 'half', ({ body }) => ({ status: 200, body: body.subarray(0, body.length / 2) })),
	changed('two JSON texts', 'no json', ({ body }) => ({ status: 200, body: Buffer.concat([body, body]) })),
	changed('JSON: null', 'other', () => ok('null')),
	changed('JSON: a list', 'other', () => ok('[]')),
	changed('JSON: nested 100,000 deep', 'other', () => ok('['.repeat(100_000) + ']'.repeat(100_000))),
	changed('unknown field nested 100,000 deep', 'fine', (got) => withField(got, '['.repeat(100_000) + ']'.repeat(100_000))),
	changed('unknown field that is no UTF-8', 'fine', (got) => {
		const { body } = withField(got, '"??"');
		const at = body.lastIndexOf('??');
		body[at] = 0xff;
		body[at + 1] = 0xc0;
		return { body };
	}),
	changed('unknown field of 1 MB', 'fine', (got) => withField(got, JSON.stringify('x'.repeat(1_000_000)))),
	changed('unknown field that is NaN', 'fine', (got) => withField(got, 'NaN')),
	changed('unknown field of 30 digits', 'fine', (got) => withField(got, '1'.repeat(30))),
	changed('unknown field __proto__', 'fine', (got) => withField(got, '{"status":"succeeded"}', '__proto__')),
	changed('byte order mark', 'fine', ({ body }) => ({ body: Buffer.concat([Buffer.from('efbbbf', 'hex'), body]) })),
	changed('JSON in UTF-16', 'no json', ({ body }) => ({ status: 200, body: Buffer.from(`\ufeff${body.toString('utf8')}`, 'utf16le') })),
	changed('JSON that says it is text', 'fine', ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } })),
	changed('JSON that says nothing', 'fine', ({ headers }) => ({ headers: without(headers, 'content-type') })),
];

export const OTHER_BYTES_OF_ITS_LENGTH = 'other bytes of the same length';

/** Only a hash of the file detects them. */
export const files: readonly Fault[] = [
	{
		...changed(
			OTHER_BYTES_OF_ITS_LENGTH,
			'fine',
			({ body }) => {
				const other = Buffer.from(body);
				const middle = other.length >> 1;
				other[middle] = (other[middle] ?? 0) ^ 0xff;
				return { body: other };
			},
			['file', 'web'],
		),
		family: 'files',
	},
];
