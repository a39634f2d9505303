/**
 * Works on a list, at most `limit` entries at a time. The results are in the order of the list. After a failure, or once
 * `stop` fires, no further entry is started, and running work is awaited.
 * @param work may call `endTurn` before it has finished, and then the next entry begins. At most `limit` entries continue so.
 * @returns a list with holes for the entries that were not started.
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
	const isStopped = (): boolean => failure !== undefined || stop?.aborted === true;
	const finish = async (index: number, entry: Entry, endTurn: () => void): Promise<void> => {
		try {
			results[index] = await work(entry, index, endTurn);
		} catch (error) {
			failure ??= { error };
		}
	};
	const worker = async () => {
		let previous = Promise.resolve();
		for (const [index, entry] of queue) {
			if (isStopped()) break;
			let endTurn = () => undefined as void;
			const turn = new Promise<void>((resolve) => (endTurn = resolve));
			const current = finish(index, entry, endTurn);
			await Promise.race([current, turn]);
			await previous;
			previous = current;
		}
		await previous;
	};
	await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker));
	if (failure !== undefined) throw failure.error;
	return results;
}
