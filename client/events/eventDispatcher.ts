import { clock } from '../async/clock';
import { type InterfaceName, isTerminal, type Job, type JobError, type JobEvent, type JobOutput } from '../ports/job';
import { Cache } from '../cache/cache';
import type { EventType, TriggerEvent } from './event';

/** If more jobs are in flight, those with the oldest events are forgotten. */
const MOST_IN_FLIGHT = 1_000;
const MOST_ENDED = 500;

/** What a dispatcher needs after a restart, so that it reports nothing twice. Plain JSON, which n8n stores. */
export interface DispatcherState {
	/** Jobs in flight. */
	followed: Record<string, ReportedState>;
	/** Jobs whose end was reported → when (epoch milliseconds). */
	ended: Record<string, number>;
}

/** What was reported about a job in flight. */
export interface ReportedState {
	/** The highest milestone that was reported; 0 for none. */
	milestone: number;
	/** The outputs that were reported. */
	outputs: string[];
}

export interface DispatcherSettings {
	/** Read for each event, because a source may find out its interface late. */
	readonly interface: InterfaceName;
	/** Percentages from 1 to 99. */
	milestones: readonly number[];
	state?: DispatcherState;
}

/**
 * Turns what a source reports about many jobs into trigger events. Reports each milestone, each output and each end once,
 * across lost connections and restarts.
 */
export class EventDispatcher {
	private readonly inFlightJobs = new Cache<string, JobReport>({ mostEntries: MOST_IN_FLIGHT });
	private readonly ended = new Cache<string, number>({ mostEntries: MOST_ENDED });
	private readonly account: JobReport;

	constructor(private readonly settings: DispatcherSettings) {
		const { followed = {}, ended = {} } = settings.state ?? {};
		for (const [jobId, state] of Object.entries(followed)) this.inFlightJobs.set(jobId, new JobReport(jobId, settings, state));
		for (const [jobId, endedAt] of Object.entries(ended)) this.ended.set(jobId, endedAt);
		this.account = new JobReport(null, settings);
	}

	/** Returns the events to pass on for a live event. @param jobId null for an event of the account. */
	handleEvent(event: JobEvent, jobId: string | null, raw: unknown): TriggerEvent[] {
		if (jobId === null) return this.account.handleEvent(event, raw);
		return this.ended.has(jobId) ? [] : this.reportOf(jobId).handleEvent(event, raw);
	}

	/** Returns the events to pass on for a job that was read. */
	handleJob(job: Job): TriggerEvent[] {
		const { job_id: jobId } = job;
		if (this.ended.has(jobId)) return [];
		const events = this.reportOf(jobId).handleJob(job);
		if (isTerminal(job.status)) {
			this.inFlightJobs.delete(jobId);
			this.ended.set(jobId, clock.wallNow());
		}
		return events;
	}

	inFlight(): string[] {
		return this.inFlightJobs.list().map(([jobId]) => jobId);
	}

	hasEnded(jobId: string): boolean {
		return this.ended.has(jobId);
	}

	state(): DispatcherState {
		return {
			followed: Object.fromEntries(this.inFlightJobs.list().map(([jobId, job]) => [jobId, job.state()])),
			ended: Object.fromEntries(this.ended.list()),
		};
	}

	private reportOf(jobId: string): JobReport {
		return this.inFlightJobs.get(jobId) ?? this.inFlightJobs.set(jobId, new JobReport(jobId, this.settings));
	}
}

/** Identifies an output of a job across live events and reads. Its link and its id may change. */
const outputKey = ({ node_id, name }: JobOutput): string => `${node_id}/${name}`;

/** What was reported about one job, or about the account. Nothing is reported twice, and the percentage never falls. */
class JobReport {
	private readonly reportedOutputs: Set<string>;
	private milestone: number;
	private status: string | null = null;
	private serviceStatus: string | null = null;
	private percent: number | null = null;
	private step: number | null = null;
	private steps: number | null = null;
	private error: JobError | null = null;
	private server: string | undefined;

	/** @param jobId null for the account. */
	constructor(
		private readonly jobId: string | null,
		private readonly settings: DispatcherSettings,
		{ milestone, outputs }: ReportedState = { milestone: 0, outputs: [] },
	) {
		this.milestone = milestone;
		this.reportedOutputs = new Set(outputs);
	}

