import { type ApiGraph, isRecord, type Job, type JobOutput, nodesNamed, outputNodesOf } from '../../client';
import { ItemFault } from '../shared/itemFault';

export interface OutputSettings {
	/** Ids or titles of nodes; empty for all. */
	chosen: string[];
	/** Whether to ignore the choice of an app's author. */
	takesAll: boolean;
	includesPreviews: boolean;
}

const describeOutputNodes = (graph: ApiGraph): string =>
	outputNodesOf(graph)
		.map(({ nodeId, title }) => `${nodeId} (${title})`)
		.join(', ');

function findNodeId(graph: ApiGraph, name: string): string {
	const ids = nodesNamed(graph, name);
	if (ids.length === 1) return ids[0] as string;
	if (ids.length > 1) {
		throw new ItemFault(
			`Outputs names "${name}", and several nodes of the workflow have that title`,
			`Nothing was sent. Choose the node from the list under Outputs, or name it by its id: ${ids.join(', ')}.`,
		);
	}
	throw new ItemFault(
		`Outputs names "${name}", which is no node of the workflow`,
		`Nothing was sent. Choose again under Outputs${describeOutputNodes(graph) === '' ? '' : `; the workflow has: ${describeOutputNodes(graph)}`}. Without any, all outputs are taken.`,
	);
}

/** @returns the ids of the chosen nodes; empty for all. @throws ItemFault for a node that the workflow does not have. */
export const chosenNodes = (graph: ApiGraph, { chosen }: OutputSettings): string[] => chosen.map((name) => findNodeId(graph, name));

/** If the server does not report the folder of a file, the class of its node decides. A text is never a preview. */
function isPreview({ type, node_id: nodeId, file_reference: reference }: JobOutput, temporary: ReadonlySet<string>): boolean {
	if (type === 'text') return false;
	return isRecord(reference) ? reference.type === 'temp' : temporary.has(nodeId);
}

/** The wanted outputs of a job: everything of the chosen nodes, or what all nodes have saved. */
export function wantedOutputs({ outputs }: Job, graph: ApiGraph, nodeIds: string[], { includesPreviews }: OutputSettings): JobOutput[] {
	if (nodeIds.length > 0) return outputs.filter(({ node_id: nodeId }) => nodeIds.includes(nodeId));
	if (includesPreviews) return outputs;
	const temporary = new Set(outputNodesOf(graph).flatMap(({ nodeId, isTemporary }) => (isTemporary ? [nodeId] : [])));
	return outputs.filter((output) => !isPreview(output, temporary));
}
