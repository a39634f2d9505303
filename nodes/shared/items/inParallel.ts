/**
 * Works on a list, at most `limit` entries in their turn at a time; results in the list's order. After a failure, or once
 * `stop` fires, nothing new is started, and what is running is waited for.
 * @param work may end its turn before it is through: the next entry begins then. No more than `limit` go on so.
 * @returns nothing in the place of what was not started.
 * @throws the first failure.
 */
export async function inParallel<Entry, Result>(
	entries: Entry[],
	limit: number,
	work: (entry: Entry, index: number, endTurn: () => void) => Promise<Result>,
	stop?: AbortSignal,
): Promise<Result[]> {
	const results: Result[] = [];
	const queue = entries.entries();
	let failure: { error: unknown } | undefined;
	const isOver = (): boolean => failure !== undefined || stop?.aborted === true;
	const finish = async (index: number, entry: Entry, endTurn: () => void): Promise<void> => {
		try {
			results[index] = await work(entry, index, endTurn);
		} catch (error) {
			failure ??= { error };
		}
	};
	const worker = async () => {
		let goingOn = Promise.resolve();
		for (const [index, entry] of queue) {
			if (isOver()) break;
			let endTurn = () => undefined as void;
			const turn = new Promise<void>((resolve) => (endTurn = resolve));
			const whole = finish(index, entry, endTurn);
			await Promise.race([whole, turn]);
			await goingOn;
			goingOn = whole;
		}
		await goingOn;
	};
	await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker));
	if (failure !== undefined) throw failure.error;
	return results;
}
