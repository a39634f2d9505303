import { clock } from '../../client';

/** Sets an entry as the newest one and drops the oldest entries above the limit. @returns the value. */
export function setNewest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, mostEntries: number): Value {
	entries.delete(key);
	entries.set(key, value);
	for (const oldest of entries.keys()) {
		if (entries.size <= mostEntries) break;
		entries.delete(oldest);
	}
	return value;
}

/** Values that expire after a fixed time. The oldest ones are dropped above a fixed number. */
export class TtlCache<Value> {
	private readonly entries = new Map<string, { value: Value; setAt: number }>();

	constructor(
		private readonly ttlMs: number,
		private readonly mostEntries: number,
	) {}

	/** Returns the value, or undefined if there is none or it has expired. */
	get(key: string): Value | undefined {
		const entry = this.entries.get(key);
		return entry !== undefined && this.isFresh(entry.setAt) ? entry.value : undefined;
	}

	/** Returns the value even if it has expired. */
	getStale(key: string): Value | undefined {
		return this.entries.get(key)?.value;
	}

	set(key: string, value: Value): Value {
		return setNewest(this.entries, key, { value, setAt: clock.now() }, this.mostEntries).value;
	}

	dropExpired(): void {
		for (const [key, { setAt }] of this.entries) if (!this.isFresh(setAt)) this.entries.delete(key);
	}

	private isFresh(setAt: number): boolean {
		return clock.now() - setAt < this.ttlMs;
	}
}

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
