import { clock } from '../../../client';
import { realClock } from '../../../client/async/clock';
import { delay } from '../../../client/async/delay';
import { setSpeed } from '../../support/fastClock';

afterEach(() => setSpeed(1));

test.each([
	['by the fast clock', 50, 100, 7.3, () => clock.now()],
	['by the clock that budgets are counted in', 1, 2, 1 / 40, () => performance.now()],
])('a pause is never shorter than asked, %s', async (_name, speed, shortestMs, stepMs, now) => {
	setSpeed(speed);
	const asked = Array.from({ length: 200 }, (_, index) => shortestMs + index * stepMs);
	const early = await Promise.all(
		asked.map(async (milliseconds) => {
			const startedAt = now();
			await delay(milliseconds);
			return now() - startedAt < milliseconds;
		}),
	);
	expect(early).not.toContain(true);
});

test('signals and timers beyond what Node takes do not fire at once', async () => {
	const fired = jest.fn();
	const timer = realClock.after(2 ** 40, fired);
	const signal = realClock.signalAfter(2 ** 40);
	await delay(20);
	clearTimeout(timer);
	expect(fired).not.toHaveBeenCalled();
	expect(signal.aborted).toBe(false);
});
