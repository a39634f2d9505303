/** Reads what n8n keeps of an execution: its start, the calls that led to it, and the runs of its nodes. */
import { createHash } from 'node:crypto';

import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IRunData,
	IRunExecutionData,
	ITaskData,
	RelatedExecution,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { ExecutionMemory } from './arrivals';
import { hostContextOf } from './hostContext';

export interface ExecutionFacts {
	executionId: string;
	workflowId: string;
	/** How many times the node ran before, in this execution and in those that it retries. Each turn of a loop counts. */
	earlierRuns: number;
	isRetry: boolean;
	/** The mode of the outermost execution; undefined where n8n does not pass it on. */
	rootMode: WorkflowExecuteMode | undefined;
	start: ExecutionStart;
}

export type ExecutionStart =
	/** n8n keeps nothing of the first start that a retry has too. */
	| { kind: 'unknown' }
	| OwnStart
	| CalledStart
	/** Of a sub-workflow, n8n has kept the identity that an earlier try found. */
	| { kind: 'stored'; identity: StoredIdentity };

/** A trigger or a user started the execution. */
export interface OwnStart {
	kind: 'own';
	establishedAt: number;
	/** The hash of its start items. */
	items: string;
	storedOrdinal?: number;
}

/** Another workflow called this one. */
export interface CalledStart {
	kind: 'called';
	/** The outermost execution. */
	root: RelatedExecution;
	/** When the root started. */
	establishedAt: number;
	/** From the root down to this execution. */
	calls: SubCall[];
}

/** One call of a sub-workflow. */
export interface SubCall {
	/** Its execution, or the one that it retries directly. */
	id: string;
	workflowId: string;
	parent: RelatedExecution;
	/** The hash of its start items. Without one, every call of the workflow counts. */
	items?: string;
	/** The parent's calls of the same workflow before this one; undefined if n8n does not say which call this is. */
	earlier?: EarlierCall[];
	/** A user retries the sub-workflow itself, after all calls of the parent. */
	isRetried?: true;
}

/** `items` is undefined if they are not known. */
export type EarlierCall = Pick<SubCall, 'id' | 'items'>;

/** In n8n's flow context, which a retry still has after an ordinary failure. The names of the fields are stored. */
export interface StoredFacts extends IDataObject {
	comfyOrdinal?: number;
	comfySubPlace?: StoredIdentity;
}

export interface StoredIdentity extends IDataObject {
	parts: Array<string | number>;
	establishedAt: number;
	call: CallPlace;
}

/** The place of a call among the calls of its sub-workflow. */
export interface CallPlace extends IDataObject {
	/** The outermost execution. Undefined if nothing is known of the other calls. */
	rootId?: string;
	/** Whether the outermost execution is a retry. */
	isRetry: boolean;
	/** Earlier calls with the same items that this process has not seen. */
	unseen: number;
}

/** A workflow that was never saved has no ID. */
const workflowIdOf = (execution: IExecuteFunctions): string => execution.getWorkflow().id ?? '';

export async function readExecutionFacts(execution: IExecuteFunctions): Promise<ExecutionFacts> {
	const { additionalData, runExecutionData } = hostContextOf(execution);
	const parent = runExecutionData?.parentExecution;
	const isRetry = execution.getMode() === 'retry';
	const retryOf = additionalData?.hooks?.retryOf;
	return {
		executionId: execution.getExecutionId(),
		workflowId: workflowIdOf(execution),
		earlierRuns: countEarlierRuns(execution),
		isRetry,
		rootMode: additionalData?.rootExecutionMode,
		start: parent === undefined ? readOwnStart(execution) : await readCalledStart(execution, parent, { isRetry, retryOf }),
	};
}

interface ExecutionOrigin {
	isRetry: boolean;
	/** The execution that this one retries. n8n 1.x does not say it. */
	retryOf: string | undefined;
}

