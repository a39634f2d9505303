/**
 * Returns a function that makes one value for each object. A cache has limits. Here the value exists exactly as long as its key,
 * for example as long as a connection or a run of a node.
 */
export function onePerKey<Key extends object, Value>(create: (key: Key) => Value): (key: Key) => Value {
	const values = new WeakMap<Key, Value>();
	return (key) => {
		const value = values.get(key) ?? create(key);
		values.set(key, value);
		return value;
	};
}
