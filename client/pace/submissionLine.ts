import { clock, type Timer } from '../clock';
import { StoppedError } from '../errors';
import { logDecision } from '../observer';
import { onAbort } from '../transport/abort';
import { throwIfStopped } from '../transport/delay';
import { type Attempt, Pace, type RefusalKind } from './pace';

interface Waiting {
	/** Its place in the line: who was refused keeps it. */
	place: number;
	go(): void;
}

const timer = (call: () => void, milliseconds: number): Timer => clock.after(Math.ceil(milliseconds) + 1, call);

/** Where all submissions of one connection wait for their turn, those that came first before the others. */
export class SubmissionLine {
	private readonly pace = new Pace();
	private readonly line: Waiting[] = [];
	private places = 0;
	private alarm?: Timer;

	/** Jobs that were taken and, as far as is known, have not ended. */
	get inFlight(): number {
		return this.pace.inFlight;
	}

	newPlace(): number {
		return this.places++;
	}

	/**
	 * Waits for a turn, but no longer than `patienceMs`: then it is this submission's last try.
	 * @param isReported false for a submission whose rejection has been reported, which says that it waits.
	 * @throws StoppedError when the signal fires.
	 */
	async turn(place: number, patienceMs: number, signal: AbortSignal | undefined, isReported = true): Promise<Attempt> {
		throwIfStopped(signal);
		const cameAt = clock.realNow();
		let hasWaited = false;
		const attempt = await new Promise<Attempt>((resolve, reject) => {
			const leave = () => {
				clearTimeout(lastTry);
				stopListening();
				const index = this.line.indexOf(waiting);
				if (index !== -1) this.line.splice(index, 1);
				return index !== -1;
			};
			const go = () => {
				if (leave()) resolve(this.pace.begin());
			};
			const waiting: Waiting = { place, go };
			const lastTry = timer(go, patienceMs);
			const stopListening = onAbort(signal, () => {
				leave();
				reject(new StoppedError());
			});
			const before = this.line.findIndex((other) => other.place > place);
			this.line.splice(before === -1 ? this.line.length : before, 0, waiting);
			this.callNext();
			const ahead = this.line.indexOf(waiting);
			hasWaited = ahead !== -1;
			if (hasWaited && isReported) logDecision({ kind: 'waits_in_line', ahead, inFlight: this.inFlight });
		});
		if (hasWaited && isReported) logDecision({ kind: 'turn_came', waitedMs: clock.realNow() - cameAt });
		return attempt;
	}

	accepted(jobId: string): void {
		this.pace.accepted(jobId);
		this.callNext();
	}

	refused(attempt: Attempt, kind: RefusalKind, retryAfterMs: number | undefined): void {
		this.pace.refused(attempt, kind, clock.now(), retryAfterMs);
		this.callNext();
	}

	/** It came to nothing, for another reason. */
	failed(): void {
		this.pace.failed();
		this.callNext();
	}

	/** The service has told of the job's end. */
	ended(jobId: string): void {
		this.pace.ended(jobId);
		this.callNext();
	}

	private callNext(): void {
		clearTimeout(this.alarm);
		for (let [first] = this.line; first !== undefined; [first] = this.line) {
			const waitMs = this.pace.nextAt - clock.now();
			if (waitMs > 0) {
				if (waitMs !== Infinity) this.alarm = timer(() => this.callNext(), waitMs);
				return;
			}
			first.go();
		}
	}
}
