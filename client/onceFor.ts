/** Work that many want is done once for all of them; what has failed is tried anew by the next who asks. */
export async function onceFor<Key, T>(kept: Map<Key, Promise<T>>, id: Key, work: () => Promise<T>): Promise<T> {
	const one = kept.get(id) ?? work();
	kept.set(id, one);
	one.catch(() => kept.get(id) === one && kept.delete(id));
	return await one;
}
