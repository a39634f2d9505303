import { delay } from '../../../client/transport/delay';

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
