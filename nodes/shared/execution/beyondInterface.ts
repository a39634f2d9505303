import type { IConnections, IExecuteFunctions, IRunExecutionData, Logger, WorkflowExecuteMode } from 'n8n-workflow';

/** What n8n's contexts hold at run time beyond their typed interface (n8n-core 1.122 to 2.40, read). Anything may be absent. */
interface Beyond {
	runExecutionData?: IRunExecutionData | null;
	additionalData?: { rootExecutionMode?: WorkflowExecuteMode; hooks?: { retryOf?: string } };
	workflow?: { connectionsBySourceNode?: IConnections };
}

/** Whether lines at debug are written at all. */
export const writesDebug = (logger: (Logger & { level?: unknown }) | undefined): boolean => logger?.level === 'debug';

export const beyondInterface = (execution: IExecuteFunctions): Beyond => execution as unknown as Beyond;
