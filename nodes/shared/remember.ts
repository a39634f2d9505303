/** Keeps a value as the newest of at most so many: those that were asked for longest ago go. @returns the value. */
export function remember<Key, Value>(kept: Map<Key, Value>, key: Key, value: Value, most: number): Value {
	kept.delete(key);
	kept.set(key, value);
	for (const oldest of kept.keys()) {
		if (kept.size <= most) break;
		kept.delete(oldest);
	}
	return value;
}
