import { takenJobs } from '../../../client/lost/takenJobs';
import type { NodeResult, NodeRun } from './engine';

/** *Retry execution* after n8n has died: nothing is left of the execution, nor of the process. */
export function afterCrash(run: NodeRun, { executionContext }: Pick<NodeResult, 'executionContext'>): NodeRun {
	takenJobs.clear();
	return retryOf(run, executionContext);
}

/** *Retry execution* of one that never came to the node. */
export const retryOf = (run: NodeRun, executionContext: NodeRun['executionContext']): NodeRun => ({
	...run,
	executionId: undefined,
	mode: 'retry',
	executionContext,
});
