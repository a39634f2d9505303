import { GraphError } from '../errors/errors';
import type { DanglingLink } from '../errors/graphFaults';
import type { ApiGraph, ApiGraphNode } from '../ports/job';
import { findLostDigits } from '../json/numbers';
import { type Definitions, findDefinition } from './inputs/definitions';
import { findUpstreamNodes, getTitle, parseLink } from './inputs/graphNodes';

/**
 * @returns the graph itself. A number with more digits than a double holds has already changed if the graph, or a value in it,
 * came as an object.
 * @throws GraphError `lost_digits`. With a changed seed, the job would be a different one.
 */
export function checkDigits(graph: ApiGraph): ApiGraph {
	for (const [id, { inputs, class_type: className, _meta }] of Object.entries(graph)) {
		const lost = findLostDigits(inputs);
		if (lost === undefined) continue;
		throw new GraphError({
			fault: 'lost_digits',
			id,
			name: _meta?.title ?? className,
			input: lost.path.join(' > '),
			left: String(lost.number),
		});
	}
	return graph;
}

/** Classes that certainly save or show a result. Only used without a definition. */
const OUTPUT_CLASS = /^(Save|Preview)|VideoCombine$/;

function isOutput({ class_type: name }: ApiGraphNode, definitions: Definitions): boolean {
	const definition = findDefinition(definitions, name);
	return definition === undefined ? OUTPUT_CLASS.test(name) : definition.output_node === true;
}

/** ComfyUI reads two numbers as a plain list, because the id in a link is a text. */
const isNumberPair = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === 'number';

/** @returns the links of these nodes to nodes that the graph does not have. */
export const findDanglingLinks = (graph: ApiGraph, nodeIds: Iterable<string> = Object.keys(graph)): DanglingLink[] =>
	[...nodeIds].flatMap((nodeId) => {
		const node = graph[nodeId] as ApiGraphNode;
		return Object.entries(node.inputs).flatMap(([input, value]) => {
			const from = parseLink(value)?.nodeId;
			if (from === undefined || isNumberPair(value) || Object.hasOwn(graph, from)) return [];
			return [{ nodeId, title: getTitle(node), className: node.class_type, input, from }];
		});
	});

/**
 * @returns the graph itself, if it has every node that its outputs need. ComfyUI ignores the links of all other nodes.
 * @throws GraphError `dangling_links`. ComfyUI's own answer does not say which node is missing.
 */
export function checkLinks(graph: ApiGraph, definitions: Definitions): ApiGraph {
	const outputs = Object.keys(graph).filter((id) => isOutput(graph[id] as ApiGraphNode, definitions));
	const links = findDanglingLinks(graph, findUpstreamNodes(graph, outputs));
	if (links.length > 0) throw new GraphError({ fault: 'dangling_links', links });
	return graph;
}
