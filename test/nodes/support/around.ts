import type { IConnections, IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { NODE_NAME, type NodeRun, nodes, nodeType } from './engine';
import { parametersOf } from './testWorkflow';

/** The connections of nodes that follow each other. */
export const chain = (...names: string[]): IConnections =>
	Object.fromEntries(
		names.slice(1).map((name, index) => [names[index] as string, { main: [[{ node: name, type: 'main' as const, index: 0 }]] }]),
	);

/** A node before the one under test; as in n8n, it may change the very items that it is given. */
export const nodeBefore = (work: (items: INodeExecutionData[], execution: IExecuteFunctions) => void): NodeRun['around'] => ({
	nodes: [
		{
			name: 'Before',
			type: nodeType('Before', async function () {
				const items = this.getInputData();
				work(items, this);
				return [items];
			}),
		},
	],
	connections: chain('Start', 'Before', NODE_NAME),
});

/** The name of the other node of the same kind. */
export const TWIN = 'Twin';

/** Another node of the same kind, which runs first with the same items, and has these parameters. */
export const twinOf = (run: NodeRun): NodeRun['around'] => ({
	nodes: [
		{
			name: TWIN,
			type: nodes[run.node],
			settings: { parameters: parametersOf(run), credentials: { [run.credential.type]: { id: '1', name: 'test' } } },
		},
	],
	connections: { Start: { main: [[TWIN, NODE_NAME].map((node) => ({ node, type: 'main' as const, index: 0 }))] } },
});

/** The node under test has one item at a time, as with n8n's *Loop Over Items*; what is left is in the node's context. */
export const loopOverItems = (made?: () => INodeExecutionData[]): NodeRun['around'] => {
	const execute: INodeType['execute'] = async function () {
		const context = this.getContext('node') as { left?: INodeExecutionData[] };
		const [next, ...left] = context.left ?? made?.() ?? this.getInputData();
		context.left = left;
		return next === undefined ? [[{ json: {} }], []] : [[], [next]];
	};
	const back = [{ node: 'Loop', type: 'main' as const, index: 0 }];
	return {
		nodes: [{ name: 'Loop', type: nodeType('Loop', execute, { outputs: 2 }) }],
		connections: {
			Start: { main: [back] },
			Loop: { main: [[], [{ node: NODE_NAME, type: 'main', index: 0 }]] },
			[NODE_NAME]: { main: [back] },
		},
	};
};

/** What n8n tells a node about its execution. */
export const toldTo = (execution: IExecuteFunctions): IDataObject => {
	const { source, establishedAt } = execution.getExecutionContext() ?? {};
	return {
		mode: execution.getMode(),
		source,
		establishedAt,
		runIndex: execution.getWorkflowDataProxy(0).$runIndex as number,
		context: { ...execution.getContext('node') },
	};
};
