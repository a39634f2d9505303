import { parseExact } from '../../../client';
import { likenessOf } from '../../../client/lost/likeness';

const asset = (info: object) => ({ a: { __type: 'core/ASSET', info } });
const HASH = `blake3:${'0123456789abcdef'.repeat(4)}`;
const cat = asset({ id: 'a', hash: HASH, file_path: 'pets/cat.png' });

test.each([
	[{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, 'same'],
	[{ a: 1 }, { a: 1, b: 2 }, 'other'],
	[{ a: 1, b: 2 }, { a: 1 }, 'other'],
	[{ a: undefined }, { b: undefined }, 'other'],
	[{ a: [1, 2] }, { a: [2, 1] }, 'other'],
	[{ a: [] }, { a: {} }, 'other'],
	[{ a: '1' }, { a: 1 }, 'other'],
	[parseExact('{"a":18446744073709551615}'), parseExact('{"a":18446744073709551615}'), 'same'],
	[parseExact('{"a":18446744073709551615}'), parseExact('{"a":18446744073709551614}'), 'other'],
])('%j and %j: %s', (sent, read, likeness) => expect(likenessOf(sent, read)).toBe(likeness));

test.each([
	['the same record', asset({ id: 'a', hash: null, file_path: 'dog.png' }), 'same'],
	['another record of the same bytes', asset({ id: 'b', hash: HASH, file_path: 'other.png' }), 'same'],
	['other bytes of the same name', asset({ id: 'b', hash: HASH.replace('0', '1'), file_path: 'cat.png' }), 'other'],
	['another record of which no bytes are known', asset({ id: 'b', file_path: 'cat.png' }), 'perhaps'],
	['another record of another name', asset({ id: 'b', hash: null, file_path: 'dog.png' }), 'other'],
	['its name in an engine', { a: 'cat.png' }, 'perhaps'],
	['its name, where that was taken', { a: 'pets/cat (2).png' }, 'perhaps'],
	['the name of its content', { a: `${HASH.slice('blake3:'.length)}.png` }, 'same'],
	['a name that programs give', { a: '5f0c1d5e0b3f4b6f9d8e7a6b5c4d3e2f.png' }, 'perhaps'],
	['the name of another file', { a: 'dog.png' }, 'other'],
	['no file at all', { a: 7 }, 'other'],
])('a file, and %s in its place: %#', (_name, read, likeness) => expect(likenessOf(cat, read)).toBe(likeness));

test('of a file without a name any name may be its', () => expect(likenessOf(asset({ id: 'a' }), { a: 'dog.png' })).toBe('perhaps'));

test('a name is no reference', () => expect(likenessOf({ a: 'cat.png' }, cat)).toBe('other'));
