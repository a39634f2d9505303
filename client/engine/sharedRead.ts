/** One read for all who ask at the same time: whoever asks while one runs shares the next, which is as new as the asking. */
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
