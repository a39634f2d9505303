/**
 * An execution, as its retries recognize it. Idempotency keys are derived from it, so that a retry sends the same keys.
 *
 * A retry has another execution id, and after a crash n8n keeps nothing else of the first one than the time of its start and
 * its start items. So the identity consists of the workflow, that time, a hash of the items, and a number that distinguishes
 * executions for which all of these are the same.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { firstExecutionId, ordinalIn } from './arrivals';
import { canRunTwice, retriedIdOf, rootModeOf } from './hostContext';
import { hashOfStartItems } from './runData';
import { identifySubWorkflow, isSubWorkflow, type SubWorkflowIdentity } from './subWorkflowIdentity';

export interface ExecutionIdentity extends SubWorkflowIdentity {
	/** A retry for which n8n has lost when the first execution started: what that one has sent cannot be known. */
	isStartLost?: true;
}

/** In n8n's flow context, which it keeps after an ordinary failure. */
const ORDINAL_FIELD = 'comfyOrdinal';

const identities = new WeakMap<IExecuteFunctions, Promise<ExecutionIdentity>>();

/** Determined once for each run of a node. */
export function identifyExecution(execution: IExecuteFunctions): Promise<ExecutionIdentity> {
	const known = identities.get(execution) ?? identify(execution);
	identities.set(execution, known);
	return known;
}

async function identify(execution: IExecuteFunctions): Promise<ExecutionIdentity> {
	return (await identifySubWorkflow(execution)) ?? identifyOwn(execution);
}

function identifyOwn(execution: IExecuteFunctions): ExecutionIdentity {
	const workflowId = execution.getWorkflow().id ?? '';
	const context = execution.getExecutionContext?.();
	const isRetry = execution.getMode?.() === 'retry';
	// n8n before 2.20 loses the context in a crash. A retry then brings its own, which does not hold the first start.
	if (context === undefined || context.source === 'retry' || canRunTwice(execution) || isSubWorkflow(execution)) {
		const isStartLost = isRetry || rootModeOf(execution) === 'retry';
		return { parts: [workflowId, execution.getExecutionId()], ...(isStartLost && { isStartLost }) };
	}
	const { establishedAt } = context;
	const parts = [workflowId, establishedAt, hashOfStartItems(execution)];
	const ordinal = ordinalOf(execution, JSON.stringify(parts), isRetry);
	return { parts: [...parts, ordinal], ...(isRetry && { mayHaveSentSince: establishedAt }) };
}

/**
 * Distinguishes executions that started in the same millisecond with the same items. After a crash a retry gets the number
 * of the execution that it retries, or 0 if n8n does not say which one that is.
 */
function ordinalOf(execution: IExecuteFunctions, group: string, isRetry: boolean): number {
	const flow = execution.getContext('flow');
	const retryOf = retriedIdOf(execution);
	const isOriginUnknown = isRetry && retryOf === undefined;
	const kept = flow[ORDINAL_FIELD] as number | undefined;
	const ordinal = kept ?? (isOriginUnknown ? 0 : ordinalIn(group, firstExecutionId(execution.getExecutionId(), retryOf)));
	flow[ORDINAL_FIELD] = ordinal;
	return ordinal;
}
