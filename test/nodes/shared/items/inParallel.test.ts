import { inParallel } from '../../../../nodes/shared/items/inParallel';

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
	expect(results).toEqual([
		[9, 0],
		[1, 1],
		[5, 2],
		[3, 3],
		[7, 4],
	]);
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

it('whoever ends its turn makes room for the next, and no more than the limit go on so', async () => {
	let inTurn = 0;
	let goingOn = 0;
	const peaks = { inTurn: 0, goingOn: 0 };
	const results = await inParallel([1, 2, 3, 4, 5, 6, 7, 8], 2, async (entry, _, endTurn) => {
		peaks.inTurn = Math.max(peaks.inTurn, ++inTurn);
		await pause(1);
		inTurn--;
		endTurn();
		peaks.goingOn = Math.max(peaks.goingOn, ++goingOn);
		await pause(20);
		goingOn--;
		return entry;
	});
	expect(results).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
	expect(peaks.inTurn).toBe(2);
	expect(peaks.goingOn).toBeGreaterThan(2);
	expect(peaks.goingOn).toBeLessThanOrEqual(4);
});

it('a failure after its turn starts nothing more either', async () => {
	const begun: number[] = [];
	const work = inParallel([1, 2, 3, 4, 5], 1, async (entry, _, endTurn) => {
		begun.push(entry);
		endTurn();
		await pause(5);
		throw new Error(`of ${entry}`);
	});
	await expect(work).rejects.toThrow('of 1');
	expect(begun).toEqual([1, 2]);
});

it('starts nothing once it is told to stop, and waits for what is running', async () => {
	const stop = new AbortController();
	const finished: number[] = [];
	const results = await inParallel(
		[1, 2, 3, 4],
		2,
		async (entry) => {
			await pause(entry === 1 ? 1 : 20);
			stop.abort();
			finished.push(entry);
			return entry;
		},
		stop.signal,
	);
	expect(finished).toEqual([1, 2]);
	expect(results).toEqual([1, 2]);
});

it('starts nothing at all where it was told to stop before', async () => {
	const work = jest.fn(async () => await Promise.resolve(1));
	await expect(inParallel([1, 2], 2, work, AbortSignal.abort())).resolves.toEqual([]);
	expect(work).not.toHaveBeenCalled();
});
