/** Custom keys, and what is derived from keys. */
import type { IDataObject } from 'n8n-workflow';

import { checkCustomKeys, deriveKey, hashOf, readCustomKey, seededNumber } from '../../../../nodes/shared/submission/keys';

it.each([
	[
		'the hash of a graph',
		hashOf({ '1': { class_type: 'Note', inputs: {} } }),
		'c6e22a88c222deda2d18b6bd3ab109c94d0a22a1d01cfab6b31e5e9a3bbc7a89',
	],
	['a seeded number', seededNumber('key', 'seed', 1_000_000n), 709_043n],
])('%s stays the same in every version of this package', (_name, value, expected) => expect(value).toBe(expected));

it('a derived key depends on each part and on their order', () => {
	const keys = [deriveKey(['a', 1]), deriveKey(['a', 2]), deriveKey([1, 'a']), deriveKey(['a', '1'])];
	expect(new Set(keys).size).toBe(4);
	expect(deriveKey(['a', 1])).toBe(keys[0]);
});

describe('a custom key', () => {
	it.each<readonly [key: string | null | undefined, sent: string | undefined]>([
		['a', 'a'],
		[' order 17 ', 'order 17'],
		['x'.repeat(255), 'x'.repeat(255)],
		...['', '   ', 'x'.repeat(256), 'Bestellung ü', 'a\nb', undefined, null].map((key) => [key, undefined] as const),
	])('%j is sent as %j, or refused', (key, sent) => {
		if (sent !== undefined) expect(readCustomKey(key)).toBe(sent);
		else expect(() => readCustomKey(key)).toThrow(/Custom Idempotency Key/);
	});

	const reading = (options: IDataObject | Error) =>
		((name: string) => {
			if (options instanceof Error) throw options;
			return name === 'options' ? options : {};
		}) as never;
	const custom = (idempotencyKey: unknown) => reading({ idempotencyKeyMode: 'custom', idempotencyKey } as IDataObject);

	it.each<[what: string, items: never[], message: RegExp | undefined]>([
		['the same key on two items', [custom('a'), custom('b'), custom(' a ')], /Items 0 and 2/],
		['two items without one', [custom(''), custom(undefined)], /Items 0 and 1/],
		['keys that differ', [custom('a'), custom('b')], undefined],
		[
			'automatic keys',
			[reading({ idempotencyKey: 'a' }), reading({ idempotencyKeyMode: 'automatic', idempotencyKey: 'a' }), custom('a')],
			undefined,
		],
		['no keys', [reading({ idempotencyKeyMode: 'none', idempotencyKey: 'a' }), custom('a')], undefined],
		['options that cannot be read', [reading(new Error('no')), reading(new Error('no')), custom('a')], undefined],
	])('stands for one job: %s are refused only if two items share a custom key', (_what, items, message) => {
		const check = () => checkCustomKeys(items);
		if (message === undefined) expect(check).not.toThrow();
		else expect(check).toThrow(message);
	});
});
