/**
 * Works on a list, at most `limit` entries in their turn at a time; results in the list's order. After a failure nothing
 * new is started, and what is running is waited for.
 * @param work may end its turn before it is through: the next entry begins then. No more than `limit` go on so.
 * @throws the first failure.
 */
export async function inParallel<Entry, Result>(
	entries: Entry[],
	limit: number,
	work: (entry: Entry, index: number, endTurn: () => void) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const queue = entries.entries();
	let failure: { error: unknown } | undefined;
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
			let endTurn = () => undefined as void;
			const turn = new Promise<void>((resolve) => (endTurn = resolve));
			const whole = finish(index, entry, endTurn);
			await Promise.race([whole, turn]);
			await goingOn;
			goingOn = whole;
			if (failure !== undefined) break;
		}
		await goingOn;
	};
	await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker));
	if (failure !== undefined) throw failure.error;
	return results;
}
