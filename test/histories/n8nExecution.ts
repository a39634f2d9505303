import { Readable } from 'node:stream';

import type { IBinaryData, IDataObject, IExecuteFunctions, IExecutionContext, INodeExecutionData } from 'n8n-workflow';

/** One run of a node, as n8n starts it. */
export interface NodeStart {
	nodeType: string;
	workflowId: string;
	executionId: string;
	context: IDataObject;
	executionContext: IExecutionContext;
	isRetry: boolean;
	retryOf: string | undefined;
	signal: AbortSignal;
	credential: { type: string; data: IDataObject };
	/** Parameters by item, expressions evaluated. */
	items: IDataObject[];
}

const NOTHING = (): undefined => undefined;

function valueAt(parameters: IDataObject, name: string): unknown {
	return name.split('.').reduce<unknown>((value, part) => (value as IDataObject | undefined)?.[part], parameters);
}

async function stored(bytes: Readable | Buffer, fileName: string, mimeType: string): Promise<IBinaryData> {
	const chunks: Buffer[] = [];
	for await (const chunk of Readable.from(bytes)) chunks.push(Buffer.from(chunk as Uint8Array));
	return { data: Buffer.concat(chunks).toString('base64'), fileName, mimeType };
}

/** As much of n8n's context as nodes look at; what a retry keeps is measured on n8n itself (test/nodes/support/crashed.ts). */
export function n8nExecution(start: NodeStart): IExecuteFunctions {
	const { nodeType, workflowId, executionId, context, executionContext, isRetry, retryOf, signal, credential, items } = start;
	const flow: IDataObject = (context.flow ??= {}) as IDataObject;
	const ofNode: IDataObject = (context.node ??= {}) as IDataObject;
	const node = {
		id: 'under-test',
		name: 'Under Test',
		type: `n8n-nodes-comfy.${nodeType}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const input: INodeExecutionData[] = items.map(() => ({ json: {} }));
	return {
		getContext: (type: 'flow' | 'node') => (type === 'flow' ? flow : ofNode),
		getCredentials: async () => await Promise.resolve(credential.data),
		getExecutionCancelSignal: () => signal,
		getExecutionContext: () => executionContext,
		getExecutionId: () => executionId,
		getInputData: () => input,
		getMode: () => (isRetry ? 'retry' : 'webhook'),
		getNode: () => node,
		getNodeParameter: (name: string, itemIndex: number, fallback?: unknown) => valueAt(items[itemIndex] ?? {}, name) ?? fallback,
		getTimezone: () => 'UTC',
		getWorkflow: () => ({ id: workflowId, name: 'A flow', active: true }),
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		addExecutionHints: NOTHING,
		continueOnFail: () => false,
		logger: { debug: NOTHING, info: NOTHING, warn: NOTHING, error: NOTHING },
		additionalData: { hooks: { retryOf } },
		helpers: { prepareBinaryData: stored },
	} as unknown as IExecuteFunctions;
}
