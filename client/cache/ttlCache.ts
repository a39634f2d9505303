import { clock } from '../async/clock';

/** Sets an entry as the newest one and drops the oldest entries above the limit. @returns the value. */
export function setNewest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, mostEntries: number): Value {
	entries.delete(key);
	entries.set(key, value);
	dropOldest(entries, mostEntries);
	return value;
}

/** Drops the oldest entries above the limit. */
export function dropOldest(entries: Map<unknown, unknown>, mostEntries: number): void {
	for (const oldest of entries.keys()) {
		if (entries.size <= mostEntries) return;
		entries.delete(oldest);
	}
}

/** Values that expire after a fixed time. */
export class TtlCache<Key, Value> {
	private readonly entries = new Map<Key, { value: Value; setAt: number }>();

	/**
	 * @param ttlMs how long a value is fresh, in milliseconds of `clock.now`. Infinity: until it is dropped.
	 * @param mostEntries above this number the oldest entries are dropped. Without it, setting a value drops the expired ones.
	 */
	constructor(
		private readonly ttlMs: number,
		private readonly mostEntries?: number,
	) {}

	/** @returns undefined if there is no value or it has expired. */
	get(key: Key): Value | undefined {
		const entry = this.entries.get(key);
		return entry !== undefined && this.isFresh(entry.setAt) ? entry.value : undefined;
	}

	/** Returns the value even if it has expired. */
	getStale(key: Key): Value | undefined {
		return this.entries.get(key)?.value;
	}

	/** Like `get`, and removes the value. */
	take(key: Key): Value | undefined {
		const value = this.get(key);
		this.delete(key);
		return value;
	}

	delete(key: Key): void {
		this.entries.delete(key);
	}

	set(key: Key, value: Value): Value {
		if (this.mostEntries === undefined) this.dropExpired();
		return setNewest(this.entries, key, { value, setAt: clock.now() }, this.mostEntries ?? Infinity).value;
	}

	dropExpired(): void {
		for (const [key, { setAt }] of this.entries) if (!this.isFresh(setAt)) this.entries.delete(key);
	}

	private isFresh(setAt: number): boolean {
		return clock.now() - setAt < this.ttlMs;
	}
}