	state(): ReportedState {
		return { milestone: this.milestone, outputs: [...this.reportedOutputs] };
	}

	/** A live event about the end reports nothing. The job is read first, and `handleJob` reports the end. */
	handleEvent(event: JobEvent, raw: unknown): TriggerEvent[] {
		switch (event.kind) {
			case 'status':
				return isTerminal(event.status) ? [] : this.reportStatus(event.status, event.service_status, raw);
			case 'progress': {
				const { value, current_node, step, steps } = event.progress;
				this.step = step ?? null;
				this.steps = steps ?? null;
				return [...this.reportMilestones(value, raw), this.toEvent('progress', raw, { node_id: current_node ?? null })];
			}
			case 'output':
				return this.reportOutput(event.output, raw);
			case 'failed':
				this.error = event.job_error;
				return [];
			case 'node':
				return [this.toEvent('node', raw, { node_id: event.node_id })];
			case 'cached':
				return [this.toEvent('cached', raw)];
			case 'preview': {
				const { content_type, data, node_id } = event;
				return [this.toEvent('preview', raw, { node_id, preview: { content_type, data } })];
			}
			case 'text':
				return [this.toEvent('text', raw, { node_id: event.node_id, message: event.text })];
			case 'log':
			case 'notification':
				return [this.toEvent(event.kind, raw, { message: event.message })];
			case 'queue':
				return [this.toEvent('queue', raw, { queue_remaining: event.queue_remaining })];
			case 'other':
				return [this.toEvent('other', raw)];
		}
	}

	/** Reports what the live events missed, and the end of the job. */
	handleJob(job: Job): TriggerEvent[] {
		this.server = job.server ?? this.server;
		if (!isTerminal(job.status)) {
			return [
				...this.reportStatus(job.status, job.service_status, job),
				...(job.progress ? this.reportMilestones(job.progress.value, job) : []),
				...this.reportOutputs(job),
			];
		}
		if (job.status === 'succeeded') this.percent = 100;
		this.status = job.status;
		this.serviceStatus = job.service_status;
		this.error = job.job_error ?? this.error;
		return [...this.reportOutputs(job), this.toEvent('finished', job, { outputs: job.outputs })];
	}

	private reportStatus(status: string, serviceStatus: string, raw: unknown): TriggerEvent[] {
		if (status === this.status) return [];
		this.status = status;
		this.serviceStatus = serviceStatus;
		return [this.toEvent('status', raw)];
	}

	private reportMilestones(value: number, raw: unknown): TriggerEvent[] {
		this.percent = Math.max(this.percent ?? 0, toPercent(value));
		return reachedMilestones(this.settings.milestones, this.milestone, this.percent).map((milestone) => {
			this.milestone = milestone;
			return this.toEvent('milestone', raw, { milestone });
		});
	}

	private reportOutputs(job: Job): TriggerEvent[] {
		return job.outputs.flatMap((output) => this.reportOutput(output, output));
	}

	private reportOutput(output: JobOutput, raw: unknown): TriggerEvent[] {
		const key = outputKey(output);
		if (this.reportedOutputs.has(key)) return [];
		this.reportedOutputs.add(key);
		return [this.toEvent('output', raw, { node_id: output.node_id, outputs: [output] })];
	}

	private toEvent(kind: EventType, event: unknown, fields: Partial<TriggerEvent> = {}): TriggerEvent {
		return {
			kind,
			interface: this.settings.interface,
			job_id: this.jobId,
			...(this.server !== undefined && { server: this.server }),
			status: this.status,
			service_status: this.serviceStatus,
			node_id: null,
			percent: this.percent,
			milestone: null,
			step: this.step,
			steps: this.steps,
			outputs: [],
			job_error: this.error,
			message: null,
			queue_remaining: null,
			event,
			...fields,
		};
	}
}

/** Returns a progress of 0 to 1 in whole percent. Only a progress of 1 is 100 percent. */
export const toPercent = (value: number): number => Math.floor(Math.min(Math.max(value, 0), 1) * 100 + 1e-9);

/** Returns the milestones above `last` that `percent` has reached, lowest first. */
const reachedMilestones = (milestones: readonly number[], last: number, percent: number): number[] =>
	milestones.filter((milestone) => milestone > last && milestone <= percent).sort((one, other) => one - other);
