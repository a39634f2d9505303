import { clock, type Timer } from '../async/clock';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import { stoppableWait, type Waiter } from '../async/stoppableWait';
import { isTransient, retryAfterOf } from '../contact/failures';
import { POLICIES } from '../contact/policy';
import { RetrySeries } from '../contact/retry';
import { ApiError } from '../errors/errors';
import { logDecision } from '../log/observer';
import type { Job, JobEvent } from '../ports/job';
import type { JobService } from '../ports/jobService';

/** One more stream may be opening at the same time for this many open streams. */
const OPEN_FOR_EACH_ATTEMPT = 16;
/** Pause after the service rejected a stream, because too many are open. */
const STREAM_REJECTED_MS = 30_000;
/** The same if the service has no streams at all. */
const NO_STREAMS_MS = 300_000;
/** How long the service may take to notice that a stream was closed. */
const STREAM_FREEING_MS = 250;

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

/** The permission to request one stream. */
interface StreamSlot {
	/** Call this when the service has granted the stream. */
	markOpen(): void;
	/** @param error why the stream ended or was not granted; undefined if it ended normally. */
	close(error?: unknown): void;
}

/**
 * Limits the event streams of all waits of one connection to the number that the service grants. Streams are requested one after
 * another, and several at a time if many are open. After a rejection, the next request waits until a stream has
 * closed, or until the service's *Retry-After* is over.
 */
export class StreamLimiter {
	/** In the order of their arrival. */
	private readonly waiting = new Set<Waiter<StreamSlot>>();
	private opening = 0;
	private open = 0;
	/** How many streams were open when one more was rejected. */
	private limit = Infinity;
	/** When one more than the limit is requested, by the clock. */
	private tryMoreAt = -Infinity;
	/** The latest attempt failed for another reason. */
	private hasFailed = false;
	private readonly series = new RetrySeries({ policy: POLICIES.stream });
	private pausedUntil = -Infinity;
	private timer?: Timer;

	get isInUse(): boolean {
		return this.opening + this.open > 0;
	}

	get openStreams(): number {
		return this.open;
	}

	/**
	 * Waits until one more stream may be requested. The caller closes the slot when it does not need the stream any more.
	 * @param onFull called if the service has rejected one more stream, so that this one waits.
	 * @throws StoppedError when the signal fires.
	 */
	async waitForSlot(signal: AbortSignal, onFull: () => void): Promise<StreamSlot> {
		let isWaiting = true;
		const granted = stoppableWait<StreamSlot>([signal], (waiter) => {
			this.waiting.add(waiter);
			return () => {
				isWaiting = false;
				this.waiting.delete(waiter);
				if (this.waiting.size === 0) clearTimeout(this.timer);
			};
		});
		this.grantNext();
		if (isWaiting && this.open + this.opening >= this.limit) onFull();
		return await granted;
	}

	private grantNext(): void {
		clearTimeout(this.timer);
		for (const waiter of this.waiting) {
			const inMs = this.nextAttemptInMs();
			if (inMs > 0) {
				if (inMs < Infinity) this.timer = clock.after(inMs, () => this.grantNext());
				return;
			}
			waiter.resolve(this.takeSlot());
		}
	}

	/** Returns Infinity if an attempt or a stream must end first. */
	private nextAttemptInMs(): number {
		const now = clock.now();
		if (now < this.pausedUntil) return this.pausedUntil - now;
		const mostOpening = this.hasFailed ? 1 : 1 + Math.floor(this.open / OPEN_FOR_EACH_ATTEMPT);
		if (this.opening >= mostOpening) return Infinity;
		if (this.open + this.opening < this.limit) return 0;
		return this.opening > 0 ? Infinity : Math.max(0, this.tryMoreAt - now);
	}

	private takeSlot(): StreamSlot {
		let state: 'opening' | 'open' | 'closed' = 'opening';
		this.opening += 1;
		return {
			markOpen: () => {
				if (state !== 'opening') return;
				state = 'open';
				this.handleOpen();
			},
			close: (error) => {
				const before = state;
				state = 'closed';
				if (before === 'opening') this.opening -= 1;
				if (before !== 'closed') this.handleClose(before === 'open', error);
			},
		};
	}

	private handleOpen(): void {
		this.opening -= 1;
		this.open += 1;
		this.hasFailed = false;
		this.series.reset();
		if (this.open > this.limit) this.limit = Infinity;
		this.grantNext();
	}

	private handleClose(wasOpen: boolean, error: unknown): void {
		const isFreedLater = wasOpen && this.limit < Infinity && !isStreamRejection(error);
		if (isFreedLater) clock.after(STREAM_FREEING_MS, () => this.handleFreed());
		else if (wasOpen) this.open -= 1;
		if (isStreamRejection(error)) this.handleRejection(error);
		else if (!wasOpen && isTransient(error)) this.handleFailure(error);
		this.grantNext();
	}

	private handleFreed(): void {
		this.open -= 1;
		this.grantNext();
	}

	private handleRejection(error: unknown): void {
		const pauseMs = isWithoutStreams(error) ? NO_STREAMS_MS : STREAM_REJECTED_MS;
		this.limit = this.open;
		this.tryMoreAt = clock.now() + Math.max(pauseMs, retryAfterOf(error) ?? 0);
	}

	private handleFailure(error: unknown): void {
		this.pausedUntil = clock.now() + this.series.pauseMsAfter(error);
		this.hasFailed = true;
	}
}

const isWithoutStreams = (error: unknown): boolean => error instanceof ApiError && error.status === 501;

/** Whether the service rejects one more stream, or any stream. It would reject the stream of another wait too. */
const isStreamRejection = (error: unknown): boolean => isWithoutStreams(error) || (error instanceof ApiError && error.status === 429);

/** Whether a stream that was rejected or lost may be granted later. */
const mayBeGranted = (error: unknown): boolean => isStreamRejection(error) || isTransient(error);
