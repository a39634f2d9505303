import { TtlCache } from '../../../client/cache/ttlCache';
import { useStillClock } from '../../support/stillClock';

const moveOn = useStillClock();

test('returns a value once, until its time is over', () => {
	const cache = new TtlCache<string, number>(1_000);
	cache.set('a', 1);
	cache.set('b', 2);
	moveOn(999);
	expect([cache.take('a'), cache.take('a')]).toEqual([1, undefined]);
	moveOn(1);
	expect(cache.take('b')).toBeUndefined();
});

test('replaces a value and its time', () => {
	const cache = new TtlCache<string, number>(1_000);
	cache.set('a', 1);
	moveOn(900);
	cache.set('a', 2);
	moveOn(900);
	expect(cache.take('a')).toBe(2);
});

test('drops the oldest entries above its limit, and keeps an expired value as stale', () => {
	const cache = new TtlCache<string, number>(1_000, 2);
	for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) cache.set(key, value);
	expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 2, 3]);
	moveOn(1_000);
	expect([cache.get('b'), cache.getStale('b'), cache.getStale('a')]).toEqual([undefined, 2, undefined]);
	cache.dropExpired();
	expect(cache.getStale('b')).toBeUndefined();
});
