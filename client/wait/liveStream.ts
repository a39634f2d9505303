import { clock } from '../clock';
import type { Job, JobEvent } from '../job';
import { logDecision, bindObserver } from '../observer';
import type { JobService } from '../ports';
import { delay } from '../transport/delay';
import { growingPauseMs } from '../transport/retry';
import { type Outcome, outcomeOf } from '../transport/outcome';
import { mayBeGranted, type Permit, type StreamGate } from './streamGate';

const RECONNECT_PAUSE = { firstMs: 100, longestMs: 5_000 };
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
	private hasBegun = false;

	constructor(
		private readonly gate: StreamGate,
		private readonly jobs: JobService,
		private readonly job: Job,
		private readonly listener: StreamListener,
	) {
		gate.seek(this);
		if (!this.hasBegun && gate.isFull) logDecision({ kind: 'stream_waits', jobId: job.job_id, open: gate.openStreams });
	}

	close(): void {
		this.isClosed = true;
		this.gate.leave(this);
		this.closing?.abort();
	}

	/** It is this one's turn. */
	readonly begin = bindObserver((permit: Permit): void => void this.run(permit));

	private async run(permit: Permit): Promise<void> {
		this.hasBegun = true;
		const { signal } = (this.closing = new AbortController());
		let openedAt = Infinity;
		const onOpen = (): void => {
			openedAt = clock.now();
			permit.granted();
		};
		const heard = await outcomeOf(this.listen(signal, onOpen));
		permit.close(heard.ok ? undefined : heard.error);
		if (this.isClosed) return;
		this.tell(heard, openedAt);
		if (heard.ok || !mayBeGranted(heard.error)) return;
		if (openedAt < Infinity) await this.recover(clock.now() - openedAt, signal);
		if (!this.isClosed) this.gate.seek(this);
	}

	private tell(heard: Outcome<void>, openedAt: number): void {
		const { job_id: jobId } = this.job;
		if (heard.ok) return;
		if (openedAt === Infinity) logDecision({ kind: 'stream_refused', jobId, error: heard.error });
		else logDecision({ kind: 'stream_lost', jobId, openMs: clock.now() - openedAt, error: heard.error });
	}

	/** What was granted and lost is not asked for again at once; what was not granted is a matter of the gate. */
	private async recover(lastedMs: number, signal: AbortSignal): Promise<void> {
		if (lastedMs > GOOD_CONNECTION_MS) this.drops = 0;
		const pauseMs = growingPauseMs(RECONNECT_PAUSE, this.drops);
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
