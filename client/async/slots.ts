import { joinSet, stoppableWait, throwIfStopped, type Waiter } from './stoppableWait';

/** Limits how many tasks run at the same time. The others wait in order. */
export class Slots {
	private readonly waiting = new Set<Waiter<void>>();
	private used = 0;

	constructor(private readonly count: number) {}

	/** @throws StoppedError when the signal fires before the work has begun; else as the work does. */
	async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		throwIfStopped(signal);
		if (this.used < this.count) this.used += 1;
		else await stoppableWait([signal], joinSet(this.waiting));
		try {
			return await work();
		} finally {
			this.release();
		}
	}

	/** A task that waits takes over the slot. */
	private release(): void {
		const [next] = this.waiting;
		if (next === undefined) this.used -= 1;
		else next.resolve();
	}
}
