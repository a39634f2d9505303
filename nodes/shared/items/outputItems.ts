import { type IDataObject, type IExecuteFunctions, type INodeExecutionData, NodeConnectionTypes } from 'n8n-workflow';

import type { ItemResult } from '../operation';
import { toToolAnswer, type ItemFailure } from './itemFailure';

/** The outcome of an item that was begun. */
export type ItemOutcome = { results: ItemResult[] } | { failure: ItemFailure };

export const isFailed = (outcome: ItemOutcome | undefined): outcome is { failure: ItemFailure } =>
	outcome !== undefined && 'failure' in outcome;

/** Renames a field `error`, because Retry On Fail runs the node again if an item has a field of that name. */
function renameErrorField({ error, ...json }: IDataObject): IDataObject {
	return error === undefined ? json : { ...json, service_error: error };
}

/** Returns the items of each output, in the order of the input items and paired with them. A failure becomes an item too. */
export function toOutputItems(
	outcomes: ReadonlyArray<ItemOutcome | undefined>,
	outputCount: number,
	isTool: boolean,
): INodeExecutionData[][] {
	const outputs: INodeExecutionData[][] = Array.from({ length: outputCount }, () => []);
	for (const [itemIndex, outcome] of outcomes.entries()) {
		if (outcome === undefined) continue;
		if (isFailed(outcome)) {
			outputs[0]?.push(isTool ? toToolAnswer(outcome.failure) : outcome.failure.item);
			continue;
		}
		for (const { json, binary, output = 0 } of outcome.results) {
			outputs[isTool ? 0 : output]?.push({ json: renameErrorField(json), binary, pairedItem: { item: itemIndex } });
		}
	}
	return outputs;
}

/** Whether the node runs as a tool. n8n runs the tool variant under its own type name. Versions before 2.8 have no `isToolExecution`. */
export const isToolRun = (execution: IExecuteFunctions): boolean => execution.getNode().type.endsWith('Tool');

/**
 * Whether a failure must become the tool's answer, because agents before version 3 do not pass an error on to the model. For
 * newer agents n8n runs the tool like a node, marks it as failed, and passes the message on.
 */
export function shouldAnswerFailures(execution: IExecuteFunctions): boolean {
	const { rewireOutputLogTo, retryOnFail, onError } = execution.getNode();
	return isToolRun(execution) && rewireOutputLogTo !== NodeConnectionTypes.AiTool && retryOnFail !== true && onError !== 'stopWorkflow';
}
