import type { IDataObject, IExecuteFunctions, RelatedExecution } from 'n8n-workflow';

import { clock } from '../../../client';
import { beyondInterface } from './beyondInterface';
import { hashOfItems } from './hashOfItems';
import { ordinalOf } from './ordinalOf';
import type { ExecutionPlace } from './executionPlace';
import { firstOf } from './firstOf';
import { startItems } from './runs';
import { nthCall, storedExecution, type SubCall } from './subCalls';

/*
 * A sub-workflow runs in an execution of its own, and a retry of its parent makes a new one. What the two have in common
 * is what n8n hands down: the parent's workflow and its context, with the moment of its first start. Which call of the
 * parent it is nobody tells; it is counted.
 */

/** In n8n's context of the execution: a retry of this very execution has it after an ordinary failure. */
const FIELD = 'comfySubPlace';

interface Kept extends IDataObject {
	parts: Array<string | number>;
	establishedAt: number;
	/** Of what began it all. */
	isRetry: boolean;
}

const processStart = clock.wallNow() - process.uptime() * 1_000;

export const isSubWorkflow = (execution: IExecuteFunctions): boolean =>
	beyondInterface(execution).runExecutionData?.parentExecution !== undefined;

/** @returns null where n8n keeps nothing of the parent that a retry of the parent has too. */
export async function subWorkflowPlace(execution: IExecuteFunctions): Promise<ExecutionPlace | null> {
	if (!isSubWorkflow(execution)) return null;
	const flow = execution.getContext('flow');
	const kept = (flow[FIELD] as Kept | undefined) ?? (await workedOut(execution));
	if (kept === null) return null;
	flow[FIELD] = kept;
	const isRetry = kept.isRetry || execution.getMode() === 'retry';
	return { parts: kept.parts, ...(isRetry && { mayHaveSentSince: kept.establishedAt }) };
}

async function workedOut(execution: IExecuteFunctions): Promise<Kept | null> {
	const [root, ...calls] = (await wayTo(execution)) ?? [];
	const context = root?.executionContext;
	// A context that came with the retry itself says nothing of the first start.
	if (root === undefined || context === undefined || context.source === 'retry') return null;
	const { establishedAt } = context;
	const isRetry = beganByRetry(execution, establishedAt);
	const shared = [root.workflowId, establishedAt, ...calls.map(({ workflowId }) => workflowId), calls.at(-1)?.items ?? ''];
	const parts = ['sub', ...shared, isRetry ? 0 : ordinalOf(JSON.stringify(shared), root.executionId)];
	// Retried itself where n8n does not say what it is a retry of (1.x): it counts as the first call, which pays for nothing twice.
	const isUntold = execution.getMode() === 'retry' && beyondInterface(execution).additionalData?.hooks?.retryOf === undefined;
	for (const call of calls) parts.push(isUntold ? 0 : await nthCall(execution, call, isRetry));
	return { parts, establishedAt, isRetry };
}

/** Not told to what an agent calls as its tool, and forgotten while an execution waits: then what is older than this process is a retry. */
function beganByRetry(execution: IExecuteFunctions, establishedAt: number): boolean {
	const root = beyondInterface(execution).additionalData?.rootExecutionMode;
	return execution.getMode() === 'retry' || root === 'retry' || (root === undefined && establishedAt < processStart);
}

/** From the execution that called the first sub-workflow, down to this one; null where n8n does not keep what is between. */
async function wayTo(execution: IExecuteFunctions): Promise<[RelatedExecution, ...SubCall[]] | null> {
	const { runExecutionData, additionalData } = beyondInterface(execution);
	let root = runExecutionData?.parentExecution;
	if (root === undefined) return null;
	const id = firstOf(execution.getExecutionId(), additionalData?.hooks?.retryOf);
	const calls: SubCall[] = [{ id, workflowId: execution.getWorkflow().id ?? '', parent: root, items: hashOfItems(startItems(execution)) }];
	while (root.executionContext?.parentExecutionId !== undefined) {
		const between = await storedExecution(execution, root.executionId);
		if (between === undefined) return null;
		const above = between.parentExecution;
		// An error workflow begins something new.
		if (above === undefined) break;
		calls.unshift({ id: root.executionId, workflowId: root.workflowId, parent: above });
		root = above;
	}
	return [root, ...calls];
}
