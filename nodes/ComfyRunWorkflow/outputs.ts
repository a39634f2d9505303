import { type ApiGraph, findNodesNamed, type Job, type JobOutput, listOutputNodes, withoutIntermediate } from '../../client';
import { ItemFault } from '../shared/itemFault';
import { createPreviewTest } from '../shared/jobs/notDelivered';
import { messages } from '../shared/messages/catalogue';

export interface OutputSettings {
	/** Ids or titles of nodes; empty for all. */
	chosen: string[];
	/** Whether to ignore the choice of an app's author. */
	ignoresAppChoice: boolean;
	includesPreviews: boolean;
}

const describeOutputNodes = (graph: ApiGraph): string =>
	listOutputNodes(graph)
		.map(({ nodeId, title }) => `${nodeId} (${title})`)
		.join(', ');

function findNodeId(graph: ApiGraph, name: string): string {
	const ids = findNodesNamed(graph, name);
	if (ids.length === 1) return ids[0] as string;
	if (ids.length > 1) throw new ItemFault(messages.OUTPUTS_TITLE_SHARED(name, ids));
	throw new ItemFault(messages.OUTPUTS_NODE_UNKNOWN(name, describeOutputNodes(graph)));
}

/** @returns the ids of the chosen nodes; empty for all. @throws ItemFault for a node that the workflow does not have. */
export const findChosenNodes = (graph: ApiGraph, { chosen }: OutputSettings): string[] => chosen.map((name) => findNodeId(graph, name));

/** The wanted outputs of a job: everything of the chosen nodes, or what all nodes have saved. */
export function selectOutputs({ outputs }: Job, graph: ApiGraph, nodeIds: string[], { includesPreviews }: OutputSettings): JobOutput[] {
	if (nodeIds.length > 0) return outputs.filter(({ node_id: nodeId }) => nodeIds.includes(nodeId));
	if (!includesPreviews) {
		const isPreview = createPreviewTest(graph);
		return outputs.filter((output) => !isPreview(output));
	}
	return withoutIntermediate(outputs, graph);
}
