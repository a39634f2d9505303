import type { ApiGraph } from '../../../client';
import { outcomeOf } from '../../../client';
import { knowPlace } from '../execution/place';
import type { ItemContext } from '../operation';
import { hashOf, SubmissionLedger } from '../submission/submissionLedger';
import { type LoadContext, loadWorkflow } from './load';
import type { LoadedWorkflow } from './converted';
import type { WorkflowSource } from './source';

/** The job that an earlier try has made of this item. */
async function jobOfItem({
	execution,
	itemIndex,
	isTool,
}: Pick<ItemContext<unknown>, 'execution' | 'itemIndex' | 'isTool'>): Promise<string | undefined> {
	await knowPlace(execution);
	return isTool ? undefined : new SubmissionLedger(execution, isTool).find(itemIndex, '')?.job_id;
}

/**
 * The workflow of an item. What is saved in ComfyUI may have been changed or deleted since the item's job was made: then
 * its own is that of the job.
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
 * What tells two calls of an agent apart: what is asked for. Of a workflow that stands elsewhere, or is converted by what a
 * server says today, the graph may be another in the next try of the same call.
 * @param given what the item puts into it.
 */
export const hashOfAsked = (graph: ApiGraph, { content, graph: own }: LoadedWorkflow, source: WorkflowSource, given: unknown): string => {
	if (source.from === 'saved') return hashOf({ source, given });
	return hashOf(content === own ? graph : { content, given });
};
