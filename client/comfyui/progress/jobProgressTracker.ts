import type { JsonRecord } from '../../json/decode';
import type { JobError, JobEvent, JobOutput, JobProgress } from '../../ports/job';
import type { Frame } from '../frames/frame';
import type { OutputDecoder } from '../outputs';
import { OverallProgress } from './overallProgress';

/** The facts about one job that its frames contained so far. */
export interface JobFromEvents {
	outputs: JobOutput[];
	/** Node id → its results, undecoded, including texts and values that are no files. */
	node_outputs: Record<string, JsonRecord>;
	job_error: JobError | null;
	/** Every frame from the job's start to its end arrived, so that nothing can be missing. */
	isComplete: boolean;
}

/** Results of one job beyond this many characters are reported but not kept. They can be read from the service. */
const MOST_KEPT_CHARACTERS = 4 * 1024 * 1024;
/** Roughly the size of a node's id and state. */
const CHARACTERS_OF_A_NODE = 100;

interface NodeResults {
	results: JsonRecord;
	outputs: JobOutput[];
	length: number;
}

/** `idle`: no node runs, as far as the frames say. The job may wait, or frames may have been missed. */
type Phase = 'idle' | 'running' | 'ended';

/** Turns the frames of one job into job events, and keeps what they contain. Waits and the trigger both read these. */
export class JobProgressTracker {
	private readonly progress = new OverallProgress();
	private readonly nodes = new Map<string, NodeResults>();
	private jobError: JobError | null = null;
	private reportedProgress?: JobProgress;
	private reportedNode: string | null = null;
	private phase: Phase = 'idle';
	/** Every frame since the job's start arrived, and its results are kept. */
	private isUnbroken = false;
	private resultCharacters = 0;
	/** At least one frame of the job arrived. */
	hasFrames = false;

	constructor(
		private readonly jobId: string,
		private readonly decodeOutputs: OutputDecoder,
	) {}

	get hasEnded(): boolean {
		return this.phase === 'ended';
	}

	get isRunning(): boolean {
		return this.phase === 'running';
	}

	/** Whether every frame since the job began to run arrived. */
	get isTrackedFromStart(): boolean {
		return this.isUnbroken;
	}

	/** Returns everything that the frames contained. */
	get job(): JobFromEvents {
		const nodes = [...this.nodes];
		return {
			outputs: nodes.flatMap(([, { outputs }]) => outputs),
			node_outputs: Object.fromEntries(nodes.map(([nodeId, { results }]) => [nodeId, results])),
			job_error: this.jobError,
			isComplete: this.isUnbroken && this.hasEnded,
		};
	}

	/** Returns the size of what is kept, in characters. */
	get keptCharacters(): number {
		return this.resultCharacters + this.progress.nodeCount * CHARACTERS_OF_A_NODE;
	}

	/** Sets the number of nodes in the job's graph. @returns the progress by that number if the job runs. */
	setTotal(nodes: number): JobEvent | undefined {
		this.progress.setTotal(nodes);
		this.reportedProgress = undefined;
		return this.isRunning ? this.reportProgress()[0] : undefined;
	}

	/** Call this when frames may have been missed. */
	markGap(): void {
		if (this.hasEnded) return;
		this.phase = 'idle';
		this.isUnbroken = false;
	}

	/** @param frame one of this job, or a frame without a job id that belongs to the only running job. */
	handle(frame: Frame): JobEvent[] {
		this.hasFrames = true;
		switch (frame.kind) {
			case 'executed':
				return this.handleExecuted(frame);
			case 'preview':
				return [{ kind: 'preview', node_id: frame.nodeId ?? this.progress.currentNode, content_type: frame.contentType, data: frame.data }];
			case 'progress_text':
				return [{ kind: 'text', node_id: frame.nodeId, text: frame.text }];
			default:
				return this.hasEnded ? [] : this.advance(frame);
		}
	}

	private advance(frame: Frame): JobEvent[] {
		switch (frame.kind) {
			case 'execution_start':
				this.phase = 'running';
				this.isUnbroken = true;
				return [newStatusEvent('running', frame.kind)];
			case 'execution_cached':
				this.progress.markCached(frame.nodeIds);
				return [{ kind: 'cached', node_ids: frame.nodeIds }, ...this.reportProgress()];
			case 'executing':
				return this.handleExecuting(frame.nodeId);
			case 'progress':
				this.phase = 'running';
				this.progress.setStep(frame.nodeId, frame.value, frame.max);
				return this.reportProgress();
			case 'progress_state':
				this.phase = 'running';
				this.progress.setNodeStates(frame.nodes);
				return this.reportProgress();
			case 'execution_success':
				return [{ kind: 'progress', progress: this.progress.complete() }, ...this.end('succeeded', frame.kind)];
			case 'execution_error':
				this.jobError = frame.job_error;
				return [{ kind: 'failed', job_error: frame.job_error }, ...this.end('failed', frame.kind)];
			case 'execution_interrupted':
				return this.end('canceled', frame.kind);
			default:
				return [];
		}
	}

	/** A frame without a node reports nothing, because the end of the job has a frame of its own. */
	private handleExecuting(nodeId: string | null): JobEvent[] {
		const isNew = nodeId !== this.reportedNode;
		this.reportedNode = nodeId;
		this.phase = nodeId === null ? 'idle' : 'running';
		this.progress.startNode(nodeId);
		if (nodeId === null) return [];
		return [...(isNew ? [{ kind: 'node', node_id: nodeId } as const] : []), ...this.reportProgress()];
	}

	private handleExecuted({ nodeId, output, length }: Extract<Frame, { kind: 'executed' }>): JobEvent[] {
		const outputs = this.decodeOutputs(nodeId, output, this.jobId);
		this.keep(nodeId, { results: output, outputs, length });
		this.progress.finishNode(nodeId);
		return [...outputs.map((one): JobEvent => ({ kind: 'output', output: one })), ...(this.hasEnded ? [] : this.reportProgress())];
	}

	/** A node that runs again replaces its earlier results. */
	private keep(nodeId: string, node: NodeResults): void {
		const kept = this.resultCharacters - (this.nodes.get(nodeId)?.length ?? 0) + node.length;
		if (kept > MOST_KEPT_CHARACTERS) {
			this.isUnbroken = false;
			return;
		}
		this.resultCharacters = kept;
		this.nodes.set(nodeId, node);
	}

	/** Reports the same progress only once, because services send it in several frames. */
	private reportProgress(): JobEvent[] {
		const progress = this.progress.snapshot();
		if (this.reportedProgress && isSameProgress(this.reportedProgress, progress)) return [];
		this.reportedProgress = progress;
		return [{ kind: 'progress', progress }];
	}

	private end(status: string, serviceStatus: string): JobEvent[] {
		this.phase = 'ended';
		return [newStatusEvent(status, serviceStatus)];
	}
}

const newStatusEvent = (status: string, serviceStatus: string): JobEvent => ({
	kind: 'status',
	status,
	service_status: serviceStatus,
	queue_position: null,
});

const isSameProgress = (one: JobProgress, other: JobProgress): boolean =>
	one.value === other.value &&
	one.step === other.step &&
	one.steps === other.steps &&
	one.current_node === other.current_node &&
	one.nodes_done === other.nodes_done &&
	one.nodes_total === other.nodes_total;
