import { clock, type Timer } from '../async/clock';
import { afterAtLeast } from '../async/delay';
import { logDecision } from '../log/observer';
import { type Waiter, stoppableWait } from '../async/stoppableWait';
import { ConcurrencyLimiter, type RejectionKind, type Slot } from './concurrencyLimiter';

/** A submission that waits for a slot. */
interface QueuedSubmission extends Waiter<Slot> {
	readonly position: number;
}

/** All submissions of one connection wait here for a slot, in the order of their positions. */
export class SubmissionQueue {
	private readonly limiter = new ConcurrencyLimiter();
	private readonly queue: QueuedSubmission[] = [];
	private positions = 0;
	private timer?: Timer;

	/** @param closed fires when the connection is closed. Waiting submissions end then. */
	constructor(private readonly closed?: AbortSignal) {}

	/** Returns the number of jobs that were accepted and have not ended, as far as is known. */
	get inFlight(): number {
		return this.limiter.inFlight;
	}

	/** Returns the position of a new submission, which it keeps when it is rejected and waits again. */
	newPosition(): number {
		return this.positions++;
	}

	/**
	 * Waits for a slot, but no longer than `patienceMs`. Then the submission gets a slot for its last try.
	 * @param isLogged false if the log already says that the submission waits, because its rejection was logged.
	 * @throws StoppedError when the signal fires, or the connection is closed.
	 */
	async waitForSlot(position: number, patienceMs: number, signal: AbortSignal | undefined, isLogged = true): Promise<Slot> {
		const startedAt = clock.realNow();
		const granted = stoppableWait<Slot>([signal, this.closed], (waiter) => this.enqueue({ ...waiter, position }, patienceMs));
		this.startNext();
		const ahead = this.queue.findIndex((submission) => submission.position === position);
		const logsWait = isLogged && ahead !== -1;
		if (logsWait) logDecision({ kind: 'submission_queued', ahead, inFlight: this.inFlight });
		const slot = await granted;
		if (logsWait) logDecision({ kind: 'slot_granted', waitedMs: clock.realNow() - startedAt });
		return slot;
	}

	markAccepted(jobId: string): void {
		this.limiter.markAccepted(jobId);
		this.startNext();
	}

	markRejected(slot: Slot, kind: RejectionKind, retryAfterMs: number | undefined): void {
		this.limiter.markRejected(slot, kind, clock.now(), retryAfterMs);
		this.startNext();
	}

	/** The submission failed for another reason, which says nothing about the limit. */
	releaseSlot(): void {
		this.limiter.releaseSlot();
		this.startNext();
	}

	/** The service reported the end of the job. */
	markEnded(jobId: string): void {
		this.limiter.markEnded(jobId);
		this.startNext();
	}

	/** @returns what removes the submission. */
	private enqueue(submission: QueuedSubmission, patienceMs: number): () => void {
		const next = this.queue.findIndex(({ position }) => position > submission.position);
		this.queue.splice(next === -1 ? this.queue.length : next, 0, submission);
		const lastTry = afterAtLeast(patienceMs, () => this.start(submission));
		return () => {
			clearTimeout(lastTry);
			this.queue.splice(this.queue.indexOf(submission), 1);
			if (this.queue.length === 0) clearTimeout(this.timer);
		};
	}

	private start(submission: QueuedSubmission): void {
		submission.resolve(this.limiter.takeSlot());
	}

	private startNext(): void {
		clearTimeout(this.timer);
		for (let [first] = this.queue; first !== undefined; [first] = this.queue) {
			const waitMs = this.limiter.nextAt - clock.now();
			if (waitMs > 0) {
				if (waitMs !== Infinity) this.timer = afterAtLeast(waitMs, () => this.startNext());
				return;
			}
			this.start(first);
		}
	}
}
