import { parseExact } from '../../../client';
import { compareGraphs } from '../../../client/recovery/compareGraphs';

const asset = (info: object) => ({ a: { __type: 'core/ASSET', info } });
const HASH = `blake3:${'0123456789abcdef'.repeat(4)}`;
const cat = asset({ id: 'a', hash: HASH, file_path: 'pets/cat.png' });

test.each([
	[{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, 'same'],
	[{ a: 1 }, { a: 1, b: 2 }, 'different'],
	[{ a: 1, b: 2 }, { a: 1 }, 'different'],
	[{ a: undefined }, { b: undefined }, 'different'],
	[{ a: [1, 2] }, { a: [2, 1] }, 'different'],
	[{ a: [] }, { a: {} }, 'different'],
	[{ a: '1' }, { a: 1 }, 'same'],
	[{ a: 1 }, { a: '1' }, 'same'],
	[{ a: 1 }, { a: true }, 'same'],
	[{ a: 'no' }, { a: true }, 'same'],
	[{ a: 0 }, { a: true }, 'different'],
	[{ a: true }, { a: 1 }, 'different'],
	[{ a: '1' }, { a: '2' }, 'different'],
	[parseExact('{"a":18446744073709551615}'), parseExact('{"a":18446744073709551615}'), 'same'],
	[parseExact('{"a":18446744073709551615}'), parseExact('{"a":18446744073709551614}'), 'different'],
	// A service may keep a decimal as a double.
	[parseExact('{"a":0.1234567890123456789}'), parseExact('{"a":0.12345678901234568}'), 'same'],
	[parseExact('{"a":0.12345678901234568}'), parseExact('{"a":0.1234567890123456789}'), 'same'],
])('%j and %j: %s', (sent, read, likeness) => expect(compareGraphs(sent, read)).toBe(likeness));

test.each([
	['the same record', asset({ id: 'a', hash: null, file_path: 'dog.png' }), 'same'],
	['another record of the same bytes', asset({ id: 'b', hash: HASH, file_path: 'other.png' }), 'same'],
	['other bytes of the same name', asset({ id: 'b', hash: HASH.replace('0', '1'), file_path: 'cat.png' }), 'different'],
	['another record of which no bytes are known', asset({ id: 'b', file_path: 'cat.png' }), 'possible'],
	['another record of another name', asset({ id: 'b', hash: null, file_path: 'dog.png' }), 'different'],
	['its name in an engine', { a: 'cat.png' }, 'possible'],
	['its name, where that was taken', { a: 'pets/cat (2).png' }, 'possible'],
	['the name of its content', { a: `${HASH.slice('blake3:'.length)}.png` }, 'same'],
	['a name that programs give', { a: '5f0c1d5e0b3f4b6f9d8e7a6b5c4d3e2f.png' }, 'possible'],
	['the name of another file', { a: 'dog.png' }, 'different'],
	['no file at all', { a: 7 }, 'different'],
	['no asset without facts', { a: { __type: 'core/ASSET' } }, 'different'],
	['an object of another kind', { a: { __type: 'core/OTHER', info: { id: 'a' } } }, 'different'],
	['sixteen hexadecimal digits, which programs give', { a: 'render-0123456789abcdef.png' }, 'possible'],
	['sixteen in capitals', { a: 'render-0123456789ABCDEF.png' }, 'possible'],
	['fifteen of them', { a: 'render-0123456789abcde.png' }, 'different'],
	['a UUID', { a: '5f0c1d5e-0b3f-4b6f-9d8e-7a6b5c4d3e2f.png' }, 'possible'],
	['its name with a number that an engine added', { a: 'cat (12).png' }, 'possible'],
	['its name with a number in the middle', { a: 'cat (12) new.png' }, 'different'],
	['the name of its content in a folder', { a: `input/${HASH.slice('blake3:'.length)}.png` }, 'same'],
])('a file, and in its place %s', (_name, read, likeness) => expect(compareGraphs(cat, read)).toBe(likeness));

test.each([
	['of a file without a name any name may be its', asset({ id: 'a' }), { a: 'dog.png' }, 'possible'],
	['a name is no reference', { a: 'cat.png' }, cat, 'different'],
	['a number added to a name without an extension is no part of it', asset({ id: 'a', file_path: 'cat' }), { a: 'cat (2)' }, 'possible'],
	['a name that ends with a number keeps it', asset({ id: 'a', file_path: 'cat (2).png' }), { a: 'cat (2).png' }, 'possible'],
	['a possible part makes graphs possible', { ...asset({ id: 'a' }), b: 1 }, { ...asset({ id: 'b' }), b: 1 }, 'possible'],
	['beside it, a different part makes them different', { ...asset({ id: 'a' }), b: 1 }, { ...asset({ id: 'b' }), b: 2 }, 'different'],
])('%s', (_name, sent, read, likeness) => expect(compareGraphs(sent, read)).toBe(likeness));

test.each([
	['only one of them has a hash', { id: 'a', file_path: 'x.png' }, { id: 'b', hash: HASH, file_path: 'x.png' }, 'possible'],
	['only the other one has a hash', { id: 'a', hash: HASH, file_path: 'x.png' }, { id: 'b', file_path: 'x.png' }, 'possible'],
	['an empty hash is none', { id: 'a', hash: '', file_path: 'x.png' }, { id: 'b', hash: '', file_path: 'y.png' }, 'different'],
	['only one of them has a name', { id: 'a' }, { id: 'b', file_path: 'x.png' }, 'possible'],
	['only the other one has a name', { id: 'a', file_path: 'x.png' }, { id: 'b' }, 'possible'],
	['an empty name is none', { id: 'a', file_path: '' }, { id: 'b', file_path: 'x.png' }, 'possible'],
	['the same name in another folder', { id: 'a', file_path: 'one/x.png' }, { id: 'b', file_path: 'two/x.png' }, 'possible'],
])('two files: %s', (_name, sent, read, likeness) => expect(compareGraphs(asset(sent), asset(read))).toBe(likeness));
