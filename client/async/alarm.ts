import { clock } from './clock';
import { stoppableWait, throwIfStopped, type Waiter } from './stoppableWait';

/** A sleep that can be cut short. */
export class Alarm {
	private rung = false;
	private sleeper?: Waiter<void>;

	ring(): void {
		this.rung = true;
		this.sleeper?.resolve();
	}

	/**
	 * @param milliseconds Infinity for a sleep that only `ring` ends.
	 * @returns true if `ring` was called before or during the sleep; false if the time is over.
	 * @throws StoppedError when the signal fires.
	 */
	async sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
		throwIfStopped(signal);
		if (!this.rung) {
			await stoppableWait<void>([signal], (waiter) => {
				const timer = milliseconds === Infinity ? undefined : clock.after(milliseconds, waiter.resolve);
				this.sleeper = waiter;
				return () => {
					clearTimeout(timer);
					this.sleeper = undefined;
				};
			});
		}
		throwIfStopped(signal);
		const { rung } = this;
		this.rung = false;
		return rung;
	}
}
