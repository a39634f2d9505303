/** One job, as the service holds it, and the news about it. */
import { EventEmitter } from 'node:events';
import { randomUUID } from 'node:crypto';
import type { ApiGraph, EngineError, EngineEvent } from '../graphEngine/types';
import type { AccountName, JobStatus, ServiceSurface } from '../vocabulary';
import type { OutputItem, RunFrames } from '../socket/runFrames';
import type { AssetRecord } from './assets';

export interface JobProgress {
	value: number;
	nodes_done: number;
	nodes_total: number;
	current_node: string | null;
	current_node_class: string | null;
	step: number | null;
	steps: number | null;
	message: string | null;
}

export interface JobOutput {
	nodeId: string;
	name: string;
	subfolder: string;
	/** What an engine tells in place of a file. */
	plainText: string | undefined;
	kind: string;
	/** A preview, kept apart from what was saved. */
	temporary: boolean;
	asset: AssetRecord;
}

interface JobPreview {
	nodeId: string;
	contentType: string;
	data: Uint8Array;
}

export type JobNews =
	| { kind: 'status' }
	| { kind: 'progress'; progress: JobProgress }
	| { kind: 'preview'; preview: JobPreview }
	| { kind: 'output'; output: JobOutput }
	/** What the engine reports, unchanged. */
	| { kind: 'engine'; event: EngineEvent };

export interface NewJob {
	id?: string;
	surface: ServiceSurface;
	account: AccountName;
	graph: ApiGraph;
	lifetimeMs: number;
	idempotencyKey?: string;
	/** Labels on deployments, one string on self-hosted surfaces. */
	metadata?: Record<string, string> | string;
	priority?: number;
	/** Nodes to execute for, in place of all output nodes. */
	targets?: readonly string[];
}

const TERMINAL: ReadonlySet<JobStatus> = new Set(['succeeded', 'canceled', 'failed', 'expired']);

export class Job {
	readonly id: string;
	readonly surface: ServiceSurface;
	readonly account: AccountName;
	/** As submitted, asset references included; never with `extra_data`. */
	readonly graph: ApiGraph;
	readonly idempotencyKey: string | undefined;
	readonly metadata: Record<string, string> | string | null;
	readonly priority: number | null;
	readonly targets: readonly string[] | undefined;
	/** Epoch milliseconds, as all times here. */
	createdAt = Date.now();
	startedAt: number | null = null;
	completedAt: number | null = null;
	expiresAt: number;
	/** In a queue the lowest runs first; of equal ones the one that came first. */
	place = 0;
	status: JobStatus = 'queued';
	progress: JobProgress | null = null;
	preview: JobPreview | null = null;
	readonly outputs: JobOutput[] = [];
	error: EngineError | null = null;
	/** The authoring workflow of the version this job is pinned to, while that can be read. */
	savedWorkflow: Record<string, unknown> | undefined;
	/** Assets that the graph reads. */
	inputIds: ReadonlySet<string> = new Set();
	readonly logLines: string[] = [];
	readonly #news = new EventEmitter<{ news: [JobNews] }>().setMaxListeners(0);

	constructor(options: NewJob) {
		this.id = options.id ?? randomUUID();
		this.surface = options.surface;
		this.account = options.account;
		this.graph = options.graph;
		this.idempotencyKey = options.idempotencyKey;
		this.metadata = options.metadata ?? null;
		this.priority = options.priority ?? null;
		this.targets = options.targets;
		this.expiresAt = this.createdAt + options.lifetimeMs;
	}

	get terminal(): boolean {
		return TERMINAL.has(this.status);
	}

	get outputNames(): string[] {
		return this.outputs.map(({ name }) => name);
	}

	/** Moves on and tells; a terminal job stays as it is. */
	become(status: JobStatus): void {
		if (this.terminal || this.status === status) return;
		this.status = status;
		if (status === 'running') this.startedAt = Date.now();
		if (this.terminal) this.completedAt = Date.now();
		this.tell({ kind: 'status' });
	}

	tell(news: JobNews): void {
		this.#news.emit('news', news);
	}

	/** Returns what ends the listening. */
	listen(listener: (news: JobNews) => void): () => void {
		this.#news.on('news', listener);
		return () => this.#news.off('news', listener);
	}
}

export interface ReportedOutput {
	/** Of the node's results, e.g. `images`. */
	key: string;
	item: OutputItem;
	/** Engines say so of videos. */
	animated?: boolean;
}

/** Turns the news of one job into the frames of its run. @param report how the surface names what a node has made. */
export function followRun(job: Job, frames: RunFrames, report: (output: JobOutput) => ReportedOutput): void {
	job.listen((news) => {
		if (news.kind === 'engine') frames.take(news.event);
		if (news.kind === 'output') {
			const { key, item, animated = false } = report(news.output);
			frames.output(news.output.nodeId, key, item);
			if (animated) frames.animated(news.output.nodeId);
		}
		if (news.kind !== 'status') return;
		if (job.status === 'running') frames.start();
		if (job.status === 'succeeded') frames.succeed();
		if (job.status === 'failed' && job.error !== null) frames.fail(job.error);
		if (job.status === 'canceled' && job.startedAt !== null) frames.interrupt();
	});
}
