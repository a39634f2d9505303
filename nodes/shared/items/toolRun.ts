import { type IExecuteFunctions, NodeConnectionTypes } from 'n8n-workflow';

/** n8n runs the tool variant of a node under a type name of its own; `isToolExecution` is only in 2.8 and later. */
export const isToolRun = (execution: IExecuteFunctions): boolean => execution.getNode().type.endsWith('Tool');

/**
 * Whether a failure has to be the tool's answer: to the model of older agents (before version 3) nothing is told of what a
 * tool throws. For newer ones n8n runs the tool as it runs nodes, marks it as failed, and tells the message.
 */
export function answersFailures(execution: IExecuteFunctions): boolean {
	const { rewireOutputLogTo, retryOnFail, onError } = execution.getNode();
	return isToolRun(execution) && rewireOutputLogTo !== NodeConnectionTypes.AiTool && retryOnFail !== true && onError !== 'stopWorkflow';
}
