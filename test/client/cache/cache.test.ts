import { Cache } from '../../../client/cache/cache';
import { useStillClock } from '../../support/stillClock';

const moveOn = useStillClock();

const keysOf = (cache: Cache<string, unknown>): string[] => cache.list().map(([key]) => key);

test('returns a value once, until its time is over', () => {
	const cache = new Cache<string, number>({ mostEntries: 10, ttlMs: 1_000 });
	cache.set('a', 1);
	cache.set('b', 2);
	moveOn(999);
	expect([cache.take('a'), cache.take('a')]).toEqual([1, undefined]);
	moveOn(1);
	expect([cache.has('b'), cache.take('b')]).toEqual([false, undefined]);
});

test('replaces a value and its time', () => {
	const cache = new Cache<string, number>({ mostEntries: 10, ttlMs: 1_000 });
	cache.set('a', 1);
	moveOn(900);
	cache.set('a', 2);
	moveOn(900);
	expect(cache.take('a')).toBe(2);
});

test('holds at most as many entries as its limit, and drops those that were not used for the longest time', () => {
	const cache = new Cache<string, number>({ mostEntries: 2 });
	cache.set('a', 1);
	cache.set('b', 2);
	expect(cache.get('a')).toBe(1);
	cache.set('c', 3);
	expect([cache.size, keysOf(cache), cache.has('b')]).toEqual([2, ['a', 'c'], false]);
	for (let key = 0; key < 100; key++) cache.set(String(key), key);
	expect([cache.size, keysOf(cache)]).toEqual([2, ['98', '99']]);
});

test('drops every expired entry when a value is set, also one that was used since', () => {
	const cache = new Cache<string, number>({ mostEntries: 10, ttlMs: 1_000 });
	cache.set('a', 1);
	moveOn(500);
	cache.set('b', 2);
	expect(cache.get('a')).toBe(1);
	moveOn(500);
	cache.set('c', 3);
	expect(keysOf(cache)).toEqual(['b', 'c']);
});

describe('shared work', () => {
	test('runs once for each key, for callers during the work and after it', async () => {
		const cache = new Cache<string, Promise<string>>({ mostEntries: 2 });
		const load = jest.fn(async (key: string) => await Promise.resolve(`value of ${key}`));
		const read = async (key: string): Promise<string> => await cache.getOrLoad(key, async () => await load(key));
		expect(await Promise.all([read('a'), read('a'), read('b')])).toEqual(['value of a', 'value of a', 'value of b']);
		expect(await read('a')).toBe('value of a');
		expect(load.mock.calls).toEqual([['a'], ['b']]);
	});

	test('runs again after an error, unless the error is kept', async () => {
		const cache = new Cache<string, Promise<never>>({ mostEntries: 2 });
		const load = jest.fn(async (message: string): Promise<never> => await Promise.reject(new Error(message)));
		const read = async (key: string): Promise<never> =>
			await cache.getOrLoad(
				key,
				async () => await load(key),
				(error) => (error as Error).message === 'lasting',
			);
		for (const key of ['lasting', 'lasting', 'temporary', 'temporary']) await expect(read(key)).rejects.toThrow(key);
		expect(load.mock.calls).toEqual([['lasting'], ['temporary'], ['temporary']]);
	});

	test('keeps a newer value when older work with the same key fails', async () => {
		const cache = new Cache<string, Promise<number>>({ mostEntries: 2 });
		const failing = cache.getOrLoad('a', async () => await Promise.reject(new Error('late')));
		cache.set('a', Promise.resolve(2));
		await expect(failing).rejects.toThrow('late');
		await expect(cache.get('a')).resolves.toBe(2);
	});
});
