import { StoppedError } from '../errors/errors';
import { onAbort } from './abort';
import { throwIfStopped } from './delay';

/** Limits how many tasks run at the same time. The others wait in order. */
export class Slots {
	private readonly waiting = new Set<() => void>();
	private used = 0;

	constructor(private readonly count: number) {}

	/** @throws StoppedError when the signal fires before the work has begun; else as the work does. */
	async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		throwIfStopped(signal);
		if (this.used >= this.count) await this.waitForSlot(signal);
		else this.used += 1;
		try {
			return await work();
		} finally {
			this.release();
		}
	}

	/** Waits until a task that has finished frees its slot. */
	private async waitForSlot(signal: AbortSignal | undefined): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			const start = () => {
				stopListening();
				resolve();
			};
			const stopListening = onAbort(signal, () => {
				this.waiting.delete(start);
				reject(new StoppedError());
			});
			this.waiting.add(start);
		});
	}

	private release(): void {
		const [next] = this.waiting;
		if (next === undefined) {
			this.used -= 1;
			return;
		}
		this.waiting.delete(next);
		next();
	}
}
