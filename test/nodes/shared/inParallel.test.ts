import { inParallel } from '../../../nodes/shared/inParallel';

const pause = async (milliseconds: number) => await new Promise((resolve) => setTimeout(resolve, milliseconds));

it.each([1, 2, 5])('keeps the order and never works on more than %i at a time', async (limit) => {
	let running = 0;
	let peak = 0;
	const results = await inParallel([9, 1, 5, 3, 7], limit, async (milliseconds, index) => {
		peak = Math.max(peak, ++running);
		await pause(milliseconds);
		running--;
		return [milliseconds, index];
	});
	expect(results).toEqual([[9, 0], [1, 1], [5, 2], [3, 3], [7, 4]]);
	expect(peak).toBe(limit);
});

it('starts nothing after a failure, waits for what is running, and throws the first failure', async () => {
	const finished: number[] = [];
	const work = inParallel([1, 2, 3, 4], 2, async (entry) => {
		if (entry === 1) throw new Error('first');
		await pause(10);
		finished.push(entry);
		if (entry === 2) throw new Error('second');
	});
	await expect(work).rejects.toThrow('first');
	expect(finished).toEqual([2]);
});

it('an empty list is no work', async () => {
	await expect(inParallel([], 3, async () => 1)).resolves.toEqual([]);
});
