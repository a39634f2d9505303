/** A prompt as an engine keeps it. */
import { createHash } from 'node:crypto';
import { writeJson } from '../json';
import { outputNodeIds } from '../graphEngine/readGraph';
import type { ApiGraph } from '../graphEngine/types';
import type { NodeOutputs } from '../socket/runFrames';
import type { Job } from '../service/job';

export interface Submission {
	/** Counts the prompts since the start. */
	number: number;
	/** The client whose WebSocket receives its frames. */
	clientId: string | undefined;
	/** As the engine shows it, without keys. */
	extraData: Record<string, unknown>;
}

interface RunStatus {
	status_str: 'success' | 'error';
	completed: boolean;
	messages: Array<[string, Record<string, unknown>]>;
}

/** The frames about a run that the history repeats. */
const REMEMBERED_FRAMES: ReadonlySet<string> = new Set([
	'execution_start',
	'execution_cached',
	'execution_success',
	'execution_error',
	'execution_interrupted',
]);

/** Nodes whose file may change under the same name. */
const CHANGE_CHECKED_CLASSES: ReadonlySet<string> = new Set(['LoadImage', 'LoadImageMask']);

const changeMark = (inputs: Record<string, unknown>): string => createHash('sha256').update(writeJson(inputs)).digest('hex');

export class Prompt {
	readonly outputs: Record<string, NodeOutputs> = {};
	readonly #messages: RunStatus['messages'] = [];
	#currentNode: string | null = null;

	/** @param graph as executed, with file names instead of assets. */
	constructor(
		readonly job: Job,
		readonly graph: ApiGraph,
		readonly submission: Submission,
	) {}

	/** Records a frame about this prompt. */
	recordFrame(frame: string): void {
		const { type, data } = JSON.parse(frame) as { type: string; data: Record<string, unknown> };
		if (REMEMBERED_FRAMES.has(type)) this.#messages.push([type, data]);
		if (type === 'executing') this.#currentNode = data.node as string | null;
		if (type === 'executed') this.outputs[String(data.node)] = data.output as NodeOutputs;
	}

	/** Null while no node executes. */
	get currentNode(): string | null {
		return this.#currentNode;
	}

	/** Number, id, graph, extra data, and the ids of the executed output nodes. */
	get queueEntry(): unknown[] {
		const { number, extraData } = this.submission;
		return [number, this.job.id, this.#graphWithMarks, extraData, this.job.targets ?? outputNodeIds(this.graph)];
	}

	/** An engine adds the result of its change check to the node. */
	get #graphWithMarks(): ApiGraph {
		if (this.job.status === 'queued') return this.graph;
		const nodes = Object.entries(this.graph).map(([id, node]) => [
			id,
			CHANGE_CHECKED_CLASSES.has(node.class_type) ? { ...node, is_changed: [changeMark(node.inputs)] } : node,
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
