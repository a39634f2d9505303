import { minimalJob, QUEUE_STATUSES } from '../comfyui/jobRecords';
import type { EngineConnection } from '../connection';
import { unknownJobError } from '../engine/service';
import { pauseBetweenPolls } from '../engine/queuePollingFeed';
import type { Job } from '../job';
import { Alarm } from '../transport/alarm';
import { outcomeOf } from '../transport/outcome';
import type { SourceListener, Watch } from './eventSource';

/** An open socket may still miss a change. */
const SAFETY_READ_MS = 30_000;
const READ_WITHOUT_SOCKET_MS = 5_000;

/** Enough for the jobs that end between two reads, or while the connection is down. */
const HISTORY_ENTRIES = 64;

export type EngineSource = Pick<EngineConnection, 'records' | 'feed'>;

/**
 * Watches all jobs of an engine. An engine sends the events of a job only to the client that submitted it. So each `status`
 * message is a sign that queue and history have changed, and these are read.
 */
export const watchEngine =
	(source: EngineSource, jobIds: readonly string[] = []): Watch =>
	async (listener, signal) =>
		await new EngineWatch(source, jobIds, listener, signal).run();

class EngineWatch {
	private readonly alarm = new Alarm();
	private isLive = false;
	/** Chosen jobs that were searched for, and neither waited nor ran. */
	private readonly searched = new Set<string>();

	constructor(
		private readonly source: EngineSource,
		private readonly jobIds: readonly string[],
		private readonly listener: SourceListener,
		private readonly signal: AbortSignal,
	) {}

	async run(): Promise<void> {
		const reading = this.readRepeatedly();
		await this.source.feed.follow(
			{
				onConnect: () => this.setLive(true),
				onEvent: (event, jobId, raw) => {
					this.listener.onEvent(event, jobId, raw);
					if (event.kind === 'queue') this.alarm.ring();
				},
				onTrouble: (error, retryInMs) => {
					this.setLive(false);
					this.listener.onTrouble({ error, retryInMs });
				},
			},
			this.signal,
		);
		await reading;
	}

	private setLive(isLive: boolean): void {
		this.isLive = isLive;
		this.alarm.ring();
	}

	private async readRepeatedly(): Promise<void> {
		while (!this.signal.aborted) {
			const read = await outcomeOf(this.readChanges());
			if (read.ok && this.isLive) this.listener.onConnect();
			if (!read.ok && !this.signal.aborted) this.listener.onTrouble({ error: read.error, retryInMs: READ_WITHOUT_SOCKET_MS });
			await pauseBetweenPolls(this.signal);
			await outcomeOf(this.alarm.sleep(this.isLive && read.ok ? SAFETY_READ_MS : READ_WITHOUT_SOCKET_MS, this.signal));
		}
	}

	private async readChanges(): Promise<void> {
		const { records } = this.source;
		const { signal } = this;
		const queue = await records.queue({ signal });
		const running = queue.running.map(({ job_id }) => job_id);
		const pending = queue.pending.map(({ job_id }) => job_id);
		for (const jobId of running) this.reportStatus(jobId, 'running');
		for (const jobId of pending) this.reportStatus(jobId, 'pending');
		const queued = new Set([...running, ...pending]);
		const vanished = this.listener.inFlight().filter((jobId) => !queued.has(jobId));
		for (const job of await records.history(HISTORY_ENTRIES, { signal })) {
			if (vanished.includes(job.job_id) || this.endedInTime(job)) this.reportEnd(job);
		}
		for (const jobId of vanished) {
			if (this.listener.hasEnded(jobId)) continue;
			this.reportEnd((await records.ended(jobId, { signal })) ?? minimalJob(jobId, 'engine', 'expired'));
		}
		await this.findChosenJobs(queued);
	}

	/** Reports chosen jobs even if they ended before the trigger began. An unknown job is reported once. */
	private async findChosenJobs(queued: ReadonlySet<string>): Promise<void> {
		for (const jobId of this.jobIds) {
			if (this.isKnown(jobId, queued)) continue;
			const ended = await this.source.records.ended(jobId, { signal: this.signal });
			this.searched.add(jobId);
			if (ended !== undefined) this.reportEnd(ended);
			else this.listener.onTrouble({ error: unknownJobError(), retryInMs: null, jobId });
		}
	}

	private isKnown(jobId: string, queued: ReadonlySet<string>): boolean {
		return queued.has(jobId) || this.searched.has(jobId) || this.listener.hasEnded(jobId) || this.listener.inFlight().includes(jobId);
	}

	private endedInTime({ completed_at }: Job): boolean {
		return completed_at !== null && Date.parse(completed_at) >= this.listener.since;
	}

	private reportStatus(jobId: string, part: keyof typeof QUEUE_STATUSES): void {
		if (!this.isWatched(jobId)) return;
		const event = { kind: 'status', ...QUEUE_STATUSES[part], queue_position: null } as const;
		this.listener.onEvent(event, jobId, event);
	}

	private reportEnd(job: Job): void {
		if (this.isWatched(job.job_id)) this.listener.onJob(job);
	}

	private isWatched(jobId: string): boolean {
		return this.jobIds.length === 0 || this.jobIds.includes(jobId);
	}
}
