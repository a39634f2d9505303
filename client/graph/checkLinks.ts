import { GraphError } from '../errors';
import type { DanglingLink } from '../graphFaults';
import type { ApiGraph, ApiGraphNode } from '../job';
import { type Definitions, nodesBehind } from './form';
import { definitionOf } from './form/definition';
import { linkOf, titleOf } from './form/literals';

/** Classes that certainly save or show a result, where no definition says it. */
const OUTPUT = /^(Save|Preview)|VideoCombine$/;

const isOutput = ({ class_type: name }: ApiGraphNode, definitions: Definitions): boolean => {
	const definition = definitionOf(definitions, name);
	return definition === undefined ? OUTPUT.test(name) : definition.output_node === true;
};

/** ComfyUI reads two numbers as a plain list, because the id in a link is a text. */
const isNumberPair = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'number';

/** The links of these nodes that lead to a node which the graph does not have. */
export const danglingLinks = (graph: ApiGraph, nodeIds: Iterable<string> = Object.keys(graph)): DanglingLink[] =>
	[...nodeIds].flatMap((nodeId) => {
		const node = graph[nodeId] as ApiGraphNode;
		return Object.entries(node.inputs).flatMap(([input, value]) => {
			const from = linkOf(value)?.nodeId;
			if (from === undefined || isNumberPair(value) || Object.hasOwn(graph, from)) return [];
			return [{ nodeId, title: titleOf(node), className: node.class_type, input, from }];
		});
	});

/**
 * The graph itself, if every node that an output needs is in it. ComfyUI ignores the links of all other nodes.
 * @throws GraphError `dangling_links`: ComfyUI's own answer does not say which node is missing.
 */
export function checkLinks(graph: ApiGraph, definitions: Definitions): ApiGraph {
	const outputs = Object.keys(graph).filter((id) => isOutput(graph[id] as ApiGraphNode, definitions));
	const links = danglingLinks(graph, nodesBehind(graph, outputs));
	if (links.length > 0) throw new GraphError({ fault: 'dangling_links', links });
	return graph;
}
