/** What n8n's execution contexts hold at run time beyond their typed interface (n8n-core 1.122 to 2.40, read). */
import type { IConnections, IExecuteFunctions, IRunExecutionData, Logger, WorkflowExecuteMode } from 'n8n-workflow';

/** Any property may be absent. */
interface HostContext {
	runExecutionData?: IRunExecutionData | null;
	additionalData?: { rootExecutionMode?: WorkflowExecuteMode; hooks?: { retryOf?: string } };
	workflow?: { connectionsBySourceNode?: IConnections };
}

export const hostContextOf = (execution: IExecuteFunctions): HostContext => execution as unknown as HostContext;

export const isDebugEnabled = (logger: (Logger & { level?: unknown }) | undefined): boolean => logger?.level === 'debug';

/** Whether the node's output is connected to another node. */
export function isOutputConnected(execution: IExecuteFunctions, output: number): boolean {
	const outputs = hostContextOf(execution).workflow?.connectionsBySourceNode?.[execution.getNode().name]?.main;
	return (outputs?.[output] ?? []).length > 0;
}
