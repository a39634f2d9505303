import type { NodeState } from '../frames';
import type { JobProgress } from '../../job';

/** Only success is the whole. */
const HIGHEST_BEFORE_SUCCESS = 0.99;
/** No graph comes near; more nodes than this are not counted one by one. */
const MOST_NODES = 5_000;

interface Running {
	nodeId: string;
	step: number | null;
	steps: number | null;
}

/** The progress of a whole job, from what its nodes tell, where the service sends none itself. */
export class OverallPercent {
	/** Node id → how far it is, 0 to 1; every id counts once. One that is all the way may still start over. */
	private readonly nodes = new Map<string, number>();
	private readonly done = new Set<string>();
	private graphSize = 0;
	/** The service tells of nodes that have not begun, so that their number is known. */
	private listsPending = false;
	private current: Running | null = null;
	private value = 0;

	/** The number of nodes in the graph. What was concluded without it is forgotten, so this once the value may fall. */
	setTotal(nodes: number): void {
		if (this.graphSize === 0) this.value = 0;
		this.graphSize = nodes;
	}

	/** Nodes that were heard of. */
	get size(): number {
		return this.nodes.size;
	}

	/** The node that runs now, if one does. */
	get currentNode(): string | null {
		return this.current?.nodeId ?? null;
	}

	cached(nodeIds: string[]): void {
		for (const nodeId of nodeIds) this.finish(nodeId);
	}

	/** A node begins, so the one before it is done. Null: nothing runs any more. */
	executing(nodeId: string | null): void {
		if (this.current?.nodeId === nodeId) return;
		if (this.current) this.finish(this.current.nodeId);
		this.current = nodeId === null ? null : { nodeId, step: null, steps: null };
		if (nodeId !== null) this.put(nodeId, 0);
	}

	/** @param nodeId null: the node that runs now. */
	stepped(nodeId: string | null, value: number, max: number): void {
		const id = nodeId ?? this.currentNode;
		if (id === null || this.done.has(id)) return;
		this.put(id, share(value, max));
		this.current = running(id, value, max);
	}

	/** What the service knows of every node, which is believed more than what was concluded. */
	told(states: NodeState[]): void {
		let shown: NodeState | undefined;
		for (const node of states) {
			const { nodeId, value, max, state } = node;
			if (state === 'finished') this.finish(nodeId);
			else this.put(nodeId, state === 'pending' ? 0 : share(value, max));
			this.listsPending ||= state === 'pending';
			// The first, unless the one of before runs on.
			if (state === 'running' && (shown === undefined || nodeId === this.currentNode)) shown = node;
		}
		if (shown) this.current = running(shown.nodeId, shown.value, shown.max);
	}

	executed(nodeId: string): void {
		this.finish(nodeId);
		if (this.current?.nodeId === nodeId) this.current = null;
	}

	succeeded(): JobProgress {
		this.current = null;
		const total = Math.max(this.graphSize, this.nodes.size);
		return this.progress(1, total, total);
	}

	snapshot(): JobProgress {
		const total = this.total();
		let far = 0;
		for (const one of this.nodes.values()) far += one;
		this.value = Math.max(this.value, Math.min(far / total, HIGHEST_BEFORE_SUCCESS));
		return this.progress(this.value, this.done.size, total);
	}

	/** Where nobody knows, at least one more node may come. */
	private total(): number {
		const isKnown = this.graphSize > 0 || (this.listsPending && this.nodes.size > 0);
		return isKnown ? Math.max(this.graphSize, this.nodes.size) : this.nodes.size + 1;
	}

	private progress(value: number, nodesDone: number, nodesTotal: number): JobProgress {
		const { step = null, steps = null } = this.current ?? {};
		return { value, nodes_done: nodesDone, nodes_total: nodesTotal, current_node: this.currentNode, step, steps };
	}

	private finish(nodeId: string): void {
		this.put(nodeId, 1);
		if (this.nodes.has(nodeId)) this.done.add(nodeId);
	}

	private put(nodeId: string, far: number): void {
		if (!this.nodes.has(nodeId) && this.nodes.size >= MOST_NODES) return;
		this.nodes.set(nodeId, far);
		this.done.delete(nodeId);
	}
}

const share = (value: number, max: number): number => (max > 0 ? Math.min(value / max, 1) : 0);

const running = (nodeId: string, value: number, max: number): Running => ({
	nodeId,
	step: max > 0 ? value : null,
	steps: max > 0 ? max : null,
});
