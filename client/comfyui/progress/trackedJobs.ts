import type { JobEvent } from '../../ports/job';
import type { Frame } from '../frames/frame';
import type { OutputDecoder } from '../outputs';
import { type JobFromEvents, JobProgressTracker } from './jobProgressTracker';

const MOST_JOBS = 1_000;
/** Of all jobs together. */
const MOST_KEPT_CHARACTERS = 32 * 1024 * 1024;

export interface AddressedEvent {
	event: JobEvent;
	/** Null for an event of the account. */
	jobId: string | null;
}

/** The jobs that one connection sends frames about. Beyond a limit the oldest are forgotten, ended jobs before others. */
export class TrackedJobs {
	/** Oldest first. */
	private readonly trackers = new Map<string, JobProgressTracker>();
	private keptCharacters = 0;

	constructor(private readonly decodeOutputs: OutputDecoder) {}

	/** @returns undefined if no frame of the job arrived, or if the job is forgotten. */
	jobFromEvents(jobId: string): JobFromEvents | undefined {
		const tracker = this.trackers.get(jobId);
		return tracker?.hasFrames ? tracker.job : undefined;
	}

	hasEnded(jobId: string): boolean {
		return this.trackers.get(jobId)?.hasEnded ?? false;
	}

	/** Returns whether every frame since the job began to run arrived. */
	isTrackedFromStart(jobId: string): boolean {
		return this.trackers.get(jobId)?.isTrackedFromStart ?? false;
	}

	/** Sets the number of nodes in a job's graph. @returns the progress by that number if the job runs. */
	setTotal(jobId: string, nodes: number): JobEvent | undefined {
		return this.trackerOf(jobId).setTotal(nodes);
	}

	/** Call this when frames may have been missed. */
	markGap(): void {
		for (const tracker of this.trackers.values()) tracker.markGap();
	}

	handle(frame: Frame): AddressedEvent[] {
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
				return this.handleJobFrame(frame);
		}
	}

	private handleJobFrame(frame: Frame): AddressedEvent[] {
		const jobId = jobIdOf(frame) ?? this.onlyRunningJob();
		if (jobId === null) return [{ event: toEventWithoutJob(frame), jobId }];
		const tracker = this.trackerOf(jobId);
		const before = tracker.keptCharacters;
		const events = tracker.handle(frame);
		this.keptCharacters += tracker.keptCharacters - before;
		this.forgetOldest();
		return events.map((event) => ({ event, jobId }));
	}

	/** A frame without a job id belongs to the running job if only one runs. */
	private onlyRunningJob(): string | null {
		const running = [...this.trackers].filter(([, { isRunning }]) => isRunning);
		return running.length === 1 ? (running[0]?.[0] ?? null) : null;
	}

	private trackerOf(jobId: string): JobProgressTracker {
		const known = this.trackers.get(jobId);
		if (known) return known;
		const tracker = new JobProgressTracker(jobId, this.decodeOutputs);
		this.trackers.set(jobId, tracker);
		this.forgetOldest();
		return tracker;
	}

	private forgetOldest(): void {
		while (this.trackers.size > MOST_JOBS || (this.trackers.size > 1 && this.keptCharacters > MOST_KEPT_CHARACTERS)) {
			const [jobId, tracker] = this.findOldest();
			this.trackers.delete(jobId);
			this.keptCharacters -= tracker.keptCharacters;
		}
	}

	private findOldest(): [string, JobProgressTracker] {
		const entries = [...this.trackers];
		return (entries.find(([, { hasEnded }]) => hasEnded) ?? entries[0]) as [string, JobProgressTracker];
	}
}

const jobIdOf = (frame: Frame): string | null => ('jobId' in frame ? frame.jobId : null);

/** The event of a frame that no job can be found for. */
function toEventWithoutJob(frame: Frame): JobEvent {
	switch (frame.kind) {
		case 'preview':
			return { kind: 'preview', node_id: frame.nodeId, content_type: frame.contentType, data: frame.data };
		case 'progress_text':
			return { kind: 'text', node_id: frame.nodeId, text: frame.text };
		default:
			return { kind: 'other', name: frame.kind, data: frame };
	}
}
