import type { Readable } from 'node:stream';

import type { ExecutionLifecycleHooks } from 'n8n-core';
import {
	type IBinaryData,
	type IBinaryKeyData,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IExecutionContext,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IRunData,
	type IRunExecutionData,
	type Logger,
	type RelatedExecution,
	Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { ComfyDownloadOutputs } from '../../../nodes/ComfyDownloadOutputs/ComfyDownloadOutputs.node';
import { ComfyGetWorkflow } from '../../../nodes/ComfyGetWorkflow/ComfyGetWorkflow.node';
import { ComfyManageJobs } from '../../../nodes/ComfyManageJobs/ComfyManageJobs.node';
import { ComfyRunRouterModel } from '../../../nodes/ComfyRunRouterModel/ComfyRunRouterModel.node';
import { ComfyRunWorkflow } from '../../../nodes/ComfyRunWorkflow/ComfyRunWorkflow.node';
import { ComfySubmitWorkflow } from '../../../nodes/ComfySubmitWorkflow/ComfySubmitWorkflow.node';
import { ComfyUploadAsset } from '../../../nodes/ComfyUploadAsset/ComfyUploadAsset.node';
import { ComfyWaitForJob } from '../../../nodes/ComfyWaitForJob/ComfyWaitForJob.node';

export const nodes = {
	comfyRunWorkflow: new ComfyRunWorkflow(),
	comfyUploadAsset: new ComfyUploadAsset(),
	comfySubmitWorkflow: new ComfySubmitWorkflow(),
	comfyWaitForJob: new ComfyWaitForJob(),
	comfyGetWorkflow: new ComfyGetWorkflow(),
	comfyDownloadOutputs: new ComfyDownloadOutputs(),
	comfyManageJobs: new ComfyManageJobs(),
	comfyRunRouterModel: new ComfyRunRouterModel(),
};

export interface InputItem {
	json?: IDataObject;
	/** Files by field. They are put into n8n's store before the node runs. */
	files?: Record<string, { content: Buffer | Readable; fileName?: string; mimeType?: string }>;
	/** Files that are in the store already. */
	binary?: IBinaryKeyData;
}

export interface Credential {
	type: 'comfyApi' | 'comfySelfHostedApi';
	data: ICredentialDataDecryptedObject;
	/** The value of the node's option *Interface*. */
	interface?: 'v2' | 'v1' | 'engine' | 'automatic';
}

export interface RouterCredential {
	type: 'comfyApi' | 'comfyRouterJwtApi';
	data: ICredentialDataDecryptedObject;
	interface?: undefined;
}

export interface NodeRun {
	node: keyof typeof nodes;
	credential: Credential | RouterCredential;
	/** A credential of another type, which items choose by the parameter `authentication`. */
	otherCredential?: Credential;
	parameters?: IDataObject;
	items?: InputItem[];
	/** Whether the node runs under the type name of the variant for AI agents. */
	asTool?: boolean;
	/** onError, retryOnFail, maxTries, waitBetweenTries, … */
	settings?: Partial<INode>;
	/** Keys are derived from it. A new one by default. */
	executionId?: string;
	/** The node context of an earlier execution, which *Retry execution* passes on. */
	contextData?: Record<string, IDataObject>;
	/** The n8n workflow. */
	ofWorkflow?: { id: string; name: string };
	/** The output to which another node is connected. */
	connected?: number;
	/** Whether the editor executes this node as a single step, without the nodes after it. */
	isStep?: boolean;
	/** How the execution was started, `manual` by default. */
	mode?: WorkflowExecuteMode;
	/** The context of the first start of an execution, which n8n keeps for retries. */
	executionContext?: IExecutionContext;
	/** The data of nodes that have run before, in the execution that this one retries. */
	runData?: IRunData;
	/** The parent of a sub-workflow, which n8n keeps for retries. */
	parentExecution?: RelatedExecution;
	/** How the root execution was started. n8n reports it to sub-workflows only. */
	rootMode?: WorkflowExecuteMode;
	/** The execution that this one retries. n8n 1.x does not report it. */
	retryOf?: string;
	/** Other executions, by id. */
	storedExecutions?: Record<string, IRunExecutionData>;
	/** The stored data of an execution, which this one continues. */
	goesOnFrom?: IRunExecutionData;
	/** Other nodes than Start and the one under test, and the connections of all nodes. */
	around?: { nodes: Array<{ name: string; type: INodeType; settings?: Partial<INode> }>; connections: IConnections };
	/** Used in place of n8n's own log, which is silent here. */
	logger?: Logger;
	/** Receives the hooks with which n8n stores executions and writes its log. */
	watch?: (hooks: ExecutionLifecycleHooks) => void;
}

function parametersOf({ credential, parameters = {} }: NodeRun): INode['parameters'] {
	const options = {
		...(credential.interface === undefined ? {} : { interface: credential.interface }),
		...(parameters.options as IDataObject | undefined),
	};
	return { authentication: credential.type, ...parameters, options } as INode['parameters'];
}

export const NODE_NAME = 'Under Test';

/** Returns a node type with this behaviour. @param options `isTrigger`: the node starts the workflow. */
export const nodeType = (name: string, execute: NonNullable<INodeType['execute']>, { outputs = 1, isTrigger = false } = {}): INodeType => ({
	description: {
		displayName: name,
		name,
		group: [isTrigger ? 'trigger' : 'transform'],
		version: 1,
		description: '',
		defaults: { name },
		inputs: isTrigger ? [] : ['main'],
		outputs: Array<'main'>(outputs).fill('main'),
		properties: [],
	},
	execute,
});

async function itemOf(
	execution: IExecuteFunctions,
	{ json = {}, files = {}, binary: stored = {} }: InputItem,
): Promise<INodeExecutionData> {
	const binary: Record<string, IBinaryData> = { ...stored };
	for (const [field, { content, fileName, mimeType }] of Object.entries(files)) {
		binary[field] = await execution.helpers.prepareBinaryData(content, fileName ?? 'input.bin', mimeType ?? 'application/octet-stream');
	}
	return Object.keys(binary).length === 0 ? { json } : { json, binary };
}

/** The node after the one under test. */
const next = nodeType('next', async function () {
	return [this.getInputData()];
});

/** Returns the tool variant, which n8n makes as the same node with another name. */
const asToolVariant = (node: INodeType): INodeType =>
	Object.create(node, { description: { value: { ...node.description, name: `${node.description.name}Tool` } } }) as INodeType;

const withLogger = (node: INodeType, logger: Logger): INodeType =>
	Object.create(node, {
		execute: {
			value: async function (this: IExecuteFunctions) {
				return await node.execute?.call(Object.defineProperty(this, 'logger', { value: logger }));
			},
		},
	}) as INodeType;

/** The workflow in which the node under test runs. */
export function workflowFor(run: NodeRun): Workflow {
	const items = run.items ?? [{}];
	const makeItems: INodeType['execute'] = async function () {
		return [await Promise.all(items.map(async (item) => await itemOf(this, item)))];
	};
	const type = `n8n-nodes-comfy.${run.node}${run.asTool ? 'Tool' : ''}`;
	const around = run.around?.nodes ?? [];
	const node = run.logger === undefined ? nodes[run.node] : withLogger(nodes[run.node], run.logger);
	const types: Record<string, INodeType> = {
		'test.start': nodeType('start', makeItems, { isTrigger: true }),
		'test.next': next,
		[type]: run.asTool ? asToolVariant(node) : node,
		...Object.fromEntries(around.map((node) => [`test.${node.name}`, node.type])),
	};
	const find = (name: string) => types[name] as INodeType;
	return new Workflow({
		...(run.ofWorkflow ?? { id: 'wf1', name: 'test' }),
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) } as INodeTypes,
		settings: { executionOrder: 'v1' },
		nodes: [
			{ id: 'start', name: 'Start', type: 'test.start', typeVersion: 1, position: [0, 0], parameters: {} },
			{
				id: 'under-test',
				name: NODE_NAME,
				type,
				typeVersion: 1,
				position: [200, 0],
				parameters: parametersOf(run),
				credentials: {
					[run.credential.type]: { id: '1', name: 'test' },
					...(run.otherCredential && { [run.otherCredential.type]: { id: '2', name: 'other' } }),
				},
				...run.settings,
			},
			{ id: 'next', name: 'Next', type: 'test.next', typeVersion: 1, position: [400, 0], parameters: {} },
			...around.map(({ name, settings }): INode => ({
				id: name,
				name,
				type: `test.${name}`,
				typeVersion: 1,
				position: [400, 200],
				parameters: {},
				...settings,
			})),
		],
		connections: run.around?.connections ?? {
			Start: { main: [[{ node: NODE_NAME, type: 'main', index: 0 }]] },
			...(run.connected !== undefined && {
				[NODE_NAME]: { main: [...Array.from({ length: run.connected }, () => []), [{ node: 'Next', type: 'main', index: 0 }]] },
			}),
		},
	});
}
