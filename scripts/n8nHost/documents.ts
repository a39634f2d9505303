/** What n8n's editor interface takes and gives, as far as it is used here. */

export interface CredentialDocument {
	name: string;
	type: string;
	data: Record<string, string | boolean>;
}

export interface SavedCredential {
	id: string;
	name: string;
	type: string;
}

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	/** Of nodes that are called from outside. */
	webhookId?: string;
	credentials?: Record<string, { id: string | null; name: string }>;
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
	onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
}

export interface WorkflowDocument {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, Record<string, Array<Array<{ node: string; type: string; index: number }> | null>>>;
	settings?: Record<string, unknown>;
}

export interface SavedWorkflow extends WorkflowDocument {
	id: string;
	versionId: string;
}

export interface BinaryField {
	/** Absent in memory mode: `data` then holds base64. */
	id?: string;
	data: string;
	fileName?: string;
	mimeType: string;
}

export interface Item {
	json: Record<string, unknown>;
	binary?: Record<string, BinaryField>;
	pairedItem?: unknown;
}

export interface ExecutionError {
	message: string;
	description?: string | null;
	name?: string;
	node?: { name: string };
	[field: string]: unknown;
}

/** One run of one node. */
export interface NodeRun {
	/** Epoch milliseconds. */
	startTime: number;
	/** Milliseconds. */
	executionTime: number;
	executionStatus: string;
	/** One list of items for each output. */
	data?: { main: Array<Item[] | null> };
	error?: ExecutionError;
}

export interface ExecutionData {
	resultData: { runData: Record<string, NodeRun[]>; error?: ExecutionError; lastNodeExecuted?: string };
}

export interface Execution {
	id: string;
	workflowId: string;
	/** Of which it is a retry. */
	retryOf?: string | null;
	status: string;
	mode: string;
	data: ExecutionData;
}

/** Whether nothing more will happen to the execution. */
export const hasEnded = ({ status }: Pick<Execution, 'status'>): boolean => !['new', 'running', 'waiting'].includes(status);

/** The items a node put on one output in its last run. */
export function itemsOf(execution: Execution, nodeName: string, output = 0): Item[] {
	return execution.data.resultData.runData[nodeName]?.at(-1)?.data?.main[output] ?? [];
}
