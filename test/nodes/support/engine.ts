import 'reflect-metadata';

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

if (process.env.N8N_USER_FOLDER === undefined) {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-nodes-'));
	process.env.N8N_USER_FOLDER = folder;
	afterAll(() => rmSync(folder, { recursive: true, force: true }));
}
process.env.N8N_ENCRYPTION_KEY ??= 'only-for-tests';
process.env.N8N_LOG_LEVEL ??= 'silent';
process.env.N8N_DEFAULT_BINARY_DATA_MODE ??= 'filesystem';

import { Container } from '@n8n/di';
import { BinaryDataService, CredentialTestContext, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IBinaryData,
	type ICredentialTestFunctions,
	type IDataObject,
	type IDestinationNode,
	type IExecutionContext,
	type INode,
	type INodeExecutionData,
	type IRunData,
	type IRunExecutionData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
} from 'n8n-workflow';

import { messages } from '../../../nodes/shared/messages/catalogue';
import { credentialsHelperFor } from './credentials';
import { NODE_NAME, type NodeRun, workflowFor } from './testWorkflow';

export { type Credential, type InputItem, NODE_NAME, type NodeRun, nodes, nodeType, type RouterCredential } from './testWorkflow';

export interface NodeResult {
	status: string;
	/** The hints that the editor shows above the output, without the codes at their ends. */
	hints: string[];
	/** Items by output. */
	outputs: INodeExecutionData[][];
	error?: { name: string; message: string; description?: string | null; httpCode?: string | null; context: IDataObject };
	contextData: Record<string, IDataObject>;
	executionContext?: IExecutionContext;
	runData: IRunData;
	/** The execution as n8n would store it. */
	stored: string;
	/** The data of the execution, as another execution reads them. */
	data: IRunExecutionData;
}

function additionalDataFor(run: NodeRun, workflow: Workflow): IWorkflowExecuteAdditionalData {
	const executionId = run.executionId ?? randomUUID();
	const hooks = new ExecutionLifecycleHooks('manual', executionId, workflow as unknown as IWorkflowBase, run.retryOf);
	run.watch?.(hooks);
	return {
		executionId,
		rootExecutionMode: run.rootMode,
		getRunExecutionData: async (id: string) => run.storedExecutions?.[id],
		credentialsHelper: credentialsHelperFor(run.credential, run.otherCredential),
		hooks,
		variables: {},
		restApiUrl: 'http://127.0.0.1/rest',
		instanceBaseUrl: 'http://127.0.0.1',
		webhookBaseUrl: 'http://127.0.0.1/webhook',
		webhookWaitingBaseUrl: 'http://127.0.0.1/waiting',
		webhookTestBaseUrl: 'http://127.0.0.1/test',
		formWaitingBaseUrl: 'http://127.0.0.1/form',
		userId: 'user',
		setExecutionStatus: () => undefined,
		sendDataToUI: () => undefined,
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** Returns the node that the editor executes as a single step. n8n 1.x takes only its name. */
function stepDestination(): IDestinationNode {
	const isNameOnly = !('retryOf' in new ExecutionLifecycleHooks('manual', '', {} as IWorkflowBase));
	return isNameOnly ? (NODE_NAME as unknown as IDestinationNode) : { nodeName: NODE_NAME, mode: 'inclusive' };
}

/** @throws Error for a hint without a code of the catalogue. */
function removeCode(hint: string): string {
	const [, text, code = ''] = /^(.*) Code: (\w+)\.$/s.exec(hint) ?? [];
	if (text === undefined || !Object.hasOwn(messages, code)) throw new Error(`The hint has no code: ${hint}`);
	return text;
}

/** Starts one node on n8n's real engine. `stop` does the same as n8n's stop button. */
export function startNode(run: NodeRun): { result: Promise<NodeResult>; stop: () => void } {
	const workflow = workflowFor(run);
	const startNode = workflow.getNode('Start') as INode;
	const fresh = createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node: startNode, data: { main: [[{ json: {} }]] }, source: null }],
			...(run.contextData === undefined ? {} : { contextData: run.contextData }),
		},
		...(run.runData === undefined ? {} : { resultData: { runData: run.runData } }),
		...(run.parentExecution === undefined ? {} : { parentExecution: run.parentExecution }),
	});
	// n8n 1.121 does not pass it on from there.
	if (run.executionContext !== undefined) Object.assign(fresh.executionData ?? {}, { runtimeData: run.executionContext });
	const execution = new WorkflowExecute(additionalDataFor(run, workflow), run.mode ?? 'manual', run.goesOnFrom ?? fresh);
	const ready = Container.get(BinaryDataService).init();
	let running: ReturnType<WorkflowExecute['processRunExecutionData']> | undefined;
	const result = ready.then(async () => {
		running = run.isStep
			? execution.runPartialWorkflow2(workflow, {}, {}, [], stepDestination())
			: execution.processRunExecutionData(workflow);
		const finished = await running;
		const tasks = finished.data.resultData.runData[NODE_NAME] ?? [];
		return {
			status: finished.status,
			outputs: (tasks.at(-1)?.data?.main ?? []).map((items) => items ?? []),
			hints: (tasks.at(-1)?.hints ?? []).map(({ message }) => removeCode(message)),
			error: (tasks.at(-1)?.error ?? finished.data.resultData.error) as NodeResult['error'],
			contextData: (finished.data.executionData?.contextData ?? {}) as Record<string, IDataObject>,
			executionContext: finished.data.executionData?.runtimeData,
			runData: finished.data.resultData.runData,
			get stored() {
				return JSON.stringify(finished);
			},
			data: finished.data,
		};
	});
	return { result, stop: () => void ready.then(() => running?.cancel()) };
}

export const runNode = async (run: NodeRun): Promise<NodeResult> => await startNode(run).result;

/** Returns the context of a credential test. It has only n8n's own helper for requests. */
export const credentialTestContext = (): ICredentialTestFunctions => new CredentialTestContext() as ICredentialTestFunctions;

/** Returns the bytes of a binary field, in each binary mode of n8n. */
export const bytesOf = async (item: INodeExecutionData | undefined, field = 'data'): Promise<Buffer> =>
	await Container.get(BinaryDataService).getAsBuffer(item?.binary?.[field] as IBinaryData);
