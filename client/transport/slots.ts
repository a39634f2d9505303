import { StoppedError } from '../errors';
import { onAbort } from './abort';
import { throwIfStopped } from './delay';

/** Lets so many work at the same time; the others wait for their turn. */
export class Slots {
	private readonly waiting = new Set<() => void>();
	private taken = 0;

	constructor(private readonly count: number) {}

	/** @throws StoppedError when the signal fires before the work has begun; else as the work does. */
	async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		throwIfStopped(signal);
		if (this.taken >= this.count) await this.turn(signal);
		else this.taken += 1;
		try {
			return await work();
		} finally {
			this.handOn();
		}
	}

	/** The slot is handed over, and stays taken. */
	private async turn(signal: AbortSignal | undefined): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			const begin = () => {
				stopListening();
				resolve();
			};
			const stopListening = onAbort(signal, () => {
				this.waiting.delete(begin);
				reject(new StoppedError());
			});
			this.waiting.add(begin);
		});
	}

	private handOn(): void {
		const [next] = this.waiting;
		if (next === undefined) {
			this.taken -= 1;
			return;
		}
		this.waiting.delete(next);
		next();
	}
}
