import { type ApiGraph, findNodesNamed, isRecord, type Job, type JobOutput, listOutputNodes } from '../../client';
import { ItemFault } from '../shared/itemFault';

export interface OutputSettings {
	/** Ids or titles of nodes; empty for all. */
	chosen: string[];
	/** Also where the workflow is an app whose author chose some. */
	takesAll: boolean;
	includesPreviews: boolean;
}

const shownNodes = (graph: ApiGraph): string =>
	listOutputNodes(graph)
		.map(({ nodeId, title }) => `${nodeId} (${title})`)
		.join(', ');

function nodeOf(graph: ApiGraph, name: string): string {
	const ids = findNodesNamed(graph, name);
	if (ids.length === 1) return ids[0] as string;
	if (ids.length > 1) {
		throw new ItemFault(
			`Outputs names "${name}", and several nodes of the workflow have that title`,
			`Nothing was sent. Choose the node from the list under Outputs, or name it by its id: ${ids.join(', ')}.`,
		);
	}
	throw new ItemFault(
		`Outputs names "${name}", which is no node of the workflow`,
		`Nothing was sent. Choose again under Outputs${shownNodes(graph) === '' ? '' : `; the workflow has: ${shownNodes(graph)}`}. Without any, all outputs are taken.`,
	);
}

/** The ids of the chosen nodes; none means all. @throws ItemFault for one that the workflow does not have. */
export const chosenNodes = (graph: ApiGraph, { chosen }: OutputSettings): string[] => chosen.map((name) => nodeOf(graph, name));

/** Where a server tells nothing of the place of a file, its node does. Texts are no previews: they are what was asked for. */
function isPreview({ type, node_id: nodeId, file_reference: reference }: JobOutput, temporary: ReadonlySet<string>): boolean {
	if (type === 'text') return false;
	return isRecord(reference) ? reference.type === 'temp' : temporary.has(nodeId);
}

/** What of a job's outputs is wanted: of the chosen nodes everything, of all nodes what is kept. */
export function wantedOutputs({ outputs }: Job, graph: ApiGraph, nodeIds: string[], { includesPreviews }: OutputSettings): JobOutput[] {
	if (nodeIds.length > 0) return outputs.filter(({ node_id: nodeId }) => nodeIds.includes(nodeId));
	if (includesPreviews) return outputs;
	const temporary = new Set(listOutputNodes(graph).flatMap(({ nodeId, isTemporary }) => (isTemporary ? [nodeId] : [])));
	return outputs.filter((output) => !isPreview(output, temporary));
}
