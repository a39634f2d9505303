import type { ConversionRefusal } from '../../../errors/graphFaults';
import type { Definitions } from '../../inputs/definitions';
import type { EditorFile, EditorSubgraph } from '../editorFile';
import { type EditorGraph, type EditorNode, type FlatGraph, locateNode } from '../editorGraph';
import { flatten } from './flatten';
import { expandGroupNodes, hasGroupNodes } from './groupNodes';
import { copyLevels, type Level } from './levels';
import { hasProxies, PromotedWidgets } from './promotedWidgets';
import { ProxyConverter } from './proxies';

export interface Expansion {
	graph: FlatGraph;
	/** Nodes whose values today's frontend reads differently from the one that saved the file. Here they are as they were saved. */
	ambiguousIds: ReadonlySet<string>;
	refusals: ConversionRefusal[];
}

/**
 * Puts the nodes of subgraphs and of group nodes into one flat graph with ids such as `12:3`. It joins the links through borders. The
 * values of promoted widgets become sources of links.
 * @param definitions decide which values belong to which widgets. Without them, only the nodes and their classes are right.
 */
export function expandSubgraphs(file: EditorFile, definitions: Definitions): Expansion {
	if (file.subgraphs.size === 0 && !hasGroupNodes(file))
		return { graph: { nodes: file.nodes, links: file.links, promoted: new Map() }, ambiguousIds: new Set(), refusals: [] };
	const { innermostFirst, refusals } = sortSubgraphs(file);
	if (refusals.length > 0) return { graph: { nodes: new Map(), links: new Map(), promoted: new Map() }, ambiguousIds: new Set(), refusals };
	const levels = copyLevels(file);
	const ambiguousIds = expandGroupNodes(file, levels, definitions);
	const promoted = new PromotedWidgets(levels, definitions);
	const proxies = new ProxyConverter(promoted);
	const sorted = innermostFirst.flatMap((id) => levels.subgraphs.get(id) ?? []);
	for (const level of [...sorted, levels.root]) preparePromotedWidgets(level, promoted, proxies);
	return { graph: flatten(promoted), ambiguousIds, refusals: [] };
}

/** Reads the values of the subgraph nodes in a level, and converts proxies of older files. The levels inside must be done before. */
function preparePromotedWidgets({ nodes }: Level, promoted: PromotedWidgets, proxies: ProxyConverter): void {
	const hosts = [...nodes.values()].flatMap((host) => {
		const inside = promoted.levels.subgraphs.get(host.className);
		return inside === undefined ? [] : [{ host, inside }];
	});
	for (const { host, inside } of hosts) promoted.readOwnValues(host, inside);
	for (const { host, inside } of hosts) if (hasProxies(host)) proxies.convert(host, inside);
}

const DEEPEST = 100;
/** Nodes and sockets of subgraph nodes, which take time as well. No real workflow has so many. */
const MOST_PARTS = 20_000;

/** A level whose subgraph nodes are being visited. */
interface OpenLevel {
	/** The id of the subgraph; undefined for the workflow itself. */
	id: string | undefined;
	/** Its subgraph nodes that are not visited yet. */
	remaining: EditorNode[];
	/** Its nodes and sockets, and those of the levels inside. */
	parts: number;
}

/**
 * Sorts the subgraphs that a workflow uses, each after those that it contains. It counts the nodes of each subgraph once. So a file
 * with 30 levels of two subgraph nodes each, which is a billion nodes, is refused soon.
 */
function sortSubgraphs(file: EditorFile): { innermostFirst: string[]; refusals: ConversionRefusal[] } {
	const sizes = new Map<string, number>();
	const openIds = new Set<string>();
	const refusals: ConversionRefusal[] = [];
	const refuseSize = (detail: string) => ({ innermostFirst: [], refusals: [...refusals, { refusal: 'too_large' as const, detail }] });
	const stack = [openLevel(file, file, undefined)];
	for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
		const node = level.remaining.at(-1);
		if (node === undefined) {
			stack.pop();
			if (level.parts > MOST_PARTS) return refuseSize(`its subgraphs contain more than ${MOST_PARTS} nodes and sockets in total`);
			if (level.id === undefined) continue;
			openIds.delete(level.id);
			sizes.set(level.id, level.parts);
			continue;
		}
		const { className } = node;
		const subgraph = file.subgraphs.get(className);
		const size = sizes.get(className);
		if (subgraph === undefined || size !== undefined) {
			level.remaining.pop();
			level.parts += size ?? 0;
		} else if (openIds.has(className)) {
			level.remaining.pop();
			refusals.push({ refusal: 'cyclic_subgraph', ...locateNode(node, { display_name: subgraph.name }) });
		} else {
			if (stack.length > DEEPEST) return refuseSize(`its subgraphs are nested more than ${DEEPEST} levels deep`);
			openIds.add(className);
			stack.push(openLevel(file, subgraph, className));
		}
	}
	return { innermostFirst: [...sizes.keys()], refusals };
}

function openLevel(file: EditorFile, graph: EditorGraph & Partial<EditorSubgraph>, id: string | undefined): OpenLevel {
	const hosts = [...graph.nodes.values()].filter(({ className }) => file.subgraphs.has(className));
	const sockets = [graph, ...hosts].flatMap(({ inputs, outputs }) => [inputs?.length ?? 0, outputs?.length ?? 0]);
	return { id, remaining: hosts, parts: sockets.reduce((sum, count) => sum + count, graph.nodes.size) };
}
