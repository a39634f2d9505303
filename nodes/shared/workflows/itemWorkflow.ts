import { type ApiGraph, outcomeOf } from '../../../client';
import { hashOf } from '../submission/keys';
import type { SubmissionLedger } from '../submission/ledger';
import { type LoadContext, loadWorkflow } from './load';
import type { LoadedWorkflow } from './convert';
import type { WorkflowSource } from './source';

/**
 * The workflow of an item. A workflow that is saved in ComfyUI may have been changed or deleted since an earlier try made the
 * item's job. Then the workflow of that job is used.
 */
export async function loadItemWorkflow(context: LoadContext, ledger: SubmissionLedger, source: WorkflowSource): Promise<LoadedWorkflow> {
	const jobId = source.from === 'saved' ? ledger.findJobId() : undefined;
	if (jobId !== undefined) {
		const ofJob = await outcomeOf(loadWorkflow(context, { from: 'job', jobId }));
		if (ofJob.ok) return { ...ofJob.value, isOfEarlierTry: true };
	}
	return await loadWorkflow(context, source);
}

/**
 * Distinguishes the calls of an agent by what they request. The graph of a workflow that is stored elsewhere, or was converted
 * with the help of a server, may differ in the next try of the same call. So such a workflow counts by its source or content.
 * @param entered what the item puts into the workflow.
 */
export function hashOfRequest(graph: ApiGraph, { content, graph: own }: LoadedWorkflow, source: WorkflowSource, entered: unknown): string {
	// The names of these properties are part of stored hashes.
	if (source.from === 'saved') return hashOf({ source, given: entered });
	return hashOf(content === own ? graph : { content, given: entered });
}
