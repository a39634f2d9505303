import type { EditorFile } from '../editorFile';
import type { EditorGraph, EditorInput, EditorLink, EditorNode, SubgraphSocket } from '../editorGraph';

/** A copy of the workflow or of one subgraph, to work on. The workflow itself has no sockets. */
export interface Level extends EditorGraph {
	inputs: SubgraphSocket[];
	outputs: SubgraphSocket[];
}

export interface Levels {
	root: Level;
	/** By the id that subgraph nodes have as their class. */
	subgraphs: Map<string, Level>;
	/** The highest node id so far. */
	lastNodeId: number;
}

/** No real workflow has so many nodes. More of them could fill the memory of a server. */
export const MOST_NODES = 20_000;

/** @returns the link into an input of a subgraph node. Its inputs are in any order in the file, so the name identifies them. */
export const findLinkInto = (host: EditorNode, name: string): string | undefined =>
	host.inputs.findLast((input) => input.name === name)?.linkId;

/** @returns the input of this name. Files leave out inputs without a link, so it may have to be added. */
export function getOrAddInput({ inputs }: EditorNode, name: string, type: string, isWidget: boolean): EditorInput {
	const known = inputs.find((input) => input.name === name);
	if (known !== undefined) return known;
	const input: EditorInput = { name, type, ...(isWidget ? { widgetName: name } : {}) };
	inputs.push(input);
	return input;
}

/**
 * Copies the levels of a file and makes the ids of all nodes unique. Like the frontend, it gives a new id to a node in a subgraph if
 * another level has the same id. New ids follow the highest id of the file. The ids of the converted graph depend on them.
 */
export function copyLevels(file: EditorFile): Levels {
	const usedIds = new Set(file.nodes.keys());
	let { lastNodeId } = file;
	const nextId = (): string => {
		do lastNodeId++;
		while (usedIds.has(String(lastNodeId)));
		return String(lastNodeId);
	};
	const newIds = new Map<string, NewIds>();
	for (const [subgraphId, { nodes }] of file.subgraphs) {
		const ids = new Map<string, string>();
		for (const id of nodes.keys()) {
			if (usedIds.has(id)) ids.set(id, nextId());
			else lastNodeId = Math.max(lastNodeId, toNumber(id) ?? 0);
			usedIds.add(ids.get(id) ?? id);
		}
		newIds.set(subgraphId, ids);
	}
	const root = copyLevel(file, new Map());
	const subgraphs = new Map([...file.subgraphs].map(([id, subgraph]) => [id, copyLevel(subgraph, newIds.get(id) ?? new Map())]));
	for (const level of [root, ...subgraphs.values()]) for (const node of level.nodes.values()) renumberProxies(node, newIds);
	for (const id of root.nodes.keys()) lastNodeId = Math.max(lastNodeId, toNumber(id) ?? 0);
	return { root, subgraphs, lastNodeId };
}

/** @returns the file with the ids that its nodes have in the converted graph. */
export function withUniqueIds(file: EditorFile): EditorFile {
	const { root, subgraphs } = copyLevels(file);
	return {
		...file,
		nodes: root.nodes,
		links: root.links,
		subgraphs: new Map([...file.subgraphs].map(([id, subgraph]) => [id, { ...subgraph, ...subgraphs.get(id) }])),
	};
}

/** Old id → new id. */
type NewIds = ReadonlyMap<string, string>;

const toNumber = (id: string): number | undefined => (/^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : undefined);

function copyLevel(graph: EditorGraph & { inputs?: SubgraphSocket[]; outputs?: SubgraphSocket[] }, newIds: NewIds): Level {
	const copySockets = (sockets: SubgraphSocket[] = []): SubgraphSocket[] =>
		sockets.map((socket) => ({ ...socket, linkIds: [...socket.linkIds] }));
	const nodes = [...graph.nodes.values()].map((node) => copyNode(node, newIds));
	return {
		nodes: new Map(nodes.map((node) => [node.id, node])),
		links: new Map([...graph.links].map(([id, link]) => [id, copyLink(link, newIds)])),
		inputs: copySockets(graph.inputs),
		outputs: copySockets(graph.outputs),
	};
}

const copyNode = (node: EditorNode, newIds: NewIds): EditorNode => ({
	...node,
	id: newIds.get(node.id) ?? node.id,
	inputs: node.inputs.map((input) => ({ ...input })),
	outputs: node.outputs.map((output) => ({ ...output })),
	overrides: new Map(node.overrides),
	properties: { ...node.properties },
});

const copyLink = ({ from, to, ...link }: EditorLink, newIds: NewIds): EditorLink => ({
	...link,
	from: { ...from, nodeId: newIds.get(from.nodeId) ?? from.nodeId },
	to: { ...to, nodeId: newIds.get(to.nodeId) ?? to.nodeId },
});

/** Older files name the widgets that a subgraph node shows by the ids of the nodes inside. */
function renumberProxies({ properties, className }: EditorNode, newIds: ReadonlyMap<string, NewIds>): void {
	const ids = newIds.get(className);
	if (ids === undefined || !Array.isArray(properties.proxyWidgets)) return;
	properties.proxyWidgets = (properties.proxyWidgets as unknown[]).map((entry) => {
		if (!Array.isArray(entry)) return entry;
		const [id, ...rest] = entry as unknown[];
		return [ids.get(String(id)) ?? id, ...rest];
	});
}
