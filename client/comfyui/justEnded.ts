import { clock } from '../clock';

/** Between the news that a job has ended and the read that follows it. */
const KEPT_MS = 1_000;

/** What was just read of a job that had ended. It does not change any more, so that whoever reads next need not ask again. */
export class JustEnded<T> {
	private readonly kept = new Map<string, { value: T; readAt: number }>();

	put(jobId: string, value: T): void {
		const now = clock.realNow();
		for (const [known, { readAt }] of this.kept) if (now - readAt > KEPT_MS) this.kept.delete(known);
		this.kept.set(jobId, { value, readAt: now });
	}

	/** Once. */
	take(jobId: string): T | undefined {
		const found = this.kept.get(jobId);
		this.kept.delete(jobId);
		return found !== undefined && clock.realNow() - found.readAt <= KEPT_MS ? found.value : undefined;
	}
}
