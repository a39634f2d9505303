import type { EditorFile, EditorGraph, EditorInput, EditorLink, EditorNode, EditorSubgraph } from '../model';

export type Socket = EditorSubgraph['inputs'][number];

/** One level of a workflow to work on: what older files lack is added to it. The whole workflow has no sockets outwards. */
export interface Level extends EditorGraph {
	inputs: Socket[];
	outputs: Socket[];
}

export interface Levels {
	root: Level;
	/** By the id that their instances have as their class. */
	subgraphs: Map<string, Level>;
	/** The highest id given so far. */
	lastNodeId: number;
}

/** The borders of a subgraph, as links inside name them. */
export const BORDER_IN = '-10';
export const BORDER_OUT = '-20';

/** An instance's inputs stand in any order in its file, and some not at all: their names say which is which. */
export const linkInto = (host: EditorNode, name: string): string | undefined =>
	host.inputs.findLast((input) => input.name === name)?.linkId;

/** Far above what anybody draws, far below what fills the memory of a server. */
export const MOST_NODES = 20_000;

/** An input by its name; files leave out those that nothing is linked to. */
export function ownInput({ inputs }: EditorNode, name: string, type: string, isWidget: boolean): EditorInput {
	const known = inputs.find((input) => input.name === name);
	if (known !== undefined) return known;
	const input: EditorInput = { name, type, ...(isWidget ? { widgetName: name } : {}) };
	inputs.push(input);
	return input;
}

type Ids = ReadonlyMap<string, string>;

const numberOf = (id: string): number | undefined => (/^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : undefined);

const copyOf = (node: EditorNode): EditorNode => ({
	...node,
	inputs: node.inputs.map((input) => ({ ...input })),
	outputs: node.outputs.map((output) => ({ ...output })),
	given: new Map(node.given),
	properties: { ...node.properties },
});

function copyOfLink({ from, to, ...link }: EditorLink, ids: Ids): EditorLink {
	return {
		...link,
		from: { ...from, nodeId: ids.get(from.nodeId) ?? from.nodeId },
		to: { ...to, nodeId: ids.get(to.nodeId) ?? to.nodeId },
	};
}

function levelOf(graph: EditorGraph & { inputs?: Socket[]; outputs?: Socket[] }, ids: Ids): Level {
	const sockets = (list: Socket[] = []): Socket[] => list.map((socket) => ({ ...socket, linkIds: [...socket.linkIds] }));
	const nodes = [...graph.nodes.values()].map((node) => ({ ...copyOf(node), id: ids.get(node.id) ?? node.id }));
	return {
		nodes: new Map(nodes.map((node) => [node.id, node])),
		links: new Map([...graph.links].map(([id, link]) => [id, copyOfLink(link, ids)])),
		inputs: sockets(graph.inputs),
		outputs: sockets(graph.outputs),
	};
}

/** Older files name widgets that are shown outside by the ids of nodes inside. */
function renumberProxies({ properties, className }: EditorNode, newIds: ReadonlyMap<string, Ids>): void {
	const ids = newIds.get(className);
	if (ids === undefined || !Array.isArray(properties.proxyWidgets)) return;
	properties.proxyWidgets = (properties.proxyWidgets as unknown[]).map((entry) => {
		if (!Array.isArray(entry)) return entry;
		const [id, ...rest] = entry as unknown[];
		return [ids.get(String(id)) ?? id, ...rest];
	});
}

/**
 * A copy whose node ids are unique in the whole file: the frontend numbers anew what stands in a subgraph and whose id another
 * level has already, on from the highest of the file. The ids of the converted graph hang on it.
 */
export function levelsOf(file: EditorFile): Levels {
	const taken = new Set(file.nodes.keys());
	let { lastNodeId } = file;
	const nextId = (): string => {
		do lastNodeId++;
		while (taken.has(String(lastNodeId)));
		return String(lastNodeId);
	};
	const newIds = new Map<string, Ids>();
	for (const [subgraphId, { nodes }] of file.subgraphs) {
		const ids = new Map<string, string>();
		for (const id of nodes.keys()) {
			if (taken.has(id)) ids.set(id, nextId());
			else lastNodeId = Math.max(lastNodeId, numberOf(id) ?? 0);
			taken.add(ids.get(id) ?? id);
		}
		newIds.set(subgraphId, ids);
	}
	const root = levelOf(file, new Map());
	const subgraphs = new Map([...file.subgraphs].map(([id, subgraph]) => [id, levelOf(subgraph, newIds.get(id) ?? new Map())]));
	for (const level of [root, ...subgraphs.values()]) for (const node of level.nodes.values()) renumberProxies(node, newIds);
	for (const id of root.nodes.keys()) lastNodeId = Math.max(lastNodeId, numberOf(id) ?? 0);
	return { root, subgraphs, lastNodeId };
}

/** The file with the ids that its nodes have in the converted graph. */
export function withUniqueIds(file: EditorFile): EditorFile {
	const { root, subgraphs } = levelsOf(file);
	return {
		...file,
		nodes: root.nodes,
		links: root.links,
		subgraphs: new Map([...file.subgraphs].map(([id, subgraph]) => [id, { ...subgraph, ...subgraphs.get(id) }])),
	};
}
