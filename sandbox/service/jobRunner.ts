/** The queue of one surface and the workers that empty it. */
import type { EngineEvent, EngineOutput, GraphEngine } from '../graphEngine/types';
import type { BlobStore } from '../storage/blobs';
import type { Behaviour } from '../behaviour';
import type { Ledger } from '../ledger';
import type { AccountName } from '../vocabulary';
import { type AssetRecords, type FindFile, inputBlob, readInput } from './assets';
import type { Job, JobProgress } from './job';

/** Above this the hash of an output stays null, as a service computes it later, if ever. */
const HASHED_OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

interface RunnerOptions {
	engine: GraphEngine;
	blobs: BlobStore;
	assets: AssetRecords;
	ledger: Ledger;
	behaviour: Behaviour;
	selfHosted: boolean;
	/** How many jobs may run at the same time; asked anew for each. */
	workers(): number;
}

export class JobRunner {
	readonly #waiting: Job[] = [];
	readonly #running = new Map<Job, AbortController>();
	readonly #runs = new Set<Promise<void>>();
	readonly #followers: Array<(job: Job) => void> = [];
	#findFile: FindFile = () => undefined;
	#peak = 0;
	#closed = false;

	constructor(private readonly options: RunnerOptions) {}

	get inFlight(): number {
		return this.#waiting.length + this.#running.size;
	}

	/** The highest number of jobs in flight since the start, or the last reset. */
	get peak(): number {
		return this.#peak;
	}

	resetPeak(): void {
		this.#peak = this.inFlight;
	}

	/** Hands every job to come to a listener, before it starts. */
	followJobs(follower: (job: Job) => void): void {
		this.#followers.push(follower);
	}

	/** Looks up files by name elsewhere, before the assets. */
	lookUpFiles(find: FindFile): void {
		this.#findFile = find;
	}

