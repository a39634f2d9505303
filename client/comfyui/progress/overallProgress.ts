import type { JobProgress } from '../../ports/job';
import type { NodeState } from '../frames/frame';

/** Only a job that succeeded has a progress of 1. */
const HIGHEST_BEFORE_SUCCESS = 0.99;
/** Real graphs have fewer nodes. Further nodes are not counted one by one, to bound the memory. */
const MOST_NODES = 5_000;

interface RunningNode {
	nodeId: string;
	step: number | null;
	steps: number | null;
}

/** Computes the progress of a whole job from the states of its nodes, for services that do not send it. */
export class OverallProgress {
	/** Node id → its share that is done, 0 to 1. A finished node may run again. */
	private readonly shares = new Map<string, number>();
	private readonly done = new Set<string>();
	private graphSize = 0;
	/** The service also lists nodes that have not begun, so that their number is known. */
	private listsPending = false;
	private current: RunningNode | null = null;
	private value = 0;

	/** Sets the number of nodes in the graph. The first call discards the estimate so far, so the value may fall once. */
	setTotal(nodes: number): void {
		if (this.graphSize === 0) this.value = 0;
		this.graphSize = nodes;
	}

	/** Returns how many nodes have a state. */
	get nodeCount(): number {
		return this.shares.size;
	}

	/** Returns the id of the node that runs now. */
	get currentNode(): string | null {
		return this.current?.nodeId ?? null;
	}

	markCached(nodeIds: string[]): void {
		for (const nodeId of nodeIds) this.markDone(nodeId);
	}

	/** A node begins, so the node before it is done. Null: no node runs any more. */
	startNode(nodeId: string | null): void {
		if (this.current?.nodeId === nodeId) return;
		if (this.current) this.markDone(this.current.nodeId);
		this.current = nodeId === null ? null : { nodeId, step: null, steps: null };
		if (nodeId !== null) this.setShare(nodeId, 0);
	}

	/** @param nodeId null for the node that runs now. */
	setStep(nodeId: string | null, value: number, max: number): void {
		const id = nodeId ?? this.currentNode;
		if (id === null || this.done.has(id)) return;
		this.setShare(id, toShare(value, max));
		this.current = toRunningNode(id, value, max);
	}

	/** Takes over the states that the service reports. They replace our own conclusions. */
	setNodeStates(states: NodeState[]): void {
		let shown: NodeState | undefined;
		for (const node of states) {
			const { nodeId, value, max, state } = node;
			if (state === 'finished') this.markDone(nodeId);
			else this.setShare(nodeId, state === 'pending' ? 0 : toShare(value, max));
			this.listsPending ||= state === 'pending';
			// Shows the first running node, unless the node that was shown before is still running.
			if (state === 'running' && (shown === undefined || nodeId === this.currentNode)) shown = node;
		}
		if (shown) this.current = toRunningNode(shown.nodeId, shown.value, shown.max);
	}

	finishNode(nodeId: string): void {
		this.markDone(nodeId);
		if (this.current?.nodeId === nodeId) this.current = null;
	}

	/** Returns the progress of a job that succeeded. */
	complete(): JobProgress {
		this.current = null;
		const total = Math.max(this.graphSize, this.shares.size);
		return this.toProgress(1, total, total);
	}

	/** Returns the current progress. Its value never falls. */
	snapshot(): JobProgress {
		const total = this.total();
		let sum = 0;
		for (const share of this.shares.values()) sum += share;
		this.value = Math.max(this.value, Math.min(sum / total, HIGHEST_BEFORE_SUCCESS));
		return this.toProgress(this.value, this.done.size, total);
	}

	/** If the number of nodes is unknown, at least one more node may follow. */
	private total(): number {
		const isKnown = this.graphSize > 0 || (this.listsPending && this.shares.size > 0);
		return isKnown ? Math.max(this.graphSize, this.shares.size) : this.shares.size + 1;
	}

	private toProgress(value: number, nodesDone: number, nodesTotal: number): JobProgress {
		const { step = null, steps = null } = this.current ?? {};
		return { value, nodes_done: nodesDone, nodes_total: nodesTotal, current_node: this.currentNode, step, steps };
	}

	private markDone(nodeId: string): void {
		this.setShare(nodeId, 1);
		if (this.shares.has(nodeId)) this.done.add(nodeId);
	}

	private setShare(nodeId: string, share: number): void {
		if (!this.shares.has(nodeId) && this.shares.size >= MOST_NODES) return;
		this.shares.set(nodeId, share);
		this.done.delete(nodeId);
	}
}

const toShare = (value: number, max: number): number => (max > 0 ? Math.min(value / max, 1) : 0);

const toRunningNode = (nodeId: string, value: number, max: number): RunningNode => ({
	nodeId,
	step: max > 0 ? value : null,
	steps: max > 0 ? max : null,
});
