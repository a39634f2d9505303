import { clock } from './clock';

/** Keeps each value for a limited time. */
export class TtlCache<Key, Value> {
	private readonly entries = new Map<Key, { value: Value; expiresAt: number }>();

	/** @param ttlMs how long a value is kept, in milliseconds of `clock`. */
	constructor(private readonly ttlMs: number) {}

	/** Keeps the value, and forgets the values whose time is over. */
	set(key: Key, value: Value): void {
		const now = clock.now();
		for (const [known, { expiresAt }] of this.entries) if (expiresAt < now) this.entries.delete(known);
		this.entries.set(key, { value, expiresAt: now + this.ttlMs });
	}

	/** Returns the value and forgets it; undefined if it is not kept. */
	take(key: Key): Value | undefined {
		const entry = this.entries.get(key);
		this.entries.delete(key);
		return entry !== undefined && entry.expiresAt >= clock.now() ? entry.value : undefined;
	}
}
