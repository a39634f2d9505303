import type { IExecuteFunctions } from 'n8n-workflow';

import { type ApiGraph, parseGraph } from '../../../../client';
import { pastedWorkflow } from './workflowText';

/** Of the latest item: a batch mostly has one workflow for all of them, which may be large. Nobody changes a graph, only copies of it. */
const latest = new WeakMap<IExecuteFunctions, { text: string; graph: ApiGraph }>();

/** @throws GraphError as `parseGraph` does. */
export function parsedWorkflow(execution: IExecuteFunctions, source: unknown): ApiGraph {
	if (typeof source !== 'string') return parseGraph(source);
	const known = latest.get(execution);
	if (known?.text === source) return known.graph;
	const graph = parseGraph(pastedWorkflow(source));
	latest.set(execution, { text: source, graph });
	return graph;
}
