/** What a job's own times say. Moments are epoch milliseconds here. */
import type { Job } from '../job';
import { timeOf } from '../comfyui/timestamps';

/** When a job was made; undefined where it is not told: such a job is neither new nor old. */
export const madeAt = ({ created_at }: Job): number | undefined => timeOf(created_at);

/** The same, or when it began: older engines tell no more. */
export const madeOrBegunAt = (job: Job): number | undefined => madeAt(job) ?? timeOf(job.started_at);

/** Whether a job that has ended did so since then; undefined where its times do not tell. */
export function endedSince(job: Job, since: number): boolean | undefined {
	const endedAt = timeOf(job.completed_at);
	if (endedAt !== undefined) return endedAt >= since;
	if ((madeAt(job) ?? -Infinity) >= since) return true;
	// Its latest change: the end, or something after it.
	if ((timeOf(job.update_time) ?? Infinity) < since) return false;
	return undefined;
}
