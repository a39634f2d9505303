/** Returns a function that makes one value for each key and keeps it as long as the key exists. */
export function onePerKey<Key extends object, Value>(create: () => Value): (key: Key) => Value {
	const values = new WeakMap<Key, Value>();
	return (key) => {
		const value = values.get(key) ?? create();
		values.set(key, value);
		return value;
	};
}

/** Does the work once for each key. Callers share the promise while it is pending. After a failure the next caller tries again. */
export async function runOnce<Key, Value>(promises: Map<Key, Promise<Value>>, key: Key, work: () => Promise<Value>): Promise<Value> {
	const promise = promises.get(key) ?? work();
	promises.set(key, promise);
	promise.catch(() => promises.get(key) === promise && promises.delete(key));
	return await promise;
}
