/** Returns a function that makes one value for each key and keeps it as long as the key exists. */
export function onePerKey<Key extends object, Value>(create: (key: Key) => Value): (key: Key) => Value {
	const values = new WeakMap<Key, Value>();
	return (key) => {
		const value = values.get(key) ?? create(key);
		values.set(key, value);
		return value;
	};
}
