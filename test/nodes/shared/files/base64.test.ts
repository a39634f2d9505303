import { randomBytes } from 'node:crypto';

import { readBase64File } from '../../../../nodes/shared/files/base64';
import { itemFaultOf } from '../../support/itemFault';

const MIB = 1024 * 1024;
const read = (text: string, largestBytes = 100 * MIB) => readBase64File(text, largestBytes, 'Largest File (MB)');

async function chunksOf(text: string): Promise<Uint8Array[]> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of await read(text).source.open()) chunks.push(chunk);
	return chunks;
}
const bytesIn = async (text: string): Promise<Buffer> => Buffer.concat(await chunksOf(text));

const faultOf = (text: string, largestBytes?: number) => itemFaultOf(() => read(text, largestBytes));

/** Has all characters of both alphabets. */
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 251) % 256));
const PLAIN = BYTES.toString('base64');

describe('reads the same bytes', () => {
	it.each([
		['from plain Base64', PLAIN],
		['from URL-safe Base64', BYTES.toString('base64url')],
		['without padding', PLAIN.replace(/=+$/, '')],
		['with too much padding', `${PLAIN}==`],
		['with line breaks of MIME', PLAIN.replace(/.{76}/g, '$&\r\n')],
		['with spaces and a tab', ` \t${PLAIN.replace(/.{10}/g, '$& ')}\n`],
		['from a data URL', `data:image/png;base64,${PLAIN}`],
		['from a data URL with parameters', `\n DATA:text/plain;charset=utf-8;BASE64,${PLAIN}`],
		['from a data URL without a type', `data:;base64,${PLAIN}`],
	])('%s', async (_, text) => {
		expect(await bytesIn(text)).toEqual(BYTES);
		expect(read(text).source.sizeBytes).toBe(BYTES.byteLength);
	});
});

it('decodes a large text in pieces, also if line breaks move the pieces, and can read it twice', async () => {
	const bytes = randomBytes(5 * MIB + 1);
	const text = bytes.toString('base64').replace(/.{61}/g, '$&\n');
	const chunks = await chunksOf(text);
	expect(chunks.length).toBeGreaterThan(4);
	expect(Math.max(...chunks.map(({ byteLength }) => byteLength))).toBeLessThan(1.1 * MIB);
	const { source } = read(text);
	for (let time = 0; time < 2; time++) {
		const again: Uint8Array[] = [];
		for await (const chunk of await source.open()) again.push(chunk);
		expect(Buffer.concat(again).equals(bytes)).toBe(true);
	}
});

describe('rejects', () => {
	const cases: Array<[string, string, RegExp, RegExp]> = [
		[
			'a percent sign',
			'iVBORw0K%2FGgo',
			/^The Base64 text cannot be decoded: character 9 of 14 is "%", which Base64 does not use$/,
			/whole file/,
		],
		['a broken character after the head of a data URL', 'data:a/b;base64,AAAA*AAA', /character 21 of 24 is "\*"/, /data URL/],
		['an invisible character', 'AAAA\u200bAAA', /character 5 of 8 is U\+200B/, /whole file/],
		['padding inside', 'AA==AAAA', /character 3 of 8 is "=", which may be only at the end/, /whole file/],
		['the first of two faults', 'AA=A%', /character 3 of 5 is "="/, /whole file/],
		['a cut end', 'AAAAA', /^The Base64 text is incomplete: 5 characters cannot be a whole file/, /end of the text is missing/],
		['only padding', ' == ', /^The file in Base64 is empty/, /node that created/],
		['a data URL without content', 'data:image/png;base64,', /is empty/, /node that created/],
		['a data URL that is not Base64', 'data:text/plain,hello', /^The data URL is not Base64/, /;base64/],
	];
	it.each(cases)('%s', (_, text, message, advice) => {
		const fault = faultOf(text);
		expect(fault.message).toMatch(message);
		expect(fault.words.advice).toMatch(advice);
	});

	it('a file that is too large, by its decoded size', () => {
		const text = Buffer.alloc(2 * MIB + 1).toString('base64');
		expect(faultOf(text, 2_000_000).message).toBe('The file in Base64 is larger than 2 MB: its size is 3 MB');
		expect(faultOf(text, 2 * MIB).words.advice).toMatch(/add the option Largest File \(MB\)/);
		expect(read(text, 2 * MIB + 1).source.sizeBytes).toBe(2 * MIB + 1);
	});
});
