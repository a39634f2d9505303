import type { JsonRecord } from '../../decode';
import type { JobError, JobEvent, JobOutput, JobProgress } from '../../job';
import type { Frame } from '../frames';
import type { OutputDecoder } from '../outputs';
import type { HeardOfJob } from './heardOfJob';
import { OverallPercent } from './overallPercent';

/** Results of one job beyond this many characters are told, but not kept: they can be read from the service. */
const MOST_KEPT_CHARACTERS = 4 * 1024 * 1024;
/** About what a node's id and state take. */
const CHARACTERS_OF_A_NODE = 100;

interface NodeResults {
	results: JsonRecord;
	outputs: JobOutput[];
	length: number;
}

/** What the frames of one job mean: news about it, and what they tell all together. */
export class JobTracker {
	private readonly percent = new OverallPercent();
	private readonly nodes = new Map<string, NodeResults>();
	private jobError: JobError | null = null;
	private told?: JobProgress;
	/** Everything since the start was heard and kept. */
	private hasAll = false;
	/** Its end was told. */
	hasEnded = false;
	/** It runs now, as far as is known. */
	isRunning = false;
	/** A frame of it came. */
	wasHeard = false;
	private resultCharacters = 0;
	private announced: string | null = null;

	constructor(
		private readonly jobId: string,
		private readonly decodeOutputs: OutputDecoder,
	) {}

	get heard(): HeardOfJob {
		const nodes = [...this.nodes];
		return {
			outputs: nodes.flatMap(([, { outputs }]) => outputs),
			node_outputs: Object.fromEntries(nodes.map(([nodeId, { results }]) => [nodeId, results])),
			job_error: this.jobError,
			isComplete: this.hasAll && this.hasEnded,
		};
	}

	/** Everything since it began to run. */
	get wasHeardFromStart(): boolean {
		return this.hasAll;
	}

	/** What it keeps, in characters. */
	get keptCharacters(): number {
		return this.resultCharacters + this.percent.size * CHARACTERS_OF_A_NODE;
	}

	/** The number of nodes in the job's graph. @returns the progress by it, while the job runs. */
	setTotal(nodes: number): JobEvent | undefined {
		this.percent.setTotal(nodes);
		this.told = undefined;
		return this.isRunning ? this.advance()[0] : undefined;
	}

	/** Frames may have been missed. */
	gap(): void {
		this.isRunning = false;
		if (!this.hasEnded) this.hasAll = false;
	}

	/** @param frame one of this job, or one that names no job and is taken for this one's. */
	take(frame: Frame): JobEvent[] {
		this.wasHeard = true;
		switch (frame.kind) {
			case 'executed':
				return this.executed(frame);
			case 'preview':
				return [{ kind: 'preview', node_id: frame.nodeId ?? this.percent.currentNode, content_type: frame.contentType, data: frame.data }];
			case 'progress_text':
				return [{ kind: 'text', node_id: frame.nodeId, text: frame.text }];
			default:
				return this.hasEnded ? [] : this.move(frame);
		}
	}

	private move(frame: Frame): JobEvent[] {
		switch (frame.kind) {
			case 'execution_start':
				this.isRunning = true;
				this.hasAll = true;
				return [statusEvent('running', frame.kind)];
			case 'execution_cached':
				this.percent.cached(frame.nodeIds);
				return [{ kind: 'cached', node_ids: frame.nodeIds }, ...this.advance()];
			case 'executing':
				return this.executing(frame.nodeId);
			case 'progress':
				this.isRunning = true;
				this.percent.stepped(frame.nodeId, frame.value, frame.max);
				return this.advance();
			case 'progress_state':
				this.isRunning = true;
				this.percent.told(frame.nodes);
				return this.advance();
			case 'execution_success':
				return [{ kind: 'progress', progress: this.percent.succeeded() }, ...this.end('succeeded', frame.kind)];
			case 'execution_error':
				this.jobError = frame.job_error;
				return [{ kind: 'failed', job_error: frame.job_error }, ...this.end('failed', frame.kind)];
			case 'execution_interrupted':
				return this.end('canceled', frame.kind);
			default:
				return [];
		}
	}

	/** Without a node nothing is told: the end has a frame of its own. */
	private executing(nodeId: string | null): JobEvent[] {
		const isNew = nodeId !== this.announced;
		this.announced = nodeId;
		this.isRunning = nodeId !== null;
		this.percent.executing(nodeId);
		if (nodeId === null) return [];
		return [...(isNew ? [{ kind: 'node', node_id: nodeId } as const] : []), ...this.advance()];
	}

	private executed({ nodeId, output, length }: Extract<Frame, { kind: 'executed' }>): JobEvent[] {
		const outputs = this.decodeOutputs(nodeId, output, this.jobId);
		this.keep(nodeId, { results: output, outputs, length });
		this.percent.executed(nodeId);
		return [...outputs.map((one): JobEvent => ({ kind: 'output', output: one })), ...(this.hasEnded ? [] : this.advance())];
	}

	/** A node that runs again replaces what it made before. */
	private keep(nodeId: string, node: NodeResults): void {
		const kept = this.resultCharacters - (this.nodes.get(nodeId)?.length ?? 0) + node.length;
		if (kept > MOST_KEPT_CHARACTERS) {
			this.hasAll = false;
			return;
		}
		this.resultCharacters = kept;
		this.nodes.set(nodeId, node);
	}

	/** The same progress is told once: services tell it in several frames. */
	private advance(): JobEvent[] {
		const progress = this.percent.snapshot();
		if (this.told && isSame(this.told, progress)) return [];
		this.told = progress;
		return [{ kind: 'progress', progress }];
	}

	private end(status: string, word: string): JobEvent[] {
		this.hasEnded = true;
		this.isRunning = false;
		return [statusEvent(status, word)];
	}
}

const statusEvent = (status: string, word: string): JobEvent => ({ kind: 'status', status, service_status: word, queue_position: null });

const isSame = (one: JobProgress, other: JobProgress): boolean =>
	one.value === other.value &&
	one.step === other.step &&
	one.steps === other.steps &&
	one.current_node === other.current_node &&
	one.nodes_done === other.nodes_done &&
	one.nodes_total === other.nodes_total;
