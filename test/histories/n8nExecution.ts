import { Readable } from 'node:stream';
import { compileFunction } from 'node:vm';

import type {
	IBinaryData,
	IDataObject,
	IExecuteFunctions,
	IExecutionContext,
	INodeExecutionData,
	IRunData,
	IRunExecutionData,
	RelatedExecution,
	WorkflowExecuteMode,
} from 'n8n-workflow';

/** One run of a node, as n8n starts it. */
export interface NodeStart {
	nodeType: string;
	node?: { id: string; name: string };
	workflowId: string;
	executionId: string;
	context: IDataObject;
	executionContext: IExecutionContext;
	isRetry: boolean;
	retryOf: string | undefined;
	/** n8n 1.x does not tell a node which execution a retry retries. */
	namesRetried?: boolean;
	signal: AbortSignal;
	credential: { type: string; data: IDataObject };
	/** As they are stored with the workflow: a text that begins with "=" is an expression. */
	parameters?: IDataObject;
	/** The JSON of each item. */
	items: IDataObject[];
	/** Of the earlier node that expressions read, by item; by default the items themselves. */
	earlier?: readonly IDataObject[];
	/** What n8n has recorded of the nodes that ran before. */
	runData?: IRunData;
	runIndex?: number;
	/** Only in a sub-workflow. */
	called?: { parent: RelatedExecution; rootMode: WorkflowExecuteMode; stored: Record<string, IRunExecutionData> };
}

const NOTHING = (): undefined => undefined;

type Evaluate = (json: IDataObject, itemIndex: number, node: (name: string) => unknown) => unknown;

const compiled = new Map<string, Evaluate>();

function compile(code: string): Evaluate {
	const known = compiled.get(code) ?? (compileFunction(`return (${code});`, ['$json', '$itemIndex', '$']) as Evaluate);
	compiled.set(code, known);
	return known;
}

/** What the expressions of a node read: its items, and those of any earlier node. */
type Scope = Pick<NodeStart, 'items' | 'earlier'>;

/** Evaluates all expressions in the value. */
export function evaluate(value: unknown, scope: Scope, index: number): unknown {
	if (Array.isArray(value)) return value.map((one) => evaluate(one, scope, index));
	if (typeof value === 'object' && value !== null)
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, evaluate(one, scope, index)]));
	return typeof value === 'string' && value.startsWith('=') ? evaluateText(value.slice(1), scope, index) : value;
}

function evaluateText(text: string, { items, earlier = items }: Scope, index: number): unknown {
	const resultOf = (code: string): unknown => compile(code)(items[index] ?? {}, index, () => ({ item: { json: earlier[index] } }));
	const [, only] = /^\{\{((?:(?!\}\})[^])*)\}\}$/.exec(text.trim()) ?? [];
	return only === undefined ? text.replace(/\{\{(.*?)\}\}/gs, (_, code: string) => String(resultOf(code))) : resultOf(only);
}

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
	const { nodeType, workflowId, executionId, context, executionContext, isRetry, retryOf, signal, credential, items, called } = start;
	const { parameters = {}, namesRetried = true, runData = {}, runIndex = 0 } = start;
	const flow: IDataObject = (context.flow ??= {}) as IDataObject;
	const ofNode: IDataObject = (context.node ??= {}) as IDataObject;
	const node = {
		id: 'under-test',
		name: 'Under Test',
		...start.node,
		type: `n8n-nodes-comfy.${nodeType}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const input: INodeExecutionData[] = items.map((json) => ({ json }));
	return {
		evaluateExpression: (text: string, itemIndex: number) => evaluateText(text, start, itemIndex),
		getContext: (type: 'flow' | 'node') => (type === 'flow' ? flow : ofNode),
		getCredentials: async () => await Promise.resolve(credential.data),
		getExecutionCancelSignal: () => signal,
		getExecutionContext: () => executionContext,
		getExecutionDataById: async (id: string) => await Promise.resolve(called?.stored[id]),
		getExecutionId: () => executionId,
		getInputData: () => input,
		getMode: () => (called !== undefined ? 'integrated' : isRetry ? 'retry' : 'webhook'),
		getNode: () => node,
		getNodeParameter: (name: string, itemIndex: number, fallback?: unknown) =>
			evaluate(valueAt(parameters, name), start, itemIndex) ?? fallback,
		getTimezone: () => 'UTC',
		getWorkflow: () => ({ id: workflowId, name: 'A flow', active: true }),
		getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
		addExecutionHints: NOTHING,
		continueOnFail: () => false,
		logger: { debug: NOTHING, info: NOTHING, warn: NOTHING, error: NOTHING },
		runExecutionData: { resultData: { runData }, parentExecution: called?.parent },
		additionalData: { rootExecutionMode: called?.rootMode, hooks: namesRetried ? { retryOf } : {} },
		helpers: { prepareBinaryData: stored },
	} as unknown as IExecuteFunctions;
}

interface Failure {
	message?: string;
	description?: string | null;
}

/** What the user reads of a failure. */
export const words = (error: unknown): string => {
	const { message = '', description } = error as Failure;
	return [message, description].filter(Boolean).join('\n');
};
