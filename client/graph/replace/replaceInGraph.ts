import type { JsonRecord } from '../../json/decode';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import type { NodeReplacement, NodeReplacements } from '../../ports/serverControl';
import type { ConversionNote } from '../convert/report';
import { type Definitions, findDefinition } from '../inputs/definitions';
import { getTitle, parseLink } from '../inputs/graphNodes';

export const findRegistered = (className: string, replacements: NodeReplacements): NodeReplacement | undefined =>
	Object.hasOwn(replacements, className) ? replacements[className] : undefined;

/** @returns the replacement of a class that the server does not have, if the server has the new class. */
export function findReplacement(className: string, definitions: Definitions, replacements: NodeReplacements): NodeReplacement | undefined {
	const replacement = findRegistered(className, replacements);
	if (replacement === undefined || findDefinition(definitions, className) !== undefined) return undefined;
	return findDefinition(definitions, replacement.newClass) === undefined ? undefined : replacement;
}

/** @returns the position of an output of the new class. */
export const moveOutput = (slot: number, replacement: NodeReplacement | undefined): number =>
	replacement?.outputs?.find(({ from }) => from === slot)?.to ?? slot;

/** @returns the names that no mapping uses. */
export const findLost = (names: Iterable<string>, { inputs }: NodeReplacement): string[] =>
	inputs === undefined ? [] : [...new Set(names)].filter((name) => !inputs.some((entry) => 'from' in entry && entry.from === name));

/**
 * Replaces the nodes of retired classes in a graph.
 * @returns the graph itself if there is none.
 */
export function replaceInGraph(
	graph: ApiGraph,
	definitions: Definitions,
	replacements: NodeReplacements,
): { graph: ApiGraph; notes: ConversionNote[] } {
	const chosen = new Map<string, NodeReplacement>();
	for (const [id, { class_type: className }] of Object.entries(graph)) {
		const replacement = findReplacement(className, definitions, replacements);
		if (replacement !== undefined) chosen.set(id, replacement);
	}
	if (chosen.size === 0) return { graph, notes: [] };
	const moveLink = (value: unknown): unknown => {
		const link = parseLink(value);
		return link === undefined ? value : [(value as unknown[])[0], moveOutput(link.slot, chosen.get(link.nodeId))];
	};
	const replaceNode = (id: string, node: ApiGraphNode): ApiGraphNode => {
		const replacement = chosen.get(id);
		const inputs = Object.fromEntries(Object.entries(node.inputs).map(([name, value]) => [name, moveLink(value)]));
		if (replacement === undefined) return { ...node, inputs };
		return { ...node, class_type: replacement.newClass, inputs: mapInputs(inputs, replacement) };
	};
	const notes = [...chosen].map(([nodeId, replacement]): ConversionNote => {
		const node = graph[nodeId] as ApiGraphNode;
		const lost = findLost(Object.keys(node.inputs), replacement);
		return { note: 'node_replaced', nodeId, title: getTitle(node), className: node.class_type, value: replacement.newClass, lost };
	});
	return { graph: Object.fromEntries(Object.entries(graph).map(([id, node]) => [id, replaceNode(id, node)])), notes };
}

/** @returns values by the names of the new class. Without a mapping, the names are the same. */
export function mapInputs(inputs: JsonRecord, { inputs: mapping }: NodeReplacement): JsonRecord {
	const entries = mapping?.flatMap((entry): Array<[string, unknown]> => {
		if ('value' in entry) return [[entry.to, entry.value]];
		return Object.hasOwn(inputs, entry.from) ? [[entry.to, inputs[entry.from]]] : [];
	});
	return entries === undefined ? inputs : Object.fromEntries(entries);
}