function readOwnStart(execution: IExecuteFunctions): ExecutionStart {
	const context = execution.getExecutionContext?.();
	// n8n before 2.20 loses the context in a crash. A retry then brings its own, which does not hold the first start.
	if (context === undefined || context.source === 'retry' || canRunTwice(execution)) return { kind: 'unknown' };
	const { comfyOrdinal: storedOrdinal } = execution.getContext('flow') as StoredFacts;
	return { kind: 'own', establishedAt: context.establishedAt, items: hashOfItems(startItemsIn(runDataOf(execution))), storedOrdinal };
}

/**
 * Whether n8n may run the same execution twice by itself. In queue mode n8n 1.x gives the execution of a dead worker to
 * another worker: under the same id, from its start, and with a context of that moment.
 */
function canRunTwice(execution: IExecuteFunctions): boolean {
	const isWorker = process.argv[2] === 'worker';
	const { hooks } = hostContextOf(execution).additionalData ?? {};
	// n8n 2.x does not do this any more. It is recognized by hooks that know what an execution retries.
	return isWorker && execution.getMode() !== 'retry' && hooks !== undefined && !('retryOf' in hooks);
}

async function readCalledStart(
	execution: IExecuteFunctions,
	parent: RelatedExecution,
	{ isRetry, retryOf }: ExecutionOrigin,
): Promise<ExecutionStart> {
	const { comfySubPlace: stored } = execution.getContext('flow') as StoredFacts;
	if (stored !== undefined) return { kind: 'stored', identity: stored };
	const call: SubCall = {
		id: retryOf ?? execution.getExecutionId(),
		workflowId: workflowIdOf(execution),
		parent,
		items: hashOfItems(startItemsIn(runDataOf(execution))),
		...(isRetry && { isRetried: true }),
	};
	const found = await findCalls(execution, call);
	// The context of a retry itself does not hold the first start.
	if (found?.root.executionContext === undefined || found.root.executionContext.source === 'retry') return { kind: 'unknown' };
	for (const each of found.calls) each.earlier = await readEarlierCalls(execution, each);
	return { kind: 'called', establishedAt: found.root.executionContext.establishedAt, ...found };
}

/** @returns the outermost execution, and the calls from it to this one; undefined if n8n does not keep an execution between them. */
async function findCalls(execution: IExecuteFunctions, last: SubCall): Promise<Pick<CalledStart, 'root' | 'calls'> | undefined> {
	const calls = [last];
	let { parent } = last;
	while (parent.executionContext?.parentExecutionId !== undefined) {
		const parentData = await readExecution(execution, parent.executionId);
		if (parentData === undefined) return undefined;
		// An error workflow has no parent execution: it starts something new.
		if (parentData.parentExecution === undefined) break;
		calls.unshift({ id: parent.executionId, workflowId: parent.workflowId, parent: parentData.parentExecution });
		parent = parentData.parentExecution;
	}
	return { root: parent, calls };
}

/** @returns undefined if n8n does not keep the execution, or not any more. */
async function readExecution(execution: IExecuteFunctions, id: string): Promise<IRunExecutionData | undefined> {
	try {
		return await execution.getExecutionDataById(id);
	} catch {
		return undefined;
	}
}

async function readEarlierCalls(execution: IExecuteFunctions, call: SubCall): Promise<EarlierCall[] | undefined> {
	if (call.items !== undefined) itemHashes.set(call.id, call.items);
	const recorded = await readRecordedCalls(execution, call.parent);
	// n8n does not say which call a retry of a retry belongs to, and n8n 1.x does not say it of any retry.
	if (call.isRetried && !recorded.some(({ executionId }) => executionId === call.id)) return undefined;
	const earlier: EarlierCall[] = [];
	for (const { executionId: id, workflowId } of recorded) {
		// n8n numbers its executions.
		if (workflowId !== call.workflowId || Number(id) >= Number(call.id)) continue;
		earlier.push({ id, items: call.items && (await readItemsOfCall(execution, id)) });
	}
	return earlier;
}

