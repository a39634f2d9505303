import type { IExecuteFunctions, IRunData, IRunExecutionData, RelatedExecution } from 'n8n-workflow';

import { hashOfItems } from './hashOfItems';
import { ordinalOf } from './ordinalOf';
import { Recently } from './recently';
import { startItemsIn } from './runs';

/** One call of a sub-workflow. */
export interface SubCall {
	/** Of its execution, or of the one that it is a retry of. */
	id: string;
	workflowId: string;
	parent: RelatedExecution;
	/** Of what it was given; without, every call of the workflow counts. */
	items?: string;
}

/** Undefined where n8n does not keep it (any more). */
export async function storedExecution(execution: IExecuteFunctions, id: string): Promise<IRunExecutionData | undefined> {
	try {
		return await execution.getExecutionDataById(id);
	} catch {
		return undefined;
	}
}

/** Execution → of what it was given. */
const seen = new Recently<string>(10_000);

/** Of a call that has ended, possibly in another process. */
async function itemsGivenTo(execution: IExecuteFunctions, id: string): Promise<string | undefined> {
	const known = seen.get(id);
	if (known !== undefined) return known;
	const { runData } = (await storedExecution(execution, id))?.resultData ?? {};
	return runData === undefined || Object.keys(runData).length === 0 ? undefined : seen.set(id, hashOfItems(startItemsIn(runData)));
}

/** Noted where Execute Workflow ended: with its run, or with each item. */
function callsIn(runData: IRunData): RelatedExecution[] {
	const runs = Object.values(runData).flat();
	const items = runs.flatMap(({ data }) => Object.values(data ?? {}).flat(2));
	return [...runs, ...items].flatMap((one) => one?.metadata?.subExecution ?? []);
}

/** By the parent's context: n8n makes the object once each time it starts or resumes the parent, and hands it to every call. */
const recorded = new WeakMap<object, Promise<RelatedExecution[]>>();

async function callsRecorded(execution: IExecuteFunctions, parent: RelatedExecution): Promise<RelatedExecution[]> {
	const start = parent.executionContext ?? parent;
	const asked =
		recorded.get(start) ?? storedExecution(execution, parent.executionId).then((data) => callsIn(data?.resultData.runData ?? {}));
	recorded.set(start, asked);
	return await asked;
}

/** Those that this process has not seen are read. */
async function callsBefore(
	execution: IExecuteFunctions,
	{ id: own, workflowId: ofWorkflow, parent, items }: SubCall,
	isRetry: boolean,
): Promise<string[]> {
	const before = new Set<string>();
	for (const { executionId: id, workflowId } of await callsRecorded(execution, parent)) {
		// n8n counts its executions.
		if (workflowId !== ofWorkflow || Number(id) >= Number(own)) continue;
		const given = items && (await itemsGivenTo(execution, id));
		// Where that is not known any more, a retry does not pay for the same twice, and no other call takes a key that may be used.
		if (given === items || (given === undefined && !isRetry)) before.add(id);
	}
	return [...before];
}

/** Which of the calls that a parent makes with the same items this is: a parent that is retried makes them in the same order. */
export async function nthCall(execution: IExecuteFunctions, call: SubCall, isRetry: boolean): Promise<number> {
	const { id, workflowId, parent, items } = call;
	if (items !== undefined) seen.set(id, items);
	return ordinalOf(JSON.stringify([parent.executionId, workflowId, items]), id, await callsBefore(execution, call, isRetry));
}
