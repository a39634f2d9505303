/** Executions of n8n, and what n8n keeps of them for a retry. */
import type { IDataObject, IExecutionContext, INodeExecutionData, IRunExecutionData, ITaskData, RelatedExecution } from 'n8n-workflow';

import type { History } from './history';
import { evaluate, type NodeStart } from './n8nExecution';

/** A row as its node returns it, with fields that no expression reads. */
export type Row = IDataObject & { mark: string };

/** One run of a node. */
export interface Step {
	node: 'A' | 'B';
	rows: readonly Row[];
	/** What each item asks for. */
	marks: readonly string[];
}

interface FinishedStep extends Step {
	items: INodeExecutionData[];
}

/** What n8n's database has of an execution. */
interface Stored {
	contexts: Record<string, IDataObject>;
	finished: FinishedStep[];
	/** Undefined if the node that makes them did not run, as far as n8n knows. */
	rows?: Row[];
	/** Nodes that had ended at a crash. n8n has recorded a run of each, without its items. */
	artificial: string[];
	isStartKnown: boolean;
}

/** As n8n's database stores it. */
const copyOf = <T extends Stored | Row[]>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The code of the expression that gives an item's mark. Where nothing is equal, each node has marks of its own. */
export function markCode({ reads, areEqual }: History, node: Step['node']): string {
	const field = reads === 'chain' ? `$('Sheet').item.json.mark` : '$json.mark';
	return [field, ...(reads === 'index' ? ['"-"', '$itemIndex'] : []), ...(node === 'B' && !areEqual ? ['"-9"'] : [])].join(' + ');
}

function stepsOf(history: History, rows: readonly Row[]): Step[] {
	const step = (node: Step['node'], ofStep: readonly Row[]): Step => ({
		node,
		rows: ofStep,
		marks: ofStep.map((_, index) => String(evaluate(`={{ ${markCode(history, node)} }}`, { items: [...ofStep] }, index))),
	});
	switch (history.shape) {
		case 'one node':
		case 'call':
			return [step('A', rows)];
		case 'two nodes':
			return [step('A', rows), step('B', rows)];
		case 'loop twice':
			return [step('A', rows), step('A', rows)];
		case 'loop':
		case 'calls':
		case 'nested calls':
			return rows.map((row) => step('A', [row]));
	}
}

export const isCalled = ({ shape }: History): boolean => shape.includes('call');

/** n8n numbers its executions. */
let lastId = 0;
const nextId = (): string => String((lastId += 1));

/** What is the same in an execution and its retries. */
export interface Start {
	workflowId: string;
	trigger: string;
	/** Epoch milliseconds. */
	establishedAt: number;
}

const recorded = (items: INodeExecutionData[], previousNode?: string): ITaskData => ({
	startTime: 0,
	executionIndex: 0,
	executionTime: 0,
	executionStatus: 'success',
	source: [previousNode === undefined ? null : { previousNode }],
	data: { main: [items] },
});
const ARTIFICIAL = recorded([{ json: { isArtificialRecoveredEventItem: true } }]);

/** What of the start of a node depends on its execution. */
type OwnStart = Omit<NodeStart, 'nodeType' | 'signal' | 'credential' | 'parameters' | 'namesRetried'>;

export class Execution {
	readonly id = nextId();
	state: 'running' | 'failed' | 'delivered' = 'running';
	/** What the user reads. */
	failure = '';
	/** Epoch milliseconds. */
	readonly startedAt = Date.now();
	failedAt = Infinity;
	/** What n8n kept of the jobs of earlier tries. */
	readonly record: string;
	readonly stopping = new AbortController();
	/** As n8n has it after the end, whatever the node does later. */
	private kept?: Stored;
	/** As n8n has it if it dies now. */
	private saved: Stored;
	private readonly live: Stored & { rows: Row[] };
	readonly steps: readonly Step[];
	/** n8n does not have what another try sent: it is of a sub-workflow, or of another retry. */
	readonly lacksRecord: boolean;
	private retries = 0;
	private readonly context: IExecutionContext;
	private readonly callIds = new Map<number, string>();
	/** The sub-workflow that calls the sub-workflow. */
	private readonly between: RelatedExecution;

