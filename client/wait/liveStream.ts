import type { Job, JobEvent } from '../job';
import type { JobService } from '../services';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { mayBeGranted, type Permit, type StreamGate } from './streamGate';

const FIRST_RECONNECT_MS = 100;
const LONGEST_RECONNECT_MS = 5_000;
/** A connection that lasted this long was a good one: its drop starts the backoff anew. */
const GOOD_CONNECTION_MS = 10_000;

export interface StreamListener {
	onEvent?: (event: JobEvent) => void;
	/** The stream has come alive, dropped, or told of the job's end. */
	onChange: () => void;
}

/** Keeps one job's event stream open as long as the service grants it. Never fails: without it there is reading. */
export class LiveStream {
	/** Events are arriving, so that nothing needs to be read. */
	isAlive = false;
	/** The stream told of the job's end. */
	hasEnded = false;
	private drops = 0;
	private isClosed = false;
	private closing?: AbortController;

	constructor(
		private readonly gate: StreamGate,
		private readonly jobs: JobService,
		private readonly job: Job,
		private readonly listener: StreamListener,
	) {
		gate.seek(this);
	}

	close(): void {
		this.isClosed = true;
		this.gate.leave(this);
		this.closing?.abort();
	}

	/** It is this one's turn. */
	begin(permit: Permit): void {
		void this.run(permit);
	}

	private async run(permit: Permit): Promise<void> {
		const { signal } = (this.closing = new AbortController());
		let openedAt = Infinity;
		const onOpen = (): void => {
			openedAt = performance.now();
			permit.granted();
		};
		const heard = await outcomeOf(this.listen(signal, onOpen));
		permit.close(heard.ok ? undefined : heard.error);
		if (heard.ok || this.isClosed || !mayBeGranted(heard.error)) return;
		if (openedAt < Infinity) await this.recover(performance.now() - openedAt, signal);
		if (!this.isClosed) this.gate.seek(this);
	}

	/** What was granted and lost is not asked for again at once; what was not granted is a matter of the gate. */
	private async recover(lastedMs: number, signal: AbortSignal): Promise<void> {
		if (lastedMs > GOOD_CONNECTION_MS) this.drops = 0;
		const pauseMs = Math.min(FIRST_RECONNECT_MS * 2 ** this.drops, LONGEST_RECONNECT_MS);
		this.drops += 1;
		await outcomeOf(delay(pauseMs, signal));
	}

	private async listen(signal: AbortSignal, onOpen: () => void): Promise<void> {
		try {
			for await (const event of this.jobs.events(this.job, { signal, onOpen })) {
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
		if (!this.isClosed) this.listener.onChange();
	}
}
