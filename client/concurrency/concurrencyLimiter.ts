import { growingPauseMs, POLICIES } from '../contact/policy';

/** Submissions that may be on their way at once while the limit of the service is unknown. Each accepted one adds a fifth. */
const FIRST_WINDOW = 5;
const WINDOW_GROWTH = 1 / 5;
/** Only one submission of a connection tries whether the service accepts more. */
const NO_SPREAD = 0.5;

/** `full`: too many jobs are in flight. `busy`: the service accepts nothing for now, however few jobs are in flight. */
export type RejectionKind = 'full' | 'busy';

/** The permission to send one submission now. */
export interface Slot {
	/** Jobs in flight when the slot was given. */
	readonly inFlight: number;
	/** The submission tries whether the service accepts more jobs than the known limit. */
	readonly isProbe: boolean;
}

/**
 * Learns from rejections how many jobs a service accepts at once. After a rejection with n jobs in flight, no more than n are
 * tried until one has ended or the pause is over. Then one more is tried, and the next one as soon as that is accepted.
 * Times are milliseconds of one clock.
 */
export class ConcurrencyLimiter {
	private readonly jobIds = new Set<string>();
	/** Submissions on their way. */
	private sending = 0;
	private window = FIRST_WINDOW;
	/** The service rejected a submission beyond this number of jobs in flight. */
	private limit = Infinity;
	private nextProbeAt = 0;
	private rejectedProbes = 0;
	private busyUntil = 0;
	private busyAnswers = 0;

	/** Returns the number of jobs that were accepted and have not ended, as far as is known. */
	get inFlight(): number {
		return this.jobIds.size;
	}

	/** Returns when the next submission may leave if nothing else happens: a past time for now, Infinity for never. */
	get nextAt(): number {
		if (this.sending + 1 > this.window) return Infinity;
		if (this.inFlight + this.sending < this.limit) return this.busyUntil;
		return this.sending > 0 ? Infinity : Math.max(this.busyUntil, this.nextProbeAt);
	}

	takeSlot(): Slot {
		const { inFlight } = this;
		const isProbe = this.limit !== Infinity && inFlight + this.sending >= this.limit;
		this.sending++;
		return { inFlight, isProbe };
	}

	markAccepted(jobId: string): void {
		this.sending--;
		this.window += WINDOW_GROWTH;
		this.busyAnswers = 0;
		this.jobIds.add(jobId);
		if (this.inFlight <= this.limit) return;
		this.limit = this.inFlight;
		this.rejectedProbes = 0;
	}

	/** @param retryAfterMs the pause that the service asked for. */
	markRejected(slot: Slot, kind: RejectionKind, now: number, retryAfterMs?: number): void {
		this.sending--;
		if (kind === 'busy') this.pauseAll(now, retryAfterMs);
		else this.learnLimit(slot, now, retryAfterMs);
	}

	/** The submission failed for another reason, which says nothing about the limit. */
	releaseSlot(): void {
		this.sending--;
	}

	markEnded(jobId: string): void {
		this.jobIds.delete(jobId);
	}

	private pauseAll(now: number, retryAfterMs?: number): void {
		this.window = 1;
		this.busyUntil = Math.max(this.busyUntil, now + (retryAfterMs ?? growingPauseMs(POLICIES.submit, ++this.busyAnswers, Math.random())));
	}

	private learnLimit(slot: Slot, now: number, retryAfterMs?: number): void {
		// The service still counted a job that ended while the answer was on its way.
		this.limit = Math.max(slot.inFlight, this.inFlight);
		this.rejectedProbes = slot.isProbe ? this.rejectedProbes + 1 : 0;
		const pauseMs = retryAfterMs ?? growingPauseMs(POLICIES.submit, this.rejectedProbes + 1, Math.random());
		this.nextProbeAt =
			now + Math.max(pauseMs, this.limit === 0 ? 0 : growingPauseMs(POLICIES.fullService, this.rejectedProbes + 1, NO_SPREAD));
	}
}
