/**
 * The identity of a sub-workflow's execution. A retry of the parent makes a new execution of the sub-workflow. Both have in
 * common what n8n passes down: the workflow of the parent, and its context with the time of the first start. n8n does not say
 * which call of the parent an execution belongs to, so calls with equal items are counted.
 */
import type { IDataObject, IExecuteFunctions, IRunData, IRunExecutionData, RelatedExecution } from 'n8n-workflow';

import { clock } from '../../../client';
import { firstExecutionId, ordinalIn, RecentMap } from './arrivals';
import { hostContextOf, retriedIdOf, rootModeOf } from './hostContext';
import { hashOfItems, hashOfStartItems, startItemsIn } from './runData';

/** In n8n's flow context, which a retry of this same execution still has after an ordinary failure. */
const FIELD = 'comfySubPlace';

interface StoredIdentity extends IDataObject {
	parts: Array<string | number>;
	establishedAt: number;
	/** Whether the outermost execution is a retry. */
	isRetry: boolean;
}

export interface SubWorkflowIdentity {
	/** The same in every retry of an execution, and in no other execution. */
	parts: ReadonlyArray<string | number>;
	/** Only in a retry: since then (epoch milliseconds) an earlier execution may have submitted something. */
	mayHaveSentSince?: number;
}

/** One call of a sub-workflow. */
interface SubCall {
	/** Its execution, or the one that it retries. */
	id: string;
	workflowId: string;
	parent: RelatedExecution;
	/** The hash of its start items. Without one, every call of the workflow counts. */
	items?: string;
}

const processStart = clock.wallNow() - process.uptime() * 1_000;

export const isSubWorkflow = (execution: IExecuteFunctions): boolean =>
	hostContextOf(execution).runExecutionData?.parentExecution !== undefined;

/** @returns undefined for other executions, and if n8n keeps nothing of the parent that a retry of it has too. */
export async function identifySubWorkflow(execution: IExecuteFunctions): Promise<SubWorkflowIdentity | undefined> {
	if (!isSubWorkflow(execution)) return undefined;
	const flow = execution.getContext('flow');
	const stored = (flow[FIELD] as StoredIdentity | undefined) ?? (await identifyByCalls(execution));
	if (stored === undefined) return undefined;
	flow[FIELD] = stored;
	const isRetry = stored.isRetry || execution.getMode() === 'retry';
	return { parts: stored.parts, ...(isRetry && { mayHaveSentSince: stored.establishedAt }) };
}

async function identifyByCalls(execution: IExecuteFunctions): Promise<StoredIdentity | undefined> {
	const [root, ...calls] = (await findCalls(execution)) ?? [];
	const context = root?.executionContext;
	// The context of a retry itself does not hold the first start.
	if (root === undefined || context === undefined || context.source === 'retry') return undefined;
	const { establishedAt } = context;
	const isRetry = startedByRetry(execution, establishedAt);
	const shared = [root.workflowId, establishedAt, ...calls.map(({ workflowId }) => workflowId), calls.at(-1)?.items ?? ''];
	const parts = ['sub', ...shared, isRetry ? 0 : ordinalIn(JSON.stringify(shared), root.executionId)];
	// n8n 1.x does not say what a retried sub-workflow retries. Then it counts as the first call, so that nothing is paid for twice.
	const isOriginUnknown = execution.getMode() === 'retry' && retriedIdOf(execution) === undefined;
	for (const call of calls) parts.push(isOriginUnknown ? 0 : await ordinalOfCall(execution, call, isRetry));
	return { parts, establishedAt, isRetry };
}

/**
 * n8n does not tell this to workflows that an agent calls as tools, and forgets it while an execution waits. In these cases
 * an execution that is older than this process counts as retried.
 */
function startedByRetry(execution: IExecuteFunctions, establishedAt: number): boolean {
	const rootMode = rootModeOf(execution);
	return execution.getMode() === 'retry' || rootMode === 'retry' || (rootMode === undefined && establishedAt < processStart);
}

/** @returns the outermost execution, then the calls from there to this execution; undefined if n8n does not keep one of them. */
async function findCalls(execution: IExecuteFunctions): Promise<[RelatedExecution, ...SubCall[]] | undefined> {
	let root = hostContextOf(execution).runExecutionData?.parentExecution;
	if (root === undefined) return undefined;
	const id = firstExecutionId(execution.getExecutionId(), retriedIdOf(execution));
	const calls: SubCall[] = [{ id, workflowId: execution.getWorkflow().id ?? '', parent: root, items: hashOfStartItems(execution) }];
	while (root.executionContext?.parentExecutionId !== undefined) {
		const between = await readExecution(execution, root.executionId);
		if (between === undefined) return undefined;
		const parent = between.parentExecution;
		// An error workflow has no parent execution: it starts something new.
		if (parent === undefined) break;
		calls.unshift({ id: root.executionId, workflowId: root.workflowId, parent });
		root = parent;
	}
	return [root, ...calls];
}

/** @returns undefined if n8n does not keep the execution, or not any more. */
async function readExecution(execution: IExecuteFunctions, id: string): Promise<IRunExecutionData | undefined> {
	try {
		return await execution.getExecutionDataById(id);
	} catch {
		return undefined;
	}
}

/** By execution: the hash of its start items. */
const itemsOfCalls = new RecentMap<string>();

/** For a call that has ended, possibly in another process. */
async function readItemsOfCall(execution: IExecuteFunctions, id: string): Promise<string | undefined> {
	const known = itemsOfCalls.get(id);
	if (known !== undefined) return known;
	const { runData } = (await readExecution(execution, id))?.resultData ?? {};
	return runData === undefined || Object.keys(runData).length === 0 ? undefined : itemsOfCalls.set(id, hashOfItems(startItemsIn(runData)));
}

/** n8n records a call with the run of Execute Workflow, or with each item of it. */
function callsIn(runData: IRunData): RelatedExecution[] {
	const runs = Object.values(runData).flat();
	const items = runs.flatMap(({ data }) => Object.values(data ?? {}).flat(2));
	return [...runs, ...items].flatMap((one) => one?.metadata?.subExecution ?? []);
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

async function findEarlierCalls(execution: IExecuteFunctions, call: SubCall, isRetry: boolean): Promise<string[]> {
	const earlier = new Set<string>();
	for (const { executionId: id, workflowId } of await readRecordedCalls(execution, call.parent)) {
		// n8n numbers its executions.
		if (workflowId !== call.workflowId || Number(id) >= Number(call.id)) continue;
		const items = call.items && (await readItemsOfCall(execution, id));
		// If its items are unknown: a retry must not pay for the same call twice, and any other call must not reuse a key.
		if (items === call.items || (items === undefined && !isRetry)) earlier.add(id);
	}
	return [...earlier];
}

/** @returns the number of the call among those with the same items. A parent that is retried makes its calls in the same order. */
async function ordinalOfCall(execution: IExecuteFunctions, call: SubCall, isRetry: boolean): Promise<number> {
	const { id, workflowId, parent, items } = call;
	if (items !== undefined) itemsOfCalls.set(id, items);
	const group = JSON.stringify([parent.executionId, workflowId, items]);
	return ordinalIn(group, id, await findEarlierCalls(execution, call, isRetry));
}
