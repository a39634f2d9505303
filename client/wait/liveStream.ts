import { clock } from '../async/clock';
import { POLICIES } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import type { Job, JobEvent } from '../ports/job';
import { logDecision } from '../log/observer';
import type { JobService } from '../ports/jobService';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { mayBeGranted, type StreamLimiter } from './streamLimiter';

export interface StreamListener {
	onEvent?: (event: JobEvent) => void;
	/** The stream began to deliver events, or ended. */
	onChange: () => void;
}

/** Keeps the event stream of one job open as long as the service grants it. Never throws, because the wait also reads the job. */
export class LiveStream {
	/** `ended`: the stream reported the end of the job. */
	private state: 'down' | 'alive' | 'ended' = 'down';
	private readonly series = new RetrySeries({ policy: POLICIES.stream });
	private readonly closing = new AbortController();

	constructor(
		private readonly limiter: StreamLimiter,
		private readonly jobs: JobService,
		private readonly job: Job,
		private readonly listener: StreamListener,
	) {
		void outcomeOf(this.run(this.closing.signal));
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
		this.closing.abort();
	}

	/** Opens the stream again until the job has ended. @throws StoppedError when it is closed. */
	private async run(signal: AbortSignal): Promise<void> {
		const { job_id: jobId } = this.job;
		let onFull = (): void => logDecision({ kind: 'stream_waits', jobId, open: this.limiter.openStreams });
		for (;;) {
			const slot = await this.limiter.waitForSlot(signal, onFull);
			onFull = () => undefined;
			let openedAt = Infinity;
			const onOpen = (): void => {
				openedAt = clock.now();
				slot.markOpen();
			};
			const ended = await outcomeOf(this.listen(signal, onOpen));
			slot.close(ended.ok ? undefined : ended.error);
			if (ended.ok || signal.aborted) return;
			const { error } = ended;
			const openMs = clock.now() - openedAt;
			const isRejected = openMs < 0;
			logDecision(isRejected ? { kind: 'stream_rejected', jobId, error } : { kind: 'stream_lost', jobId, openMs, error });
			if (!mayBeGranted(error)) return;
			// The limiter decides about a stream that was not granted.
			if (!isRejected) await delay(this.series.pauseMsAfter(error, { mayHelp: true, lastedMs: openMs }), signal);
		}
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

	private setState(state: LiveStream['state']): void {
		const wasAlive = this.isAlive;
		this.state = state;
		if (this.isAlive !== wasAlive && !this.closing.signal.aborted) this.listener.onChange();
	}
}
