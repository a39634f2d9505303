import { bareJob } from '../comfyui/bareJob';
import { QUEUE_WORDS } from '../comfyui/statuses';
import type { EngineConnection } from '../connection';
import { unknownJobError } from '../engine/service';
import { pauseBetweenPolls } from '../engine/queuePollingFeed';
import type { Job } from '../job';
import { Alarm } from '../transport/alarm';
import { outcomeOf } from '../transport/outcome';
import type { NewsListener, Watch } from './newsSource';

/** A socket that is alive may still miss a change. */
const SAFETY_LOOK_MS = 30_000;
const LOOK_WITHOUT_SOCKET_MS = 5_000;

/** Enough for what ends between two looks, and for what ended while nobody looked. */
const HISTORY_ENTRIES = 64;

export type EngineSource = Pick<EngineConnection, 'records' | 'feed'>;

/**
 * Follows all jobs of an engine. It sends a job's own events only to whoever submitted it, so its `status` frames are
 * taken as a sign that queue and history have changed, and these are read.
 */
export const watchEngine =
	(source: EngineSource, jobIds: readonly string[] = []): Watch =>
	async (listener, signal) =>
		await new EngineWatch(source, jobIds, listener, signal).run();

class EngineWatch {
	private readonly alarm = new Alarm();
	private isLive = false;
	/** Listed jobs that were looked for and not found waiting or running. */
	private readonly missing = new Set<string>();

	constructor(
		private readonly source: EngineSource,
		private readonly jobIds: readonly string[],
		private readonly listener: NewsListener,
		private readonly signal: AbortSignal,
	) {}

	async run(): Promise<void> {
		const looking = this.keepLooking();
		await this.source.feed.follow(
			{
				onConnect: () => this.change(true),
				onEvent: (event, jobId, raw) => {
					this.listener.onEvent(event, jobId, raw);
					if (event.kind === 'queue') this.alarm.ring();
				},
				onTrouble: (error, retryInMs) => {
					this.change(false);
					this.listener.onTrouble({ error, retryInMs });
				},
			},
			this.signal,
		);
		await looking;
	}

	private change(isLive: boolean): void {
		this.isLive = isLive;
		this.alarm.ring();
	}

	private async keepLooking(): Promise<void> {
		while (!this.signal.aborted) {
			const looked = await outcomeOf(this.look());
			if (looked.ok && this.isLive) this.listener.onConnect();
			if (!looked.ok && !this.signal.aborted) this.listener.onTrouble({ error: looked.error, retryInMs: LOOK_WITHOUT_SOCKET_MS });
			await pauseBetweenPolls(this.signal);
			await outcomeOf(this.alarm.sleep(this.isLive && looked.ok ? SAFETY_LOOK_MS : LOOK_WITHOUT_SOCKET_MS, this.signal));
		}
	}

	private async look(): Promise<void> {
		const { records } = this.source;
		const { signal } = this;
		const queue = await records.queue({ signal });
		const [running, pending] = [queue.running, queue.pending].map((entries) => entries.map(({ job_id }) => job_id)) as [string[], string[]];
		for (const jobId of running) this.tellStatus(jobId, 'running');
		for (const jobId of pending) this.tellStatus(jobId, 'pending');
		const queued = new Set([...running, ...pending]);
		const vanished = this.listener.inFlight().filter((jobId) => !queued.has(jobId));
		for (const job of await records.history(HISTORY_ENTRIES, { signal })) {
			if (vanished.includes(job.job_id) || this.isNews(job)) this.tellEnd(job);
		}
		for (const jobId of vanished) {
			if (this.listener.hasEnded(jobId)) continue;
			this.tellEnd((await records.ended(jobId, { signal })) ?? bareJob(jobId, 'engine', 'expired'));
		}
		await this.lookForListed(queued);
	}

	/** Jobs that are named are told of even if they had ended before; one that nobody knows is said once. */
	private async lookForListed(queued: ReadonlySet<string>): Promise<void> {
		for (const jobId of this.jobIds) {
			if (this.isKnown(jobId, queued)) continue;
			const ended = await this.source.records.ended(jobId, { signal: this.signal });
			this.missing.add(jobId);
			if (ended !== undefined) this.tellEnd(ended);
			else this.listener.onTrouble({ error: unknownJobError(), retryInMs: null, jobId });
		}
	}

	private isKnown(jobId: string, queued: ReadonlySet<string>): boolean {
		return queued.has(jobId) || this.missing.has(jobId) || this.listener.hasEnded(jobId) || this.listener.inFlight().includes(jobId);
	}

	private isNews({ completed_at }: Job): boolean {
		return completed_at !== null && Date.parse(completed_at) >= this.listener.since;
	}

	private tellStatus(jobId: string, place: keyof typeof QUEUE_WORDS): void {
		if (!this.isWanted(jobId)) return;
		const event = { kind: 'status', ...QUEUE_WORDS[place], queue_position: null } as const;
		this.listener.onEvent(event, jobId, event);
	}

	private tellEnd(job: Job): void {
		if (this.isWanted(job.job_id)) this.listener.onJob(job);
	}

	private isWanted(jobId: string): boolean {
		return this.jobIds.length === 0 || this.jobIds.includes(jobId);
	}
}
