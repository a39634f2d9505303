/** One job as the service stores it, and its events. */
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

/** The progress of a job that has not begun with a node. */
export const NO_PROGRESS: JobProgress = {
	value: 0,
	nodes_done: 0,
	nodes_total: 0,
	current_node: null,
	current_node_class: null,
	step: null,
	steps: null,
	message: null,
};

export interface JobOutput {
	nodeId: string;
	name: string;
	subfolder: string;
	/** Text that an engine reports instead of a file. */
	plainText: string | undefined;
	kind: string;
	/** A preview, which is stored separately from saved outputs. */
	temporary: boolean;
	asset: AssetRecord;
}

interface JobPreview {
	nodeId: string;
	contentType: string;
	data: Uint8Array;
}

export type JobEvent =
	| { kind: 'status' }
	| { kind: 'progress'; progress: JobProgress }
	| { kind: 'preview'; preview: JobPreview }
	| { kind: 'output'; output: JobOutput }
	/** An event of the engine, unchanged. */
	| { kind: 'engine'; event: EngineEvent };

export interface NewJob {
	id?: string;
	surface: ServiceSurface;
	account: AccountName;
	graph: ApiGraph;
	idempotencyKey?: string;
	/** Labels on deployments, one string on self-hosted surfaces. */
	metadata?: Record<string, string> | string;
	/** The nodes to execute instead of all output nodes. */
	targets?: readonly string[];
	atFront?: boolean;
	/** The workflow as the editor saves it, with which it was submitted. */
	editorFile?: unknown;
}

/** How long a job is kept. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

const TERMINAL: ReadonlySet<JobStatus> = new Set(['succeeded', 'canceled', 'failed', 'expired']);

export class Job {
	readonly id: string;
	readonly surface: ServiceSurface;
	readonly account: AccountName;
	/** As submitted, with asset references, without `extra_data`. */
	readonly graph: ApiGraph;
	readonly idempotencyKey: string | undefined;
	readonly metadata: Record<string, string> | string | null;
	readonly targets: readonly string[] | undefined;
	/** It runs before all that wait. Only engines have such jobs. */
	readonly atFront: boolean;
	/** Written into its images. */
	readonly editorFile: unknown;
	/** Epoch milliseconds, as all times here. */
	createdAt = Date.now();
	startedAt: number | null = null;
	completedAt: number | null = null;
	expiresAt: number;
	status: JobStatus = 'queued';
	progress: JobProgress | null = null;
	preview: JobPreview | null = null;
	readonly outputs: JobOutput[] = [];
	error: EngineError | null = null;
	/** The editor workflow of the version that this job is pinned to, while it can be read. */
	savedWorkflow: Record<string, unknown> | undefined;
	readonly #news = new EventEmitter<{ news: [JobEvent] }>().setMaxListeners(0);

	constructor(options: NewJob) {
		this.id = options.id ?? randomUUID();
		this.surface = options.surface;
		this.account = options.account;
		this.graph = options.graph;
		this.idempotencyKey = options.idempotencyKey;
		this.metadata = options.metadata ?? null;
		this.targets = options.targets;
		this.atFront = options.atFront ?? false;
		this.editorFile = options.editorFile;
		this.expiresAt = this.createdAt + LIFETIME_MS;
	}

	get isTerminal(): boolean {
		return TERMINAL.has(this.status);
	}

	get outputNames(): string[] {
		return this.outputs.map(({ name }) => name);
	}

	/** Changes the status and emits an event. A finished job does not change. */
	setStatus(status: JobStatus): void {
		if (this.isTerminal || this.status === status) return;
		this.status = status;
		if (status === 'running') this.startedAt = Date.now();
		if (this.isTerminal) this.completedAt = Date.now();
		this.emit({ kind: 'status' });
	}

	emit(news: JobEvent): void {
		this.#news.emit('news', news);
	}

	/** @returns a function that removes the listener. */
	onEvent(listener: (news: JobEvent) => void): () => void {
		this.#news.on('news', listener);
		return () => this.#news.off('news', listener);
	}
}

export interface ReportedOutput {
	/** In the node's results, for example `images`. */
	key: string;
	item: OutputItem;
	/** Engines set this for videos. */
	animated?: boolean;
}

/** Sends the events of one job as frames. @param report how the surface reports the output of a node. */
export function sendRunFrames(job: Job, frames: RunFrames, report: (output: JobOutput) => ReportedOutput): void {
	job.onEvent((news) => {
		if (news.kind === 'engine') frames.addEvent(news.event);
		if (news.kind === 'output') {
			const { key, item, animated = false } = report(news.output);
			frames.addOutput(news.output.nodeId, key, item);
			if (animated) frames.markAnimated(news.output.nodeId);
		}
		if (news.kind !== 'status') return;
		if (job.status === 'running') frames.start();
		if (job.status === 'succeeded') frames.succeed();
		if (job.status === 'failed' && job.error !== null) frames.fail(job.error);
		if (job.status === 'canceled' && job.startedAt !== null) frames.interrupt();
	});
}
