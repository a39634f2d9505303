import type { JobEvent } from '../../job';
import type { Frame } from '../frames';
import type { OutputDecoder } from '../outputs';
import type { HeardOfJob } from './heardOfJob';
import { JobTracker } from './jobTracker';

const MOST_JOBS = 1_000;
/** Of all jobs together. */
const MOST_KEPT_CHARACTERS = 32 * 1024 * 1024;

export interface JobNewsItem {
	event: JobEvent;
	/** Null for news of the account. */
	jobId: string | null;
}

/** The jobs that one connection tells of, as many as are worth remembering: the oldest ended ones go first. */
export class TrackedJobs {
	/** Oldest first. */
	private readonly trackers = new Map<string, JobTracker>();
	private keptCharacters = 0;

	constructor(private readonly decodeOutputs: OutputDecoder) {}

	/** @returns undefined when nothing was heard of the job, or it is forgotten. */
	heardOf(jobId: string): HeardOfJob | undefined {
		const tracker = this.trackers.get(jobId);
		return tracker?.wasHeard ? tracker.heard : undefined;
	}

	hasEnded(jobId: string): boolean {
		return this.trackers.get(jobId)?.hasEnded ?? false;
	}

	/** Whether everything was heard since the job began to run. */
	wasHeardFromStart(jobId: string): boolean {
		return this.trackers.get(jobId)?.wasHeardFromStart ?? false;
	}

	/** The number of nodes in a job's graph. @returns the progress by it, while the job runs. */
	setTotal(jobId: string, nodes: number): JobEvent | undefined {
		return this.trackerOf(jobId).setTotal(nodes);
	}

	/** Frames may have been missed. */
	gap(): void {
		for (const tracker of this.trackers.values()) tracker.gap();
	}

	take(frame: Frame): JobNewsItem[] {
		switch (frame.kind) {
			case 'status':
				return [{ event: { kind: 'queue', queue_remaining: frame.queueRemaining }, jobId: null }];
			case 'notification':
				return [{ event: { kind: 'notification', message: frame.text }, jobId: frame.jobId }];
			case 'other':
				return [{ event: { kind: 'other', name: frame.type, data: frame.data }, jobId: frame.jobId }];
			case 'malformed':
				return [{ event: { kind: 'other', name: 'malformed', data: { reason: frame.reason } }, jobId: null }];
			default:
				return this.takeOfJob(frame);
		}
	}

	private takeOfJob(frame: Frame): JobNewsItem[] {
		const jobId = jobIdOf(frame) ?? this.onlyRunning();
		if (jobId === null) return homeless(frame).map((event) => ({ event, jobId }));
		const tracker = this.trackerOf(jobId);
		const before = tracker.keptCharacters;
		const events = tracker.take(frame);
		this.keptCharacters += tracker.keptCharacters - before;
		this.forgetOldest();
		return events.map((event) => ({ event, jobId }));
	}

	/** Frames that name no job can be no other's when only one runs. */
	private onlyRunning(): string | null {
		const running = [...this.trackers].filter(([, { isRunning }]) => isRunning);
		return running.length === 1 ? (running[0]?.[0] ?? null) : null;
	}

	private trackerOf(jobId: string): JobTracker {
		const known = this.trackers.get(jobId);
		if (known) return known;
		const tracker = new JobTracker(jobId, this.decodeOutputs);
		this.trackers.set(jobId, tracker);
		this.forgetOldest();
		return tracker;
	}

	private forgetOldest(): void {
		while (this.trackers.size > MOST_JOBS || (this.trackers.size > 1 && this.keptCharacters > MOST_KEPT_CHARACTERS)) {
			const [jobId, tracker] = this.oldest();
			this.trackers.delete(jobId);
			this.keptCharacters -= tracker.keptCharacters;
		}
	}

	private oldest(): [string, JobTracker] {
		const entries = [...this.trackers];
		return (entries.find(([, { hasEnded }]) => hasEnded) ?? entries[0]) as [string, JobTracker];
	}
}

const jobIdOf = (frame: Frame): string | null => ('jobId' in frame ? frame.jobId : null);

/** Of a job that nobody can name. */
function homeless(frame: Frame): JobEvent[] {
	switch (frame.kind) {
		case 'preview':
			return [{ kind: 'preview', node_id: frame.nodeId, content_type: frame.contentType, data: frame.data }];
		case 'progress_text':
			return [{ kind: 'text', node_id: frame.nodeId, text: frame.text }];
		default:
			return [{ kind: 'other', name: frame.kind, data: frame }];
	}
}
