import { randomUUID } from 'node:crypto';

import { claimedJobs } from '../../../client/recovery/claimedJobs';
import type { NodeResult, NodeRun } from './engine';

/** *Retry execution* after n8n has died: nothing is left of the execution, nor of the process. */
export function afterCrash(run: NodeRun, { executionContext }: Pick<NodeResult, 'executionContext'>): NodeRun {
	claimedJobs.clear();
	return retryOf(run, executionContext);
}

/** *Retry On Fail*, at once: n8n takes a wait of 0 for its default, a second. */
export const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** What n8n has stored of the node's context. */
export const storedContext = ({ contextData }: Pick<NodeResult, 'contextData'>): NodeResult['contextData'] =>
	JSON.parse(JSON.stringify(contextData)) as NodeResult['contextData'];

/** The same, as a later call of a tool in the execution finds it: a later run of the node. */
export const laterRun = ({ contextData }: Pick<NodeResult, 'contextData'>): NodeResult['contextData'] =>
	JSON.parse(JSON.stringify(contextData).replaceAll('"0:0:', '"7:0:')) as NodeResult['contextData'];

/** *Retry execution* of an execution that n8n has stored. */
export const retryExecution = (run: NodeRun, first: Pick<NodeResult, 'contextData'>): NodeRun => ({
	...run,
	contextData: storedContext(first),
	executionId: randomUUID(),
});

/** *Retry execution* of one that never came to the node. */
export const retryOf = (run: NodeRun, executionContext: NodeRun['executionContext']): NodeRun => ({
	...run,
	executionId: undefined,
	mode: 'retry',
	executionContext,
});
