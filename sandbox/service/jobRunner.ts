/** The queue of one surface and its workers. */
import { ResultCache } from '../graphEngine/resultCache';
import { runGraph } from '../graphEngine/runGraph';
import type { EngineEvent, EngineOutput, EngineRun } from '../graphEngine/types';
import type { BlobStore } from '../storage/blobs';
import type { Behaviour } from '../behaviour';
import type { Ledger } from '../ledger';
import type { AccountName } from '../vocabulary';
import { type AssetRecords, type FindFile, findInputBlob, readInput } from './assets';
import type { Job, JobProgress } from './job';

/** The hash of a larger output stays null. A service computes it later or never. */
const HASHED_OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

interface RunnerOptions {
	blobs: BlobStore;
	assets: AssetRecords;
	ledger: Ledger;
	behaviour: Behaviour;
	selfHosted: boolean;
	/** How many jobs may run at the same time. Called before each job. */
	workers(): number;
}

export class JobRunner {
	readonly #waiting: Job[] = [];
	readonly #running = new Map<Job, AbortController>();
	readonly #runs = new Set<Promise<void>>();
	readonly #cache = new ResultCache();
	readonly #jobListeners: Array<(job: Job) => void> = [];
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

	/** Calls the listener for each new job before it starts. */
	onJob(follower: (job: Job) => void): void {
		this.#jobListeners.push(follower);
	}

	/** Sets where files are looked up by name before the assets. */
	setFileLookup(find: FindFile): void {
		this.#findFile = find;
	}

	/** Whether a job of this account can read the file, referred to by name or as an asset. */
	hasInput(account: AccountName, reference: unknown): boolean {
		return findInputBlob(reference, { account, assets: this.options.assets, findFile: this.#findFile }) !== undefined;
	}

	enqueue(job: Job): void {
		for (const follow of this.#jobListeners) follow(job);
		if (job.atFront) this.#waiting.unshift(job);
		else this.#waiting.push(job);
		this.#peak = Math.max(this.#peak, this.inFlight);
		setImmediate(() => this.startNext());
	}

	/** 1 is the next to run; null if the job does not wait. */
	positionOf(job: Job): number | null {
		const index = this.#waiting.indexOf(job);
		return index < 0 ? null : index + 1;
	}

	/** Cancels the job. A finished job does not change. */
	cancel(job: Job): void {
		const index = this.#waiting.indexOf(job);
		if (index >= 0) {
			this.#waiting.splice(index, 1);
			// A local engine keeps no record of a canceled pending prompt, so the proxy reports it as expired.
			job.setStatus(this.options.selfHosted ? 'expired' : 'canceled');
			return;
		}
		if (!this.options.selfHosted) job.setStatus('canceling');
		this.#running.get(job)?.abort();
	}

	/** Aborts running jobs and waits until they have stopped. */
	async close(): Promise<void> {
		this.#closed = true;
		this.#waiting.length = 0;
		for (const controller of this.#running.values()) controller.abort();
		await Promise.all(this.#runs);
	}

	/** Starts waiting jobs on free workers. */
	startNext(): void {
		while (!this.#closed && this.#running.size < this.options.workers()) {
			const job = this.#waiting.shift();
			if (job === undefined) return;
			const run = this.#run(job).finally(() => this.#runs.delete(run));
			this.#runs.add(run);
		}
	}

	async #run(job: Job): Promise<void> {
		const { blobs, assets, behaviour, selfHosted } = this.options;
		const controller = new AbortController();
		this.#running.set(job, controller);
		job.setStatus('running');
		const tracker = new ProgressTracker(job, behaviour.progressIntervalMs);
		const run: EngineRun = {
			graph: job.graph,
			editorFile: job.editorFile,
			...(job.targets && { targets: job.targets }),
			signal: controller.signal,
			behaviour,
			readInput: async (reference) => await readInput(reference, { account: job.account, assets, blobs, findFile: this.#findFile }),
			writeOutput: async (output) => await this.#storeOutput(job, output),
			onEvent: (event) => this.#handleEvent(job, tracker, event),
		};
		const result = await runGraph(run, this.#cache);
		tracker.end(result.status === 'succeeded');
		if (result.status === 'failed') job.error = result.error;
		this.#running.delete(job);
		job.setStatus(controller.signal.aborted && !selfHosted ? 'canceled' : result.status);
		this.startNext();
	}

	#handleEvent(job: Job, tracker: ProgressTracker, event: EngineEvent): void {
		job.emit({ kind: 'engine', event });
		if (event.kind === 'text' || event.kind === 'results') return;
		if (event.kind === 'executing') {
			this.options.ledger.executedNodes.push({ jobId: job.id, nodeId: event.nodeId, classType: event.classType, at: Date.now() });
		}
		if (event.kind === 'preview') {
			job.preview = event;
			job.emit({ kind: 'preview', preview: event });
			return;
		}
		tracker.update(event);
	}

	async #storeOutput(job: Job, output: EngineOutput): Promise<void> {
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
		job.emit({ kind: 'output', output: kept });
	}
}

/** Turns the events of the engine into the progress of the whole job. */
class ProgressTracker {
	readonly #done = new Set<string>();
	readonly #total: number;
	#current: { nodeId: string; classType: string } | undefined;
	#step: { value: number; max: number } | undefined;
	#timer: NodeJS.Timeout | undefined;
	#reportedAt = -Infinity;

	/** @param intervalMs least time between two progress events. Reads always return the newest progress. */
	constructor(
		private readonly job: Job,
		private readonly intervalMs: number,
	) {
		this.#total = Object.keys(job.graph).length;
		job.progress = this.#snapshot();
	}

	update(event: EngineEvent): void {
		if (event.kind === 'cached') for (const nodeId of event.nodeIds) this.#done.add(nodeId);
		if (event.kind === 'executed') this.#done.add(event.nodeId);
		if (event.kind === 'executing' || event.kind === 'executed') this.#step = undefined;
		if (event.kind === 'executing') this.#current = event;
		if (event.kind === 'executed') this.#current = undefined;
		if (event.kind === 'progress') this.#step = event;
		this.job.progress = this.#snapshot();
		this.#schedule();
	}

	/** Emits the last progress. After a success, every node counts as done. */
	end(succeeded: boolean): void {
		this.#current = undefined;
		this.#step = undefined;
		if (succeeded) for (const nodeId of Object.keys(this.job.graph)) this.#done.add(nodeId);
		this.job.progress = this.#snapshot();
		this.#report();
	}

	#schedule(): void {
		const waitMs = this.#reportedAt + this.intervalMs - performance.now();
		if (waitMs <= 0) this.#report();
		else this.#timer ??= setTimeout(() => this.#report(), waitMs);
	}

	#report(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#reportedAt = performance.now();
		if (this.job.progress !== null) this.job.emit({ kind: 'progress', progress: this.job.progress });
	}

	#snapshot(): JobProgress {
		const partial = this.#step === undefined ? 0 : this.#step.value / this.#step.max;
		return {
			value: (this.#done.size + partial) / this.#total,
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
