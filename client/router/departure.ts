import { onAbort } from '../transport/abort';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import type { RouterRunOptions } from './types';

export type LeaveOptions = Pick<RouterRunOptions, 'signal' | 'leaving'>;

/** Tells who only leaves from who stops: `leaving` fires for both, and what is left is never cancelled, whatever follows. */
export class Departure {
	private left = false;

	constructor(private readonly options: LeaveOptions) {}

	get isLeft(): boolean {
		return this.left;
	}

	/** Ends what waits; who has left already gets a last look. */
	get patience(): AbortSignal | undefined {
		const { signal, leaving } = this.options;
		return this.left ? signal : (leaving ?? signal);
	}

	/** @returns what ends it. */
	begin(): () => void {
		const { signal, leaving } = this.options;
		const leave = (): void => {
			this.left = signal?.aborted !== true;
		};
		if (leaving?.aborted === true) leave();
		return onAbort(leaving, leave);
	}
}

/** @param work gets a signal that fires a little after the stop: for what a stop should not cut off at once. */
export async function departing<T>(options: LeaveOptions, work: (departure: Departure, later: AbortSignal) => Promise<T>): Promise<T> {
	const departure = new Departure(options);
	const end = departure.begin();
	try {
		return await withGrace(departure.patience, STOP_LIMIT_MS, async (later) => await work(departure, later));
	} finally {
		end();
	}
}
