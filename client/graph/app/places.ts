import { listOf } from '../../decode';
import type { EditorFile, EditorGraph, EditorLink, EditorNode } from '../convert/model';
import type { MarkedInput } from './marked';

/** An input of the converted graph: `nodeId` is `12:3` inside a subgraph. */
export interface Place {
	nodeId: string;
	input: string;
}

/** Where a marked widget puts its value, and what its author calls it. */
export interface FoundWidget {
	/** The node that shows it. */
	node: EditorNode;
	/** As it was renamed. */
	label?: string;
	places: Place[];
}

/** One level of the file, and the ids of the subgraph nodes that lead to it. */
interface Level {
	graph: EditorGraph;
	prefix: string[];
}

/** Deeper is no drawing of anybody's: a subgraph that contains itself ends here. */
const DEEPEST = 50;
const MOST_PLACES = 200;

/** What is found on the way inwards; nothing is looked at twice, however the file is knotted. */
interface Search {
	places: Place[];
	seen: Set<string>;
}

/** Once for each file or graph: marks are many, and most ask for the same. */
function once<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
	const known = new WeakMap<Of, { made: Made }>();
	return (of) => {
		const { made } = known.get(of) ?? { made: make(of) };
		known.set(of, { made });
		return made;
	};
}

function groupedBy<One>(all: Iterable<One>, keyOf: (one: One) => string): Map<string, One[]> {
	const groups = new Map<string, One[]>();
	for (const one of all) {
		const group = groups.get(keyOf(one));
		if (group === undefined) groups.set(keyOf(one), [one]);
		else group.push(one);
	}
	return groups;
}

const linksByOrigin = once((graph: EditorGraph) => groupedBy(graph.links.values(), ({ from }) => from.nodeId));

const linksFrom = (graph: EditorGraph, { id }: EditorNode): EditorLink[] => linksByOrigin(graph).get(id) ?? [];

const placed = ({ prefix }: Level, { id }: EditorNode, input: string): Place => ({ nodeId: [...prefix, id].join(':'), input });

/** Older files list the widgets inside that a subgraph node shows. */
function proxiesOf({ properties }: EditorNode): Array<[nodeId: string, widget: string]> {
	return listOf(properties.proxyWidgets).flatMap((entry): Array<[string, string]> => {
		const [id, name] = listOf(entry);
		return typeof name === 'string' ? [[String(id), name]] : [];
	});
}

/** What a subgraph node shows of its inside, by the links of its border or, in older files, by the list of its properties. */
function behindHost(file: EditorFile, level: Level, host: EditorNode, widget: string, search: Search): void {
	const subgraph = file.subgraphs.get(host.className);
	if (subgraph === undefined || level.prefix.length >= DEEPEST) return;
	const inside: Level = { graph: subgraph, prefix: [...level.prefix, host.id] };
	const outer = host.inputs.find(({ name, widgetName }) => widgetName === widget || name === widget)?.name ?? widget;
	const socket = subgraph.inputs.find(({ name }) => name === outer);
	for (const linkId of socket?.linkIds ?? []) {
		const to = subgraph.links.get(linkId)?.to;
		if (to !== undefined) behindLink(file, inside, to.nodeId, to.slot, search);
	}
	if (socket !== undefined) return;
	for (const [id, name] of proxiesOf(host)) {
		const node = subgraph.nodes.get(id);
		if (node !== undefined && name === widget) behindWidget(file, inside, node, widget, search);
	}
}

/** Through reroutes, to the widget that a link feeds. */
function behindLink(file: EditorFile, level: Level, nodeId: string, slot: number, search: Search): void {
	const seen = new Set<string>();
	const open = [{ nodeId, slot }];
	for (let end = open.pop(); end !== undefined; end = open.pop()) {
		const node = level.graph.nodes.get(end.nodeId);
		if (node === undefined || seen.has(`${end.nodeId} ${end.slot}`)) continue;
		seen.add(`${end.nodeId} ${end.slot}`);
		if (node.className === 'Reroute') for (const link of linksFrom(level.graph, node)) open.push(link.to);
		const input = node.inputs[end.slot];
		if (node.className !== 'Reroute' && input !== undefined) behindWidget(file, level, node, input.widgetName ?? input.name, search);
	}
}

