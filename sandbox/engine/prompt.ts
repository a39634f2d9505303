/** One prompt as an engine keeps it, first in its queue, then in its history. */
import { createHash } from 'node:crypto';
import { writeJson } from '../exactJson';
import { outputNodeIds, type ApiGraph } from '../graphEngine';
import type { NodeOutputs } from '../socket/runFrames';
import type { Job } from '../service/job';

export interface Submission {
	/** Its place in the queue; whoever asks for the front gets a negative one. */
	number: number;
	/** Whose WebSocket hears of it. */
	clientId: string | undefined;
	/** As the engine shows it; never with keys. */
	extraData: Record<string, unknown>;
}

export interface RunStatus {
	status_str: 'success' | 'error';
	completed: boolean;
	messages: Array<[string, Record<string, unknown>]>;
}

/** What the history repeats of the frames about a run. */
const REMEMBERED_FRAMES: ReadonlySet<string> = new Set([
	'execution_start',
	'execution_cached',
	'execution_success',
	'execution_error',
	'execution_interrupted',
]);

/** Of files that may be others under the same name. */
const ASKED_CLASSES: ReadonlySet<string> = new Set(['LoadImage', 'LoadImageMask']);

const markOf = (inputs: Record<string, unknown>): string => createHash('sha256').update(writeJson(inputs)).digest('hex');

export class Prompt {
	readonly outputs: Record<string, NodeOutputs> = {};
	readonly #messages: RunStatus['messages'] = [];
	#currentNode: string | null = null;

	/** @param graph as executed: file names in place of assets. */
	constructor(
		readonly job: Job,
		readonly graph: ApiGraph,
		readonly submission: Submission,
	) {}

	/** Takes note of a frame that tells of this prompt. */
	note(frame: string): void {
		const { type, data } = JSON.parse(frame) as { type: string; data: Record<string, unknown> };
		if (REMEMBERED_FRAMES.has(type)) this.#messages.push([type, data]);
		if (type === 'executing') this.#currentNode = data.node as string | null;
		if (type === 'executed') this.outputs[String(data.node)] = data.output as NodeOutputs;
	}

	/** Null while none executes. */
	get currentNode(): string | null {
		return this.#currentNode;
	}

	/** Number, id, graph, extra data, ids of the output nodes that are executed. */
	get queueEntry(): unknown[] {
		const { number, extraData } = this.submission;
		return [number, this.job.id, this.#marked, extraData, this.job.targets ?? outputNodeIds(this.graph)];
	}

	/** An engine marks a node that it has asked whether it has changed, and leaves the mark in the graph. */
	get #marked(): ApiGraph {
		if (this.job.status === 'queued') return this.graph;
		const nodes = Object.entries(this.graph).map(([id, node]) => [
			id,
			ASKED_CLASSES.has(node.class_type) ? { ...node, is_changed: [markOf(node.inputs)] } : node,
		]);
		return Object.fromEntries(nodes) as ApiGraph;
	}

	get historyEntry(): Record<string, unknown> {
		const nodes = Object.keys(this.outputs).map((id) => [id, { node_id: id, display_node: id, parent_node: null, real_node_id: id }]);
		return {
			prompt: this.queueEntry,
			outputs: this.outputs,
			status: this.status,
			meta: Object.fromEntries(nodes) as Record<string, unknown>,
		};
	}

	get status(): RunStatus {
		const completed = this.job.status === 'succeeded';
		return { status_str: completed ? 'success' : 'error', completed, messages: this.#messages };
	}
}
