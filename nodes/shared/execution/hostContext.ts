/** What n8n's execution contexts hold at run time beyond their typed interface (n8n-core 1.122 to 2.40, read). */
import type { IConnections, IExecuteFunctions, IRunExecutionData, Logger, WorkflowExecuteMode } from 'n8n-workflow';

/** Any property may be absent. */
interface HostContext {
	runExecutionData?: IRunExecutionData | null;
	additionalData?: { rootExecutionMode?: WorkflowExecuteMode; hooks?: { retryOf?: string } };
	workflow?: { connectionsBySourceNode?: IConnections };
}

export const hostContextOf = (execution: IExecuteFunctions): HostContext => execution as unknown as HostContext;

/** The execution that this one retries, if n8n says which. */
export const retriedIdOf = (execution: IExecuteFunctions): string | undefined => hostContextOf(execution).additionalData?.hooks?.retryOf;

/** The execution mode of the outermost execution; undefined where n8n does not pass it on. */
export const rootModeOf = (execution: IExecuteFunctions): WorkflowExecuteMode | undefined =>
	hostContextOf(execution).additionalData?.rootExecutionMode;

export const isDebugEnabled = (logger: (Logger & { level?: unknown }) | undefined): boolean => logger?.level === 'debug';

/** Whether the node's output is connected to another node. */
export function isOutputConnected(execution: IExecuteFunctions, output: number): boolean {
	const outputs = hostContextOf(execution).workflow?.connectionsBySourceNode?.[execution.getNode().name]?.main;
	return (outputs?.[output] ?? []).length > 0;
}

const isWorker = (): boolean => process.argv[2] === 'worker';

/**
 * Whether n8n may run the same execution twice by itself. In queue mode n8n 1.x gives the execution of a dead worker to
 * another worker: under the same id, from its start, and with a context of that moment.
 */
export function canRunTwice(execution: IExecuteFunctions): boolean {
	const { hooks } = hostContextOf(execution).additionalData ?? {};
	// n8n 2.x does not do this any more. It is recognized by hooks that know what an execution retries.
	return isWorker() && execution.getMode() !== 'retry' && hooks !== undefined && !('retryOf' in hooks);
}