/** A node that only holds a value is not sent: what takes its value is. */
function behindWidget(file: EditorFile, level: Level, node: EditorNode, widget: string, search: Search): void {
	const at = `${[...level.prefix, node.id].join(':')}.${widget}`;
	if (search.places.length >= MOST_PLACES || search.seen.has(at)) return;
	search.seen.add(at);
	if (file.subgraphs.has(node.className)) behindHost(file, level, node, widget, search);
	else if (node.className !== 'PrimitiveNode') search.places.push(placed(level, node, widget));
	else for (const { to } of linksFrom(level.graph, node)) behindLink(file, level, to.nodeId, to.slot, search);
}

/** Every level of the file, the whole first. */
const levelsOf = once((file: EditorFile): Level[] => {
	const levels: Level[] = [{ graph: file, prefix: [] }];
	for (const { graph, prefix } of levels) {
		for (const node of graph.nodes.values()) {
			const subgraph = file.subgraphs.get(node.className);
			if (subgraph !== undefined && prefix.length < DEEPEST && levels.length < MOST_PLACES)
				levels.push({ graph: subgraph, prefix: [...prefix, node.id] });
		}
	}
	return levels;
});

function levelAt(file: EditorFile, prefix: string[]): Level | undefined {
	let graph: EditorGraph | undefined = file;
	for (const id of prefix) graph = file.subgraphs.get(graph?.nodes.get(id)?.className ?? '');
	return graph && { graph, prefix };
}

function widgetOf(file: EditorFile, level: Level, node: EditorNode, widget: string): FoundWidget {
	const input = node.inputs.find(({ name, widgetName }) => widgetName === widget || name === widget);
	const socket = file.subgraphs.get(node.className)?.inputs.find(({ name }) => name === (input?.name ?? widget));
	const places: Place[] = [];
	behindWidget(file, level, node, widget, { places, seen: new Set() });
	const label = input?.label ?? socket?.label;
	return { node, places, ...(label !== undefined && { label }) };
}

const only = <T>(found: T[]): T | undefined => (found.length === 1 ? found[0] : undefined);

/** What the subgraph nodes of the whole show of their insides, by the node and the widget there. */
const shownByHosts = once((file: EditorFile): Map<string, FoundWidget[]> => {
	const names = (host: EditorNode): Set<string> =>
		new Set([...(file.subgraphs.get(host.className)?.inputs.map(({ name }) => name) ?? []), ...proxiesOf(host).map(([, name]) => name)]);
	const shown = [...file.nodes.values()]
		.filter(({ className }) => file.subgraphs.has(className))
		.flatMap((host) => [...names(host)].map((name) => widgetOf(file, { graph: file, prefix: [] }, host, name)))
		.flatMap((found) =>
			found.places.map(({ nodeId, input }) => ({ found, inside: `${nodeId.slice(found.node.id.length + 1)}\n${input}` })),
		);
	return new Map([...groupedBy(shown, ({ inside }) => inside)].map(([inside, all]) => [inside, all.map(({ found }) => found)]));
});

/** The one subgraph node of the whole that shows this widget of its inside, as the editor itself finds ids without a path. */
const shownBy = (file: EditorFile, nodeId: string, widget: string): FoundWidget | undefined =>
	only(shownByHosts(file).get(`${nodeId}\n${widget}`) ?? []);

/** @returns undefined where the file has no such node; one without places where the node shows no such widget. */
export function findWidget(file: EditorFile, { path, graphId, widget }: MarkedInput): FoundWidget | undefined {
	const id = path.at(-1) as string;
	const at = levelAt(file, path.slice(0, -1));
	const node = at?.graph.nodes.get(id);
	if (at !== undefined && node !== undefined) return widgetOf(file, at, node, widget);
	if (path.length > 1) return undefined;
	const inside = graphId === undefined ? undefined : only(levelsOf(file).filter(({ graph }) => graph === file.subgraphs.get(graphId)));
	const inner = inside?.graph.nodes.get(id);
	return inside !== undefined && inner !== undefined ? widgetOf(file, inside, inner, widget) : shownBy(file, id, widget);
}

/** The nodes of the converted graph that a marked output stands for: itself, or what is inside it. */
export function outputNodes(file: EditorFile, ids: string[], marked: string): string[] {
	const own = ids.filter((id) => id === marked || id.startsWith(`${marked}:`));
	if (own.length > 0) return own;
	const last = marked.split(':').at(-1) as string;
	return levelsOf(file)
		.flatMap(({ graph, prefix }) => (graph.nodes.has(last) ? [[...prefix, last].join(':')] : []))
		.filter((id) => ids.includes(id));
}
