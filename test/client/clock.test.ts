import { clock } from '../../client';
import { delay } from '../../client/transport/delay';
import { setSpeed } from '../support/fastClock';
import { until } from '../support/until';

afterEach(() => setSpeed(1));

test('on a fast clock waits are short, and what is measured, or leaves the process, is not', async () => {
	setSpeed(50);
	const [waits, real, wall] = [clock.now(), clock.realNow(), clock.wallNow()];
	await delay(5_000);
	expect(clock.now() - waits).toBeGreaterThanOrEqual(5_000);
	expect(clock.realNow() - real).toBeLessThan(4_000);
	expect(clock.wallNow() - wall).toBeLessThan(4_000);
});

test('a pause is never shorter than asked, however fast the clock', async () => {
	setSpeed(50);
	const asked = Array.from({ length: 200 }, (_, index) => 100 + index * 7.3);
	const early = await Promise.all(
		asked.map(async (milliseconds) => {
			const startedAt = clock.now();
			await delay(milliseconds);
			return clock.now() - startedAt < milliseconds;
		}),
	);
	expect(early).not.toContain(true);
});

test('the clock goes on from where it is when its speed changes', () => {
	const startedAt = performance.now();
	setSpeed(1_000);
	const before = clock.now();
	setSpeed(1);
	const after = clock.now();
	expect(after).toBeGreaterThanOrEqual(before);
	expect(after - before).toBeLessThanOrEqual((performance.now() - startedAt) * 1_000);
});

test('signals and timers beyond what Node takes do not fire at once', async () => {
	const fired = jest.fn();
	const timer = clock.after(2 ** 40, fired);
	const signal = clock.signalAfter(2 ** 40);
	await delay(20);
	clearTimeout(timer);
	expect(fired).not.toHaveBeenCalled();
	expect(signal.aborted).toBe(false);
});

test('of tests stands still while the process does: no limit runs out meanwhile', async () => {
	const fired = jest.fn();
	const timer = clock.after(200, fired);
	const refreshed = clock.after(200, fired);
	const signal = clock.signalAfter(200);
	const before = clock.now();
	refreshed.refresh();
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
	for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
	expect([fired.mock.calls.length, signal.aborted]).toEqual([0, false]);
	clearTimeout(timer);
	await until(() => fired.mock.calls.length === 1 && signal.aborted);
	expect(clock.now() - before).toBeGreaterThanOrEqual(198);
	await delay(50);
	expect(fired).toHaveBeenCalledTimes(1);
});

test('a pause is never shorter than asked, by the clock that budgets are counted in', async () => {
	const asked = Array.from({ length: 200 }, (_, index) => 2 + index / 40);
	const early = await Promise.all(
		asked.map(async (milliseconds) => {
			const startedAt = performance.now();
			await delay(milliseconds);
			return performance.now() - startedAt < milliseconds;
		}),
	);
	expect(early).not.toContain(true);
});
