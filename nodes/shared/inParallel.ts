/**
 * Works on a list, at most `limit` entries at a time; results in the list's order. After a failure nothing new is
 * started, and what is running is waited for.
 * @throws the first failure.
 */
export async function inParallel<Entry, Result>(
	entries: Entry[],
	limit: number,
	work: (entry: Entry, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const queue = entries.entries();
	let failure: { error: unknown } | undefined;
	const worker = async () => {
		for (const [index, entry] of queue) {
			try {
				results[index] = await work(entry, index);
			} catch (error) {
				failure ??= { error };
			}
			if (failure !== undefined) return;
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker));
	if (failure !== undefined) throw failure.error;
	return results;
}