	/** Whether a job of this account could read what its graph refers to, by name or as an asset. */
	hasInput(account: AccountName, reference: unknown): boolean {
		return inputBlob(reference, { account, assets: this.options.assets, findFile: this.#findFile }) !== undefined;
	}

	enqueue(job: Job): void {
		for (const follow of this.#followers) follow(job);
		const next = this.#waiting.findIndex(({ place }) => place > job.place);
		this.#waiting.splice(next < 0 ? this.#waiting.length : next, 0, job);
		this.#peak = Math.max(this.#peak, this.inFlight);
		setImmediate(() => this.startNext());
	}

	/** 1 for the next to run; null when the job does not wait. */
	positionOf(job: Job): number | null {
		const index = this.#waiting.indexOf(job);
		return index < 0 ? null : index + 1;
	}

	/** Repeatable; a terminal job stays as it is. */
	cancel(job: Job): void {
		const index = this.#waiting.indexOf(job);
		if (index >= 0) {
			this.#waiting.splice(index, 1);
			// A pending prompt leaves no trace in a local engine, so the proxy knows no better word.
			job.become(this.options.selfHosted ? 'expired' : 'canceled');
			return;
		}
		if (!this.options.selfHosted) job.become('canceling');
		this.#running.get(job)?.abort();
	}

	/** Aborts what runs and waits for it to stop. */
	async close(): Promise<void> {
		this.#closed = true;
		this.#waiting.length = 0;
		for (const controller of this.#running.values()) controller.abort();
		await Promise.all(this.#runs);
	}

	/** Gives waiting jobs to free workers. */
	startNext(): void {
		while (!this.#closed && this.#running.size < this.options.workers()) {
			const job = this.#waiting.shift();
			if (job === undefined) return;
			const run = this.#run(job).finally(() => this.#runs.delete(run));
			this.#runs.add(run);
		}
	}

	async #run(job: Job): Promise<void> {
		const { engine, blobs, assets, behaviour, selfHosted } = this.options;
		const controller = new AbortController();
		this.#running.set(job, controller);
		job.become('running');
		const tracker = new ProgressTracker(job, behaviour.progressIntervalMs);
		const result = await engine.run({
			graph: job.graph,
			...(job.targets && { targets: job.targets }),
			signal: controller.signal,
			previewType: behaviour.v1Previews === 'png' ? 'image/png' : 'image/jpeg',
			gateOpen: () => behaviour.gateOpen,
			readInput: async (reference) => await readInput(reference, { account: job.account, assets, blobs, findFile: this.#findFile }),
			writeOutput: async (output) => await this.#keep(job, output),
			onEvent: (event) => this.#note(job, tracker, event),
		});
		tracker.end(result.status === 'succeeded');
		if (result.status === 'failed') job.error = result.error;
		this.#running.delete(job);
		job.become(controller.signal.aborted && !selfHosted ? 'canceled' : result.status);
		this.startNext();
	}

	#note(job: Job, tracker: ProgressTracker, event: EngineEvent): void {
		job.tell({ kind: 'engine', event });
		if (event.kind === 'text') return;
		if (event.kind === 'executing') {
			this.options.ledger.executedNodes.push({ jobId: job.id, nodeId: event.nodeId, classType: event.classType, at: Date.now() });
			job.logLines.push(`[${new Date().toISOString()}] executing ${event.classType} (${event.nodeId})`);
		}
		if (event.kind === 'preview') {
			job.preview = event;
			job.tell({ kind: 'preview', preview: event });
			return;
		}
		tracker.take(event);
	}

	async #keep(job: Job, output: EngineOutput): Promise<void> {
		const { blobs, assets } = this.options;
		const blob = await blobs.write(output.bytes, HASHED_OUTPUT_LIMIT_BYTES);
		const asset = assets.mint({
			account: job.account,
			blob,
			contentType: output.contentType,
			filePath: null,
			jobId: job.id,
			expiresAt: job.expiresAt,
		});
		const { nodeId, name, subfolder = '', plainText, kind, temporary } = output;
		const kept = { nodeId, name, subfolder, plainText, kind, temporary, asset };
		job.outputs.push(kept);
		job.tell({ kind: 'output', output: kept });
	}
}

class ProgressTracker {
	readonly #done = new Set<string>();
	readonly #total: number;
	#current: { nodeId: string; classType: string } | undefined;
	#step: { value: number; max: number } | undefined;
	#timer: NodeJS.Timeout | undefined;
	#toldAt = -Infinity;

	/** @param intervalMs the least time between two snapshots told; reads always see the newest. */
	constructor(
		private readonly job: Job,
		private readonly intervalMs: number,
	) {
		this.#total = Object.keys(job.graph).length;
		job.progress = this.#snapshot();
	}

	take(event: EngineEvent): void {
		if (event.kind === 'cached') for (const nodeId of event.nodeIds) this.#done.add(nodeId);
		if (event.kind === 'executed') this.#done.add(event.nodeId);
		if (event.kind === 'executing') {
			this.#current = event;
			this.#step = undefined;
		}
		if (event.kind === 'progress') this.#step = event;
		if (event.kind === 'executed' && event.nodeId === this.#current?.nodeId) {
			this.#current = undefined;
			this.#step = undefined;
		}
		this.job.progress = this.#snapshot();
		this.#schedule();
	}

	/** Tells the last snapshot; a success counts every node as done. */
	end(succeeded: boolean): void {
		clearTimeout(this.#timer);
		this.#current = undefined;
		this.#step = undefined;
		if (succeeded) for (const nodeId of Object.keys(this.job.graph)) this.#done.add(nodeId);
		this.job.progress = this.#snapshot();
		this.#tell();
	}

	#schedule(): void {
		const waitMs = this.#toldAt + this.intervalMs - performance.now();
		if (waitMs <= 0) this.#tell();
		else this.#timer ??= setTimeout(() => this.#tell(), waitMs);
	}

	#tell(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#toldAt = performance.now();
		if (this.job.progress !== null) this.job.tell({ kind: 'progress', progress: this.job.progress });
	}

	#snapshot(): JobProgress {
		const partial = this.#step === undefined || this.#step.max === 0 ? 0 : this.#step.value / this.#step.max;
		return {
			value: this.#total === 0 ? 1 : Math.min((this.#done.size + partial) / this.#total, 1),
			nodes_done: this.#done.size,
			nodes_total: this.#total,
			current_node: this.#current?.nodeId ?? null,
			current_node_class: this.#current?.classType ?? null,
			step: this.#step?.value ?? null,
			steps: this.#step?.max ?? null,
			message: null,
		};
	}
}
