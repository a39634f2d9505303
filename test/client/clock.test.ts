import { clock } from '../../client';
import { delay } from '../../client/transport/delay';
import { setSpeed } from '../support/fastClock';

afterEach(() => setSpeed(1));

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

test('signals and timers beyond what Node takes do not fire at once', async () => {
	const fired = jest.fn();
	const timer = clock.after(2 ** 40, fired);
	const signal = clock.signalAfter(2 ** 40);
	await delay(20);
	clearTimeout(timer);
	expect(fired).not.toHaveBeenCalled();
	expect(signal.aborted).toBe(false);
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
