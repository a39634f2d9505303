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
	/** Field → file, put into n8n's store before the node runs. */
	files?: Record<string, { content: Buffer | Readable; fileName?: string; mimeType?: string }>;
	/** What is in the store already. */
	binary?: IBinaryKeyData;
}

export interface Credential {
	type: 'comfyApi' | 'comfySelfHostedApi';
	data: ICredentialDataDecryptedObject;
	/** What the node's option *Interface* is set to beside it. */
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
	parameters?: IDataObject;
	items?: InputItem[];
	/** Under the type name that n8n gives to the variant for AI agents. */
	asTool?: boolean;
	/** onError, retryOnFail, maxTries, waitBetweenTries, … */
	settings?: Partial<INode>;
	/** A new one by default: keys are derived from it. */
	executionId?: string;
	/** The node context of an earlier execution, as *Retry execution* passes it on. */
	contextData?: Record<string, IDataObject>;
	/** Which n8n workflow it is. */
	ofWorkflow?: { id: string; name: string };
	/** Something is connected to this output. */
	connected?: number;
	/** How n8n says that it was started: `manual` by default. */
	mode?: WorkflowExecuteMode;
	/** What n8n keeps of the first start of an execution for its retries. */
	executionContext?: IExecutionContext;
	/** What has run before, in an execution that this is a retry of. */
	runData?: IRunData;
	/** What n8n hands down to a sub-workflow, and keeps for a retry of it. */
	parentExecution?: RelatedExecution;
	/** How the execution was started that began it all; n8n tells it to a sub-workflow only. */
	rootMode?: WorkflowExecuteMode;
	/** The execution that this is a retry of; n8n 1.x tells it to nobody. */
	retryOf?: string;
	/** Other executions, by id. */
	storedExecutions?: Record<string, IRunExecutionData>;
	/** Everything that n8n has stored of an execution: this goes on from there. */
	goesOnFrom?: IRunExecutionData;
	/** Other nodes than Start and the one under test, each with what it does, and how all are connected. */
	around?: { nodes: Array<{ name: string; type: INodeType; settings?: Partial<INode> }>; connections: IConnections };
	/** Written into in place of n8n's own log, which is silent here. */
	logger?: Logger;
	/** Told what n8n's own hooks are told: they store executions and write its log. */
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

/** A node of a workflow's beginning (`isTrigger`) or further on, and what it does. */
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

/** Whatever comes next in the workflow. */
const next = nodeType('next', async function () {
	return [this.getInputData()];
});

/** As n8n makes it: the same node under another name. */
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
				credentials: { [run.credential.type]: { id: '1', name: 'test' } },
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
