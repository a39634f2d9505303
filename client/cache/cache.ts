import { clock } from '../async/clock';

export interface CacheLimits {
	/** Above this number, the entries that were not used for the longest time are dropped. */
	mostEntries: number;
	/** How long a value is returned after it was set, in milliseconds of `clock.now`. Default: until it is dropped. */
	ttlMs?: number;
}

/**
 * Values by key, at most so many and so old. Everything that is kept for longer than one call is kept here, so that nothing grows
 * for the life of a connection or of n8n.
 */
export class Cache<Key, Value> {
	/** In the order of their latest use. */
	private readonly entries = new Map<Key, { value: Value; setAt: number }>();
	private readonly mostEntries: number;
	private readonly ttlMs: number;

	constructor({ mostEntries, ttlMs = Infinity }: CacheLimits) {
		this.mostEntries = mostEntries;
		this.ttlMs = ttlMs;
	}

	get size(): number {
		return this.entries.size;
	}

	/** Returns the keys and values, the least recently used first. */
	list(): Array<[Key, Value]> {
		return [...this.entries].map(([key, { value }]) => [key, value]);
	}

	has(key: Key): boolean {
		const entry = this.entries.get(key);
		return entry !== undefined && this.isFresh(entry.setAt);
	}

	/** @returns undefined if there is no value or it has expired. */
	get(key: Key): Value | undefined {
		const entry = this.entries.get(key);
		if (entry === undefined || !this.isFresh(entry.setAt)) return undefined;
		this.entries.delete(key);
		this.entries.set(key, entry);
		return entry.value;
	}

	/** Like `get`, and removes the value. */
	take(key: Key): Value | undefined {
		const value = this.get(key);
		this.delete(key);
		return value;
	}

	set(key: Key, value: Value): Value {
		if (this.ttlMs < Infinity) for (const [old, { setAt }] of this.entries) if (!this.isFresh(setAt)) this.entries.delete(old);
		this.entries.delete(key);
		this.entries.set(key, { value, setAt: clock.now() });
		for (const oldest of this.entries.keys()) {
			if (this.entries.size <= this.mostEntries) break;
			this.entries.delete(oldest);
		}
		return value;
	}

	delete(key: Key): void {
		this.entries.delete(key);
	}

	clear(): void {
		this.entries.clear();
	}

	/**
	 * Returns the result of the work. Callers with the same key share it, also while it runs.
	 * @param keepsError whether an error would come again. Any other error is dropped, so that the next caller tries again.
	 * @throws the error of the work.
	 */
	async getOrLoad<T>(
		this: Cache<Key, Promise<T>>,
		key: Key,
		load: () => Promise<T>,
		keepsError: (error: unknown) => boolean = () => false,
	): Promise<T> {
		const cached = this.get(key);
		if (cached !== undefined) return await cached;
		const loading = this.set(key, load());
		loading.catch((error: unknown) => {
			if (this.entries.get(key)?.value === loading && !keepsError(error)) this.delete(key);
		});
		return await loading;
	}

	private isFresh(setAt: number): boolean {
		return clock.now() - setAt < this.ttlMs;
	}
}
