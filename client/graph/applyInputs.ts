import { GraphError } from '../errors';
import type { ApiGraph, ApiGraphNode } from '../job';

/** Node id or title → input name → value. */
export type InputValues = Record<string, Record<string, unknown>>;

const titleOf = (node: ApiGraphNode): string | undefined => node._meta?.title;

const describe = (graph: ApiGraph): string[] => Object.entries(graph).map(([id, node]) => `${id} (${titleOf(node) ?? node.class_type})`);

/** The ids of the nodes of that name. An id wins over a title, so that a node titled "7" cannot hide node 7. */
export const nodesNamed = (graph: ApiGraph, name: string): string[] =>
	Object.hasOwn(graph, name) ? [name] : Object.keys(graph).filter((id) => titleOf(graph[id] as ApiGraphNode) === name);

function findNode(graph: ApiGraph, name: string): string {
	const ids = nodesNamed(graph, name);
	if (ids.length > 1) throw new GraphError({ fault: 'ambiguous_title', node: name, ids });
	if (ids[0] === undefined) throw new GraphError({ fault: 'unknown_node', node: name, known: describe(graph) });
	return ids[0];
}

/**
 * A copy of the graph with these values in place; the graph itself is left as it is.
 * @throws GraphError `unknown_node`, `ambiguous_title` or `unknown_input`: a misspelt name would otherwise run, and
 * bill, the workflow with its old value.
 */
export function applyInputs(graph: ApiGraph, values: InputValues): ApiGraph {
	const changed: ApiGraph = { ...graph };
	for (const [name, inputs] of Object.entries(values)) {
		const id = findNode(graph, name);
		const node = changed[id] as ApiGraphNode;
		for (const input of Object.keys(inputs)) {
			if (!Object.hasOwn(node.inputs, input)) {
				throw new GraphError({ fault: 'unknown_input', node: name, input, known: Object.keys(node.inputs) });
			}
		}
		changed[id] = { ...node, inputs: { ...node.inputs, ...inputs } };
	}
	return changed;
}