/** By the parent's context: n8n makes this object once, when it starts or resumes the parent, and passes it to every call. */
const recordedCalls = new WeakMap<object, Promise<RelatedExecution[]>>();

async function readRecordedCalls(execution: IExecuteFunctions, parent: RelatedExecution): Promise<RelatedExecution[]> {
	const key = parent.executionContext ?? parent;
	const reading =
		recordedCalls.get(key) ?? readExecution(execution, parent.executionId).then((data) => callsIn(data?.resultData.runData ?? {}));
	recordedCalls.set(key, reading);
	return await reading;
}

/** n8n records a call with the run of Execute Workflow, or with each item of it. */
function callsIn(runData: IRunData): RelatedExecution[] {
	const runs = Object.values(runData).flat();
	const items = runs.flatMap(({ data }) => Object.values(data ?? {}).flat(2));
	return [...runs, ...items].flatMap((runOrItem) => runOrItem?.metadata?.subExecution ?? []);
}

/** For a call that has ended, possibly in another process. */
async function readItemsOfCall(execution: IExecuteFunctions, id: string): Promise<string | undefined> {
	const known = itemHashes.get(id);
	if (known !== undefined) return known;
	const { runData } = (await readExecution(execution, id))?.resultData ?? {};
	return runData === undefined || Object.keys(runData).length === 0 ? undefined : itemHashes.set(id, hashOfItems(startItemsIn(runData)));
}

/** By execution: the hash of its start items. */
const itemHashes = new ExecutionMemory<string>();

/** After a crash, n8n records such a run for each node that had ended, and for the one that was running. */
const isArtificial = (run: ITaskData | null | undefined): boolean =>
	run?.executionStatus === 'crashed' || run?.data?.main?.[0]?.[0]?.json?.isArtificialRecoveredEventItem === true;

const runDataOf = (execution: IExecuteFunctions): IRunData => hostContextOf(execution).runExecutionData?.resultData.runData ?? {};

const runsOfNode = (execution: IExecuteFunctions): ITaskData[] => runDataOf(execution)[execution.getNode().name] ?? [];

function countEarlierRuns(execution: IExecuteFunctions): number {
	const runIndex = execution.getWorkflowDataProxy(0).$runIndex as number;
	return runIndex - runsOfNode(execution).slice(0, runIndex).filter(isArtificial).length;
}

/** Tools and models of an agent have no such outputs. */
const outputsOf = (run: ITaskData | undefined): Array<INodeExecutionData[] | null> => run?.data?.main ?? [];

/** The items that the node returned in its earlier runs, as far as n8n has kept them. */
export const earlierItemsOf = (execution: IExecuteFunctions): INodeExecutionData[] =>
	runsOfNode(execution).flatMap((run) => outputsOf(run).flatMap((items) => items ?? []));

/**
 * The items that an execution started with: those of the node without a predecessor. Their files are left out, because n8n
 * moves files, and a retry describes them differently.
 */
export function startItemsIn(runData: IRunData): unknown[] {
	return Object.values(runData).flatMap((runs) => {
		const lastRun = runs.findLast((run) => !isArtificial(run));
		if (lastRun?.source?.some((source) => source !== null)) return [];
		return outputsOf(lastRun).map((items) => items?.map((item) => item?.json) ?? null);
	});
}

/** Items that JSON cannot hold, for example because they contain themselves, count as the same. */
function toJson(item: unknown): string {
	try {
		return JSON.stringify(item);
	} catch {
		return '';
	}
}

/** @returns a hash that is the same before and after n8n's database has stored the items. */
export function hashOfItems(outputs: unknown[]): string {
	const hash = createHash('sha256');
	for (const output of outputs) {
		for (const item of Array.isArray(output) ? output : []) hash.update(`${toJson(item)},`);
		hash.update(';');
	}
	return hash.digest('hex');
}
