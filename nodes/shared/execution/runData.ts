/** The node runs that n8n has recorded for an execution. */
import { createHash } from 'node:crypto';

import type { IExecuteFunctions, INodeExecutionData, IRunData, ITaskData } from 'n8n-workflow';

import { hostContextOf } from './hostContext';

/** After a crash, n8n records such a run for each node that had ended, and for the one that was running. */
const isArtificial = (run: ITaskData | null | undefined): boolean =>
	run?.executionStatus === 'crashed' || run?.data?.main?.[0]?.[0]?.json?.isArtificialRecoveredEventItem === true;

const runDataOf = (execution: IExecuteFunctions): IRunData => hostContextOf(execution).runExecutionData?.resultData.runData ?? {};

const runsOfNode = (execution: IExecuteFunctions): ITaskData[] => runDataOf(execution)[execution.getNode().name] ?? [];

/** @returns how many times the node ran before, in this execution and in those that it retries. Each turn of a loop counts. */
export function countEarlierRuns(execution: IExecuteFunctions): number {
	const runIndex = execution.getWorkflowDataProxy(0).$runIndex as number;
	return runIndex - runsOfNode(execution).slice(0, runIndex).filter(isArtificial).length;
}

/** Tools and models of an agent have no such outputs. */
const outputsOf = (run: ITaskData | undefined): Array<INodeExecutionData[] | null> => run?.data?.main ?? [];

/** The items that the node returned in its earlier runs, as far as n8n has kept them. */
export const earlierItemsOf = (execution: IExecuteFunctions): INodeExecutionData[] =>
	runsOfNode(execution).flatMap((run) => outputsOf(run).flatMap((items) => items ?? []));

/**
 * The items that an execution started with: those of the node without a predecessor. Their files are left out, because n8n
 * moves files, and a retry describes them differently.
 */
export function startItemsIn(runData: IRunData): unknown[] {
	return Object.values(runData).flatMap((runs) => {
		const run = runs.findLast((one) => !isArtificial(one));
		if (run?.source?.some((source) => source !== null)) return [];
		return outputsOf(run).map((items) => items?.map((item) => item?.json) ?? null);
	});
}

/** Items that JSON cannot hold, for example because they contain themselves, count as the same. */
function toJson(item: unknown): string {
	try {
		return JSON.stringify(item) ?? '';
	} catch {
		return '';
	}
}

/** @returns a hash that is the same before and after n8n's database has stored the items. */
export function hashOfItems(outputs: unknown[]): string {
	const hash = createHash('sha256');
	for (const output of outputs) {
		for (const item of Array.isArray(output) ? output : []) hash.update(`${toJson(item)},`);
		hash.update(';');
	}
	return hash.digest('hex');
}

export const hashOfStartItems = (execution: IExecuteFunctions): string => hashOfItems(startItemsIn(runDataOf(execution)));
