/** A `Map`, or a `TtlCache` with a limit. */
interface PromiseCache<Key, T> {
	get(key: Key): Promise<T> | undefined;
	set(key: Key, promise: Promise<T>): unknown;
	delete(key: Key): unknown;
}

/**
 * Returns the cached promise, or starts the work and caches its promise. A promise that rejects is removed, so that the next
 * caller tries again.
 */
export async function getOrLoad<Key, T>(cache: PromiseCache<Key, T>, key: Key, load: () => Promise<T>): Promise<T> {
	const cached = cache.get(key);
	if (cached !== undefined) return await cached;
	const promise = load();
	cache.set(key, promise);
	promise.catch(() => cache.get(key) === promise && cache.delete(key));
	return await promise;
}

/**
 * Shares one read between concurrent callers. A caller that comes during a read gets the next one, so its result is
 * never older than the call.
 */
export class SharedRead<T> {
	private running?: Promise<T>;
	private next?: Promise<T>;

	constructor(private readonly read: () => Promise<T>) {}

	async get(): Promise<T> {
		if (this.running === undefined) return await this.start();
		const { running } = this;
		this.next ??= running.then(
			() => this.start(),
			() => this.start(),
		);
		return await this.next;
	}

	private async start(): Promise<T> {
		this.next = undefined;
		const running = this.read();
		this.running = running;
		try {
			return await running;
		} finally {
			if (this.running === running) this.running = undefined;
		}
	}
}
