/** Turns what the engine reports into snapshots of the whole job. */
import type { EngineEvent } from '../graphEngine/types';
import type { Job, JobProgress } from './job';

export class ProgressTracker {
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
