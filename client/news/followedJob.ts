import { type InterfaceName, isTerminal, type Job, type JobError, type JobEvent, type JobOutput } from '../job';
import { percentOf, reached } from './milestones';
import type { News, NewsKind } from './news';

/** What must be remembered of a job in flight, so that nothing is told twice. */
export interface Remembered {
	/** The highest milestone that was told; 0 for none. */
	milestone: number;
	/** Outputs that were told. */
	outputs: string[];
}

/** One file of one job has the same name for ever; its link and its id may change. */
const outputKey = ({ node_id, name }: JobOutput): string => `${node_id}/${name}`;

/** One job as the news about it tell: what was told before is not told again, and its percent never falls. */
export class FollowedJob {
	private readonly toldOutputs: Set<string>;
	private milestone: number;
	private status: string | null = null;
	private serviceStatus: string | null = null;
	private percent: number | null = null;
	private step: number | null = null;
	private steps: number | null = null;
	private error: JobError | null = null;

	constructor(
		readonly jobId: string,
		/** Read anew for each item: it may be found out late. */
		private readonly source: { readonly interface: InterfaceName },
		private readonly steppingStones: readonly number[],
		{ milestone, outputs }: Remembered = { milestone: 0, outputs: [] },
	) {
		this.milestone = milestone;
		this.toldOutputs = new Set(outputs);
	}

	remembered(): Remembered {
		return { milestone: this.milestone, outputs: [...this.toldOutputs] };
	}

	/** Live news. A terminal status tells nothing yet: the job is read first. */
	take(event: JobEvent, raw: unknown): News[] {
		switch (event.kind) {
			case 'status':
				return isTerminal(event.status) ? [] : this.moveTo(event.status, event.service_status, raw);
			case 'progress': {
				const { value, current_node, step, steps } = event.progress;
				this.step = step ?? null;
				this.steps = steps ?? null;
				return [...this.advance(value, raw), this.news('progress', raw, { node_id: current_node ?? null })];
			}
			case 'output':
				return this.tellOutput(event.output, raw);
			case 'failed':
				this.error = event.job_error;
				return [];
			case 'node':
				return [this.news('node', raw, { node_id: event.node_id })];
			case 'cached':
				return [this.news('cached', raw)];
			case 'preview': {
				const { content_type, data, node_id } = event;
				return [this.news('preview', raw, { node_id, preview: { content_type, data } })];
			}
			case 'text':
				return [this.news('text', raw, { node_id: event.node_id, message: event.text })];
			case 'log':
			case 'notification':
				return [this.news(event.kind, raw, { message: event.message })];
			case 'queue':
				return [this.news('queue', raw, { queue_remaining: event.queue_remaining })];
			case 'other':
				return [this.news('other', raw)];
		}
	}

	/** The job as it was read: whatever live news has missed, and its end. */
	read(job: Job): News[] {
		if (!isTerminal(job.status)) {
			const moved = this.moveTo(job.status, job.service_status, job);
			return [...moved, ...(job.progress ? this.advance(job.progress.value, job) : []), ...this.tellOutputs(job)];
		}
		if (job.status === 'succeeded') this.percent = 100;
		this.status = job.status;
		this.serviceStatus = job.service_status;
		this.error = job.job_error ?? this.error;
		return [...this.tellOutputs(job), this.news('finished', job, { outputs: job.outputs })];
	}

	private moveTo(status: string, serviceStatus: string, raw: unknown): News[] {
		if (status === this.status) return [];
		this.status = status;
		this.serviceStatus = serviceStatus;
		return [this.news('status', raw)];
	}

	private advance(value: number, raw: unknown): News[] {
		this.percent = Math.max(this.percent ?? 0, percentOf(value));
		return reached(this.steppingStones, this.milestone, this.percent).map((milestone) => {
			this.milestone = milestone;
			return this.news('milestone', raw, { milestone });
		});
	}

	private tellOutputs(job: Job): News[] {
		return job.outputs.flatMap((output) => this.tellOutput(output, output));
	}

	private tellOutput(output: JobOutput, raw: unknown): News[] {
		const key = outputKey(output);
		if (this.toldOutputs.has(key)) return [];
		this.toldOutputs.add(key);
		return [this.news('output', raw, { node_id: output.node_id, outputs: [output] })];
	}

	private news(kind: NewsKind, event: unknown, more: Partial<News> = {}): News {
		return {
			kind,
			interface: this.source.interface,
			job_id: this.jobId === '' ? null : this.jobId,
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
			...more,
		};
	}
}
