import type { IExecuteFunctions, INodeExecutionData, IRunData, ITaskData } from 'n8n-workflow';

import { beyondInterface } from './beyondInterface';

/** When n8n has died, it notes such a run for each node that had ended, and for the one that was running. */
const isMadeUp = (run: ITaskData | null | undefined): boolean =>
	run?.executionStatus === 'crashed' || run?.data?.main?.[0]?.[0]?.json?.isArtificialRecoveredEventItem === true;

const runDataOf = (execution: IExecuteFunctions): IRunData => beyondInterface(execution).runExecutionData?.resultData.runData ?? {};

/** How many times the node has really run before, in this execution and in those that it is a retry of: a loop counts. */
export function realRunsBefore(execution: IExecuteFunctions): number {
	const runIndex = execution.getWorkflowDataProxy(0).$runIndex as number;
	const earlier = (runDataOf(execution)[execution.getNode().name] ?? []).slice(0, runIndex);
	return runIndex - earlier.filter(isMadeUp).length;
}

/** Tools and models of an agent have no such outputs. */
const outputsOf = (run: ITaskData | undefined): Array<INodeExecutionData[] | null> => run?.data?.main ?? [];

/** What the node gave in its earlier runs, as far as n8n has kept it. */
export const itemsBefore = (execution: IExecuteFunctions): INodeExecutionData[] =>
	(runDataOf(execution)[execution.getNode().name] ?? []).flatMap((run) => outputsOf(run).flatMap((items) => items ?? []));

/**
 * What an execution began with: the items of the node that had none before it. Without their files, which n8n moves: what
 * it says of them is another in a retry.
 */
export function startItemsIn(runData: IRunData): unknown[] {
	return Object.values(runData).flatMap((runs) => {
		const run = runs.findLast((one) => !isMadeUp(one));
		if (run?.source?.some((source) => source !== null)) return [];
		return outputsOf(run).map((items) => items?.map((item) => item?.json) ?? null);
	});
}

export const startItems = (execution: IExecuteFunctions): unknown[] => startItemsIn(runDataOf(execution));
