import type { INodeExecutionData, ITriggerFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';

/** What n8n 2 offers to triggers beyond n8n 1, whose types and older releases do not know it. */
interface NewerTrigger {
	emit(items: INodeExecutionData[][], responsePromise: undefined, donePromise: undefined, deduplicationKey: string | undefined): void;
	saveFailedExecution?(error: NodeApiError | NodeOperationError): void;
}

const newer = (trigger: ITriggerFunctions): NewerTrigger => trigger as unknown as NewerTrigger;

/** @param onceKey n8n 2 starts one execution only for each key, whatever happens in between. */
export const startExecution = (trigger: ITriggerFunctions, item: INodeExecutionData, onceKey: string | undefined): void =>
	newer(trigger).emit([[item]], undefined, undefined, onceKey);

/** Shows an error among the executions, and goes on listening; n8n 1 has no way to do so but its log. */
export const saveFailedExecution = (trigger: ITriggerFunctions, error: NodeApiError | NodeOperationError): void =>
	newer(trigger).saveFailedExecution?.(error);
