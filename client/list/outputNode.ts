import { isRecord, textOr } from '../decode';
import type { Job } from '../job';

/** A node of a job's workflow, as far as a list tells of it. */
export interface OutputNode {
	node_id: string;
	title: string | null;
	class_type: string | null;
}

/** @param graph the job's workflow, where it is at hand. */
export function outputNodeOf(nodeId: string | undefined, graph?: unknown): OutputNode | null {
	if (nodeId === undefined) return null;
	const node = isRecord(graph) && isRecord(graph[nodeId]) ? graph[nodeId] : {};
	const meta = isRecord(node._meta) ? node._meta : {};
	return { node_id: nodeId, title: textOr(meta.title, null), class_type: textOr(node.class_type, null) };
}

/** The first node that a listed job has outputs of, or will have; null where the list does not tell. */
export function firstOutputNode({
	first_output_node: told,
	preview_output: preview,
	outputs,
}: Job & { first_output_node?: OutputNode | null }): OutputNode | null {
	if (told !== undefined) return told;
	const shown = isRecord(preview) ? textOr(preview.nodeId, undefined) : undefined;
	return outputNodeOf(shown ?? textOr(outputs[0]?.node_id, undefined));
}
