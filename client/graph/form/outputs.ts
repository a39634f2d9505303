import type { ApiGraph, ApiGraphNode } from '../../job';
import { definitionOf } from './definition';
import { linkOf, titleOf } from './literals';
import { titlesIn } from './titles';
import type { Definitions, GraphOutput } from './types';

const KEEPS = /save|preview|videocombine|video_combine|compare/i;
/** Files of these are gone with the next start; what shows a text keeps it with the job. */
const PREVIEWS = /preview(?!any)|compare/i;

const isLinked = (node: ApiGraphNode): boolean => Object.values(node.inputs).some((value) => linkOf(value) !== undefined);

/** The nodes whose results a job brings, in graph order. Without a definition: those that save or show, and those that nothing comes after. */
export function outputNodesOf(graph: ApiGraph, definitions: Definitions = {}): GraphOutput[] {
	const label = titlesIn(graph);
	const used = new Set(Object.values(graph).flatMap(({ inputs }) => Object.values(inputs).map((value) => linkOf(value)?.nodeId)));
	const isOutput = (id: string, node: ApiGraphNode): boolean => {
		const told = definitionOf(definitions, node.class_type)?.output_node;
		return typeof told === 'boolean' ? told : KEEPS.test(node.class_type) || (!used.has(id) && isLinked(node));
	};
	return Object.entries(graph).flatMap(([nodeId, node]) =>
		isOutput(nodeId, node)
			? [
					{
						nodeId,
						title: titleOf(node),
						label: label(nodeId),
						className: node.class_type,
						isTemporary: PREVIEWS.test(node.class_type) || node.inputs.save_output === false,
					},
				]
			: [],
	);
}

/** These nodes, and all nodes that their inputs come from; ids that the graph does not have are left out. */
export function nodesBehind(graph: ApiGraph, nodeIds: string[]): Set<string> {
	const found = new Set<string>();
	const waiting = [...nodeIds];
	for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
		if (found.has(id) || !Object.hasOwn(graph, id)) continue;
		found.add(id);
		for (const value of Object.values(graph[id]?.inputs ?? {})) {
			const link = linkOf(value);
			if (link !== undefined) waiting.push(link.nodeId);
		}
	}
	return found;
}
