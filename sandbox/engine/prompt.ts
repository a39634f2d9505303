/** A prompt as an engine keeps it, and the queue of prompts. */
import { createHash } from 'node:crypto';
import { writeJson } from '../json';
import { outputNodeIds } from '../graphEngine/readGraph';
import type { ApiGraph } from '../graphEngine/types';
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

interface RunStatus {
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

export class PromptQueue {
	#heap: Prompt[] = [];

	/** As `GET /queue` lists them. */
	get shown(): readonly Prompt[] {
		return this.#heap;
	}

	add(prompt: Prompt): void {
		this.#heap.push(prompt);
		this.#rise(this.#heap.length - 1);
	}

	/** Nothing happens where it does not wait. */
	remove(prompt: Prompt): void {
		const place = this.#heap.indexOf(prompt);
		if (place === 0) this.#takeFirst();
		else if (place > 0) {
			this.#heap.splice(place, 1);
			for (let parent = (this.#heap.length >> 1) - 1; parent >= 0; parent--) this.#sink(parent);
		}
	}

	#takeFirst(): void {
		const last = this.#heap.pop();
		if (last === undefined || this.#heap.length === 0) return;
		this.#heap[0] = last;
		this.#sink(0);
	}

	#rise(place: number): void {
		for (let child = place; child > 0;) {
			const parent = (child - 1) >> 1;
			if (!this.#before(child, parent)) return;
			this.#swap(child, parent);
			child = parent;
		}
	}

	#sink(place: number): void {
		for (let parent = place; ;) {
			const left = 2 * parent + 1;
			const least = this.#before(left + 1, left) ? left + 1 : left;
			if (!this.#before(least, parent)) return;
			this.#swap(least, parent);
			parent = least;
		}
	}

	/** False where there is nothing in one of the places. */
	#before(one: number, other: number): boolean {
		const [first, second] = [this.#heap[one], this.#heap[other]];
		return first !== undefined && second !== undefined && first.submission.number < second.submission.number;
	}

	#swap(one: number, other: number): void {
		const [first, second] = [this.#heap[one], this.#heap[other]];
		if (first === undefined || second === undefined) return;
		this.#heap[one] = second;
		this.#heap[other] = first;
	}
}