	/** @param readRows runs the node that makes them. @param now by n8n's clock. */
	constructor(
		readonly history: History,
		readonly start: Start,
		readRows: () => Row[],
		now: number,
		readonly retryOf?: Execution,
	) {
		this.lacksRecord = retryOf !== undefined && (retryOf.retries++ > 0 || isCalled(history));
		const before = retryOf?.kept ?? { contexts: {}, finished: [], artificial: [], isStartKnown: true };
		// What a retry begins with is in n8n's database.
		const isStartKnown = before.isStartKnown && (retryOf !== undefined || history.keepsStart);
		this.saved = { ...copyOf(before), isStartKnown, ...(history.savesProgress && { rows: before.rows ?? readRows() }) };
		this.live = { ...copyOf(before), rows: this.saved.rows ?? readRows() };
		this.record = JSON.stringify(before.contexts);
		this.steps = stepsOf(history, this.live.rows);
		this.context = before.isStartKnown
			? { version: 1, establishedAt: start.establishedAt, source: 'webhook' }
			: { version: 1, establishedAt: now, source: 'retry' };
		const betweenContext: IExecutionContext = { version: 1, establishedAt: now, source: 'integrated', parentExecutionId: this.id };
		this.between = { executionId: nextId(), workflowId: 'between', executionContext: betweenContext };
	}

	get nextStep(): Step | undefined {
		return this.steps[this.live.finished.length];
	}

	get finished(): readonly FinishedStep[] {
		return this.live.finished;
	}

	finish(step: Step, items: INodeExecutionData[]): void {
		this.live.finished.push({ ...step, items });
		if (this.nextStep === undefined) this.state = 'delivered';
		else if (this.history.savesProgress && !isCalled(this.history)) this.saved = copyOf(this.live);
	}

	fail(failure: string): void {
		Object.assign(this, { state: 'failed', failure, failedAt: Date.now() });
		this.kept ??= this.afterFailure();
	}

	stop(): void {
		this.stopping.abort();
		this.kept ??= this.afterFailure();
	}

	crash(): void {
		const { finished, artificial } = this.saved;
		const ended = this.live.finished.map(({ node }) => node).filter((node) => finished.every((one) => one.node !== node));
		this.kept ??= { ...this.saved, artificial: isCalled(this.history) ? [] : [...new Set([...artificial, ...ended])] };
		Object.assign(this, { state: 'failed', failure: 'n8n was killed' });
	}

	/** n8n tries the node again, in the same execution. */
	resume(): void {
		Object.assign(this, { state: 'running', kept: undefined });
	}

	get canResume(): boolean {
		return this.state === 'failed' && this.retries === 0 && !this.stopping.signal.aborted && this.kept?.rows !== undefined;
	}

	/** The node that calls a sub-workflow for each item has failed as a whole, and n8n has other executions for its next calls. */
	private afterFailure(): Stored {
		return copyOf(isCalled(this.history) ? { ...this.live, contexts: {}, finished: [] } : this.live);
	}

	/** How n8n starts the next run of a node. */
	nodeStart(step: Step): OwnStart {
		const { live, context, retryOf, start, id, history } = this;
		const earlier = step.rows;
		// What the expressions of a chain read is not in the item itself.
		const items = earlier.map(({ mark, ...json }): IDataObject => (history.reads === 'chain' ? json : { ...json, mark }));
		const common = { node: { id: `id of ${step.node}`, name: step.node }, items, earlier };
		if (isCalled(history)) return { ...common, ...this.calledStart(earlier) };
		const runs = live.finished.filter(({ node }) => node === step.node).map((one) => recorded(one.items, 'Sheet'));
		const artificial = live.artificial.includes(step.node) ? [ARTIFICIAL] : [];
		return {
			...common,
			workflowId: start.workflowId,
			context: { flow: (live.contexts.flow ??= {}), node: (live.contexts[step.node] ??= {}) },
			executionId: id,
			executionContext: context,
			isRetry: retryOf !== undefined,
			retryOf: retryOf?.id,
			runData: { [start.trigger]: [recorded([{ json: { started: true } }])], [step.node]: [...artificial, ...runs] },
			runIndex: artificial.length + runs.length,
		};
	}

	/** The sub-workflow starts with the rows. */
	private calledStart(rows: readonly Row[]): Omit<OwnStart, 'node' | 'items'> {
		const { live, context, start, retryOf, between } = this;
		const root: RelatedExecution = { executionId: this.id, workflowId: start.workflowId, executionContext: context };
		const executionId = this.callIds.get(live.finished.length) ?? nextId();
		this.callIds.set(live.finished.length, executionId);
		const stored = { resultData: { runData: {} }, parentExecution: root } as unknown as IRunExecutionData;
		return {
			workflowId: `${start.workflowId} called`,
			context: (live.contexts[executionId] ??= {}),
			executionId,
			executionContext: { version: 1, establishedAt: start.establishedAt, source: 'integrated' },
			isRetry: false,
			retryOf: undefined,
			runData: { Called: [recorded(rows.map((json) => ({ json })))] },
			called: {
				parent: this.history.shape === 'nested calls' ? between : root,
				rootMode: retryOf === undefined ? 'webhook' : 'retry',
				stored: { [between.executionId]: stored },
			},
		};
	}
}
