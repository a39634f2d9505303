import { type ApiGraph, outcomeOf } from '../../../client';
import { knowPlace } from '../execution/place';
import type { ItemContext } from '../operation';
import { hashOf, SubmissionLedger } from '../submission/submissionLedger';
import { type LoadContext, loadWorkflow } from './load';
import type { LoadedWorkflow } from './convert';
import type { WorkflowSource } from './source';

/** Returns the id of the job that an earlier try of this item submitted. */
async function jobOfItem({
	execution,
	itemIndex,
	isTool,
}: Pick<ItemContext<unknown>, 'execution' | 'itemIndex' | 'isTool'>): Promise<string | undefined> {
	await knowPlace(execution);
	return isTool ? undefined : new SubmissionLedger(execution, isTool).find(itemIndex, '')?.job_id;
}

/**
 * Returns the workflow of an item. If an earlier try submitted a job, the job's own workflow is used, because the saved
 * workflow may have been changed or deleted since.
 */
export async function workflowOfItem(
	context: LoadContext & Pick<ItemContext<unknown>, 'isTool'>,
	source: WorkflowSource,
): Promise<LoadedWorkflow> {
	const jobId = source.from === 'saved' ? await jobOfItem(context) : undefined;
	if (jobId !== undefined) {
		const ofJob = await outcomeOf(loadWorkflow(context, { from: 'job', jobId }));
		if (ofJob.ok) return { ...ofJob.value, isOfEarlierTry: true };
	}
	return await loadWorkflow(context, source);
}

/**
 * Returns a hash of what the item requests, to tell two calls of an agent apart. For a saved or converted workflow it does
 * not use the graph, which may differ in the next try of the same call.
 * @param given the values that the item puts into the workflow.
 */
export const hashOfAsked = (graph: ApiGraph, { content, graph: own }: LoadedWorkflow, source: WorkflowSource, given: unknown): string => {
	if (source.from === 'saved') return hashOf({ source, given });
	return hashOf(content === own ? graph : { content, given });
};
