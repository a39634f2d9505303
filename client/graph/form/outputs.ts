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
