import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { type Definitions, findDefinition } from './definitions';
import { getTitle, labelNodes, parseLink } from './graphNodes';

/** A node whose results a job returns. */
export interface GraphOutput {
	nodeId: string;
	title: string;
	/** The title, with the node id if several nodes have the same title. */
	label: string;
	className: string;
	/** A preview, which ComfyUI does not keep. */
	isTemporary: boolean;
}

const OUTPUT_CLASS = /save|preview|videocombine|video_combine|compare/i;
/** ComfyUI deletes their files when it starts. *PreviewAny* shows a text, which stays with the job. */
const PREVIEW_CLASS = /preview(?!any)|compare/i;

/**
 * @returns the output nodes in graph order. Without a definition, these are classes that save or show a result by their name, and
 * nodes at the end of a chain.
 */
export function listOutputNodes(graph: ApiGraph, definitions: Definitions = {}): GraphOutput[] {
	const labels = labelNodes(graph);
	const usedIds = new Set(Object.values(graph).flatMap(({ inputs }) => Object.values(inputs).map((value) => parseLink(value)?.nodeId)));
	const isOutput = (id: string, node: ApiGraphNode): boolean => {
		const isDefined = findDefinition(definitions, node.class_type)?.output_node;
		return typeof isDefined === 'boolean' ? isDefined : OUTPUT_CLASS.test(node.class_type) || (!usedIds.has(id) && hasLink(node));
	};
	return Object.entries(graph)
		.filter(([nodeId, node]) => isOutput(nodeId, node))
		.map(([nodeId, node]) => ({
			nodeId,
			title: getTitle(node),
			label: labels.get(nodeId) ?? '',
			className: node.class_type,
			isTemporary: PREVIEW_CLASS.test(node.class_type) || node.inputs.save_output === false,
		}));
}

const hasLink = (node: ApiGraphNode): boolean => Object.values(node.inputs).some((value) => parseLink(value) !== undefined);
