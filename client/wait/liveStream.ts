import { clock } from '../async/clock';
import { POLICIES } from '../contact/policy';
import { Backoff } from '../contact/retry';
import type { Job, JobEvent } from '../ports/job';
import { bindObserver, logDecision } from '../log/observer';
import type { JobService } from '../ports/jobService';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { mayBeGranted, type StreamCandidate, type StreamLimiter, type StreamSlot } from './streamLimiter';

export interface StreamListener {
	onEvent?: (event: JobEvent) => void;
	/** The stream began to deliver events, or ended. */
	onChange: () => void;
}

/** `waiting`: for a slot. `down`: the stream was lost. `ended`: it reported the end of the job. */
type StreamState = 'waiting' | 'connecting' | 'alive' | 'down' | 'ended';

/** Keeps the event stream of one job open as long as the service grants it. Never throws, because the wait also reads the job. */
export class LiveStream implements StreamCandidate {
	private state: StreamState = 'waiting';
	private readonly backoff = new Backoff(POLICIES.stream);
	private isClosed = false;
	private closing?: AbortController;

	constructor(
		private readonly limiter: StreamLimiter,
		private readonly jobs: JobService,
		private readonly job: Job,
		private readonly listener: StreamListener,
	) {
		limiter.add(this);
		if (this.state === 'waiting' && limiter.isFull) logDecision({ kind: 'stream_waits', jobId: job.job_id, open: limiter.openStreams });
	}

	/** Whether events arrive, so that the job need not be read. */
	get isAlive(): boolean {
		return this.state === 'alive';
	}

	/** Whether the stream reported the end of the job. */
	get hasEnded(): boolean {
		return this.state === 'ended';
	}

	close(): void {
		this.isClosed = true;
		this.limiter.remove(this);
		this.closing?.abort();
	}

	/** Another wait may call this, so it runs in the context of this wait. */
	readonly start = bindObserver((slot: StreamSlot): void => void this.run(slot));

	private async run(slot: StreamSlot): Promise<void> {
		this.state = 'connecting';
		const { signal } = (this.closing = new AbortController());
		let openedAt = Infinity;
		const onOpen = (): void => {
			openedAt = clock.now();
			slot.markOpen();
		};
		const ended = await outcomeOf(this.listen(signal, onOpen));
		slot.close(ended.ok ? undefined : ended.error);
		if (this.isClosed || ended.ok) return;
		this.logEnd(ended.error, openedAt);
		if (!mayBeGranted(ended.error)) return;
		// The limiter decides about a stream that was not granted.
		if (openedAt < Infinity) await outcomeOf(delay(this.backoff.next(ended.error, { lastedMs: clock.now() - openedAt }), signal));
		if (!this.isClosed) this.limiter.add(this);
	}

	private logEnd(error: unknown, openedAt: number): void {
		const { job_id: jobId } = this.job;
		if (openedAt === Infinity) logDecision({ kind: 'stream_rejected', jobId, error });
		else logDecision({ kind: 'stream_lost', jobId, openMs: clock.now() - openedAt, error });
	}

	private async listen(signal: AbortSignal, onOpen: () => void): Promise<void> {
		try {
			for await (const event of this.jobs.events(this.job, { signal, onOpen })) {
				if (!this.isAlive) this.setState('alive');
				this.listener.onEvent?.(event);
			}
			this.setState('ended');
		} finally {
			if (this.isAlive) this.setState('down');
		}
	}

	private setState(state: StreamState): void {
		const wasAlive = this.isAlive;
		this.state = state;
		if (this.isAlive !== wasAlive && !this.isClosed) this.listener.onChange();
	}
}
