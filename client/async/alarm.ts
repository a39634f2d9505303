import { clock } from './clock';
import { onAbort } from './abort';
import { throwIfStopped } from './delay';

/** A sleep that can be cut short. */
export class Alarm {
	private rung = false;
	private wake?: () => void;

	ring(): void {
		this.rung = true;
		this.wake?.();
	}

	/**
	 * @param milliseconds Infinity for a sleep that only `ring` ends.
	 * @returns true if `ring` was called before or during the sleep; false if the time is over.
	 * @throws StoppedError when the signal fires.
	 */
	async sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
		throwIfStopped(signal);
		if (!this.rung) await this.pause(milliseconds, signal);
		throwIfStopped(signal);
		const rung = this.rung;
		this.rung = false;
		return rung;
	}

	private async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
		await new Promise<void>((resolve) => {
			const wake = () => {
				clearTimeout(timer);
				stopListening();
				resolve();
			};
			const timer = milliseconds === Infinity ? undefined : clock.after(milliseconds, wake);
			const stopListening = onAbort(signal, wake);
			this.wake = wake;
		});
		this.wake = undefined;
	}
}
