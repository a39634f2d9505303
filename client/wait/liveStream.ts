import { ApiError } from '../errors';
import type { Job, JobEvent } from '../job';
import type { JobService } from '../services';
import { delay } from '../transport/delay';
import { isTransient, retryAfterOf } from '../transport/retry';

const FIRST_RECONNECT_MS = 100;
const LONGEST_RECONNECT_MS = 5_000;
const TOO_MANY_STREAMS_PAUSE_MS = 2_000;
/** A connection that lasted this long was a good one: its drop starts the backoff anew. */
const GOOD_CONNECTION_MS = 10_000;

export interface StreamListener {
	onEvent?: (event: JobEvent) => void;
	/** The stream has come alive, dropped, or told of the job's end. */
	onChange: () => void;
}

/** Keeps one job's event stream open as long as the service offers it. Never fails: without it there is polling. */
export class LiveStream {
	/** Events are arriving, so that nothing needs to be read. */
	isAlive = false;
	/** The stream told of the job's end. */
	hasEnded = false;
	private readonly closing = new AbortController();

	constructor(
		private readonly jobs: JobService,
		private readonly job: Job,
		private readonly listener: StreamListener,
	) {
		void this.run();
	}

	close(): void {
		this.closing.abort();
	}

	private async run(): Promise<void> {
		const { signal } = this.closing;
		for (let drops = 0; !signal.aborted; drops++) {
			const openedAt = performance.now();
			try {
				await this.listen(signal);
				return;
			} catch (error) {
				if (!isTransient(error)) return;
				if (performance.now() - openedAt > GOOD_CONNECTION_MS) drops = 0;
				await delay(reconnectMs(error, drops), signal).catch(() => undefined);
			}
		}
	}

	private async listen(signal: AbortSignal): Promise<void> {
		try {
			for await (const event of this.jobs.events(this.job, { signal })) {
				if (!this.isAlive) this.change(true);
				this.listener.onEvent?.(event);
			}
			this.hasEnded = true;
		} finally {
			if (this.isAlive) this.change(false);
		}
	}

	private change(isAlive: boolean): void {
		this.isAlive = isAlive;
		if (!this.closing.signal.aborted) this.listener.onChange();
	}
}

function reconnectMs(error: unknown, drops: number): number {
	if (error instanceof ApiError && error.status === 429) return retryAfterOf(error) ?? TOO_MANY_STREAMS_PAUSE_MS;
	return Math.min(FIRST_RECONNECT_MS * 2 ** drops, LONGEST_RECONNECT_MS);
}
