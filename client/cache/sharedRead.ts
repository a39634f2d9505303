/**
 * Shares one read between concurrent callers. It keeps nothing, unlike a cache: a caller that comes during a read gets the next
 * one, so its result is never older than the call.
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
