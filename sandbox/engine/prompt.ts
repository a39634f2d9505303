/** One prompt as an engine keeps it, first in its queue, then in its history. */
import { outputNodeIds, type ApiGraph } from '../graphEngine';
import type { NodeOutputs } from '../socket/runFrames';
import type { Job } from '../v2/jobs/job';

export interface Submission {
	/** Its place in the queue; whoever asks for the front gets a negative one. */
	number: number;
	/** Whose WebSocket hears of it. */
	clientId: string | undefined;
	/** As the engine shows it; never with keys. */
	extraData: Record<string, unknown>;
}

/** What the history repeats of the frames about a run. */
const REMEMBERED_FRAMES: ReadonlySet<string> = new Set(['execution_start', 'execution_cached', 'execution_success', 'execution_error', 'execution_interrupted']);

export class Prompt {
	readonly #messages: Array<[string, Record<string, unknown>]> = [];
	readonly #outputs: Record<string, NodeOutputs> = {};
	#currentNode: string | null = null;

	/** @param graph as executed: file names in place of assets. */
	constructor(
		readonly job: Job,
		private readonly graph: ApiGraph,
		readonly submission: Submission,
	) {}

	/** Takes note of a frame that tells of this prompt. */
	note(frame: string): void {
		const { type, data } = JSON.parse(frame) as { type: string; data: Record<string, unknown> };
		if (REMEMBERED_FRAMES.has(type)) this.#messages.push([type, data]);
		if (type === 'executing') this.#currentNode = data.node as string | null;
		if (type === 'executed') this.#outputs[String(data.node)] = data.output as NodeOutputs;
	}

	/** Null while none executes. */
	get currentNode(): string | null {
		return this.#currentNode;
	}

	/** Number, id, graph, extra data, ids of the output nodes. */
	get queueEntry(): unknown[] {
		const { number, extraData } = this.submission;
		return [number, this.job.id, this.graph, extraData, outputNodeIds(this.graph)];
	}

	get historyEntry(): Record<string, unknown> {
		const completed = this.job.status === 'succeeded';
		return {
			prompt: this.queueEntry,
			outputs: this.#outputs,
			status: { status_str: completed ? 'success' : 'error', completed, messages: this.#messages },
		};
	}
}
