import { isLink } from './literals';
import { nodeClasses } from './nodeClasses';
import type { ApiGraph, ApiGraphNode } from './types';

/** The ids of the nodes a graph is executed for. */
export const outputNodeIds = (graph: ApiGraph): string[] => Object.keys(graph).filter((id) => classOf(graph, id)?.isOutput);

export const classOf = (graph: ApiGraph, id: string) => nodeClasses.get(graph[id]?.class_type ?? '');

/** The inputs of a node that are links, with the node each comes from. */
export const linksOf = (node: ApiGraphNode): Array<{ input: string; from: string; slot: number }> =>
	Object.entries(node.inputs).flatMap(([input, value]) => (isLink(value) ? [{ input, from: value[0], slot: value[1] }] : []));

/**
 * Every node the outputs need, inputs before the nodes that use them, in the graph's own order otherwise.
 * Links that lead nowhere are left out; a link that closes a circle is handed to `onCycle` and not followed.
 */
export function executionOrder(
	graph: ApiGraph,
	onCycle?: (nodeId: string, input: string) => void,
	targets: readonly string[] = outputNodeIds(graph),
): string[] {
	const state = new Map<string, 'open' | 'done'>();
	const order: string[] = [];
	const visit = (id: string): void => {
		const node = Object.hasOwn(graph, id) ? graph[id] : undefined;
		if (!node || state.has(id)) return;
		state.set(id, 'open');
		for (const { input, from } of linksOf(node)) {
			if (state.get(from) === 'open') onCycle?.(id, input);
			else visit(from);
		}
		state.set(id, 'done');
		order.push(id);
	};
	targets.forEach(visit);
	return order;
}
