import { listOf } from '../../json/decode';
import type { EditorFile } from '../convert/editorFile';
import type { EditorGraph, EditorLink, EditorNode } from '../convert/editorGraph';
import type { InputMark } from './appMarks';

/** An input of the converted graph. `nodeId` is `12:3` inside a subgraph. */
export interface InputTarget {
	nodeId: string;
	input: string;
}

/** A marked widget, and the inputs that receive its value. */
export interface FoundWidget {
	/** The node that shows the widget. */
	node: EditorNode;
	/** The author's name for the widget. */
	label?: string;
	targets: InputTarget[];
}

/** The workflow itself or the inside of one subgraph node. `path`: the ids of the subgraph nodes that lead to it. */
interface GraphInstance {
	graph: EditorGraph;
	path: string[];
}

/** No real workflow nests deeper. A subgraph that contains itself ends here. */
const DEEPEST = 50;
const MOST_RESULTS = 200;

/** @returns undefined if the file does not have the node. There are no targets if the node does not show the widget. */
export function findWidget(file: EditorFile, { graphPath, graphId, widget }: InputMark): FoundWidget | undefined {
	const id = graphPath.at(-1) as string;
	const instance = findInstance(file, graphPath.slice(0, -1));
	const node = instance?.graph.nodes.get(id);
	if (instance !== undefined && node !== undefined) return readWidget(file, instance, node, widget);
	if (graphPath.length > 1) return undefined;
	const subgraph = graphId === undefined ? undefined : file.subgraphs.get(graphId);
	const inside = graphId === undefined ? undefined : onlyOne(listInstances(file).filter(({ graph }) => graph === subgraph));
	const innerNode = inside?.graph.nodes.get(id);
	if (inside !== undefined && innerNode !== undefined) return readWidget(file, inside, innerNode, widget);
	// The editor itself resolves an id without a path like this: by the only subgraph node that shows the widget.
	return onlyOne(listPromotedWidgets(file).get(targetKey(id, widget)) ?? []);
}

/** @returns the nodes of the converted graph that a marked output stands for: the node itself, or the nodes inside it. */
export function findOutputNodes(file: EditorFile, ids: string[], marked: string): string[] {
	const own = ids.filter((id) => id === marked || id.startsWith(`${marked}:`));
	if (own.length > 0) return own;
	const last = marked.split(':').at(-1) as string;
	return listInstances(file)
		.filter(({ graph }) => graph.nodes.has(last))
		.map(({ path }) => [...path, last].join(':'))
		.filter((id) => ids.includes(id));
}

const onlyOne = <Item>(items: Item[]): Item | undefined => (items.length === 1 ? items[0] : undefined);

function findInstance(file: EditorFile, path: string[]): GraphInstance | undefined {
	let graph: EditorGraph | undefined = file;
	for (const id of path) graph = file.subgraphs.get(graph?.nodes.get(id)?.className ?? '');
	return graph && { graph, path };
}

/** Computes once for each file or graph, because an app can have many marks. */
function computeOnce<Key extends object, Result>(compute: (key: Key) => Result): (key: Key) => Result {
	const results = new WeakMap<Key, { result: Result }>();
	return (key) => {
		const { result } = results.get(key) ?? { result: compute(key) };
		results.set(key, { result });
		return result;
	};
}

/** The workflow first, then the insides of its subgraph nodes. */
const listInstances = computeOnce((file: EditorFile): GraphInstance[] => {
	const instances: GraphInstance[] = [{ graph: file, path: [] }];
	for (const { graph, path } of instances) {
		for (const node of graph.nodes.values()) {
			const subgraph = file.subgraphs.get(node.className);
			if (subgraph !== undefined && path.length < DEEPEST && instances.length < MOST_RESULTS)
				instances.push({ graph: subgraph, path: [...path, node.id] });
		}
	}
	return instances;
});

const targetKey = (nodeId: string, input: string): string => `${nodeId}\n${input}`;

/** @returns by the node and the input inside, the widgets that the subgraph nodes of the workflow show. */
const listPromotedWidgets = computeOnce((file: EditorFile): Map<string, FoundWidget[]> => {
	const hosts = [...file.nodes.values()].filter(({ className }) => file.subgraphs.has(className));
	const widgets = hosts.flatMap((host) => {
		const sockets = file.subgraphs.get(host.className)?.inputs.map(({ name }) => name) ?? [];
		const names = new Set([...sockets, ...readProxies(host).map(([, name]) => name)]);
		return [...names].map((name) => readWidget(file, { graph: file, path: [] }, host, name));
	});
	const byTarget = new Map<string, FoundWidget[]>();
	for (const widget of widgets)
		for (const { nodeId, input } of widget.targets) addTo(byTarget, targetKey(nodeId.slice(widget.node.id.length + 1), input), widget);
	return byTarget;
});

function addTo<Item>(groups: Map<string, Item[]>, key: string, item: Item): void {
	const group = groups.get(key);
	if (group === undefined) groups.set(key, [item]);
	else group.push(item);
}

function readWidget(file: EditorFile, instance: GraphInstance, node: EditorNode, widget: string): FoundWidget {
	const input = node.inputs.find(({ name, widgetName }) => widgetName === widget || name === widget);
	const socket = file.subgraphs.get(node.className)?.inputs.find(({ name }) => name === (input?.name ?? widget));
	const search = new TargetSearch(file);
	search.addWidget(instance, node, widget);
	const label = input?.label ?? socket?.label;
	return { node, targets: search.targets, ...(label !== undefined && { label }) };
}

/** Follows a widget to the inputs that receive its value. It visits each widget once, even if the file has circles. */
class TargetSearch {
	readonly targets: InputTarget[] = [];
	private readonly visited = new Set<string>();

	constructor(private readonly file: EditorFile) {}

	/** A primitive node only holds a value, so the nodes that it is linked to receive the value. */
	addWidget(instance: GraphInstance, node: EditorNode, widget: string): void {
		const nodeId = [...instance.path, node.id].join(':');
		const key = `${nodeId}.${widget}`;
		if (this.targets.length >= MOST_RESULTS || this.visited.has(key)) return;
		this.visited.add(key);
		if (this.file.subgraphs.has(node.className)) this.addInside(instance, node, widget);
		else if (node.className !== 'PrimitiveNode') this.targets.push({ nodeId, input: widget });
		else for (const { to } of listLinksFrom(instance.graph, node)) this.addLinked(instance, to.nodeId, to.slot);
	}

	/** A subgraph node shows widgets of its inside by links to its sockets. Older files list them in its properties. */
	private addInside(instance: GraphInstance, host: EditorNode, widget: string): void {
		const subgraph = this.file.subgraphs.get(host.className);
		if (subgraph === undefined || instance.path.length >= DEEPEST) return;
		const inside: GraphInstance = { graph: subgraph, path: [...instance.path, host.id] };
		const socketName = host.inputs.find(({ name, widgetName }) => widgetName === widget || name === widget)?.name ?? widget;
		const socket = subgraph.inputs.find(({ name }) => name === socketName);
		if (socket === undefined) return this.addProxies(inside, host, widget);
		for (const linkId of socket.linkIds) {
			const to = subgraph.links.get(linkId)?.to;
			if (to !== undefined) this.addLinked(inside, to.nodeId, to.slot);
		}
	}

	private addProxies(inside: GraphInstance, host: EditorNode, widget: string): void {
		for (const [id, name] of readProxies(host)) {
			const node = inside.graph.nodes.get(id);
			if (node !== undefined && name === widget) this.addWidget(inside, node, widget);
		}
	}

	/** Follows a link through reroutes to the widgets that it feeds. */
	private addLinked(instance: GraphInstance, nodeId: string, slot: number): void {
		const seen = new Set<string>();
		const waiting = [{ nodeId, slot }];
		for (let end = waiting.pop(); end !== undefined; end = waiting.pop()) {
			const key = `${end.nodeId} ${end.slot}`;
			const node = instance.graph.nodes.get(end.nodeId);
			if (node === undefined || seen.has(key)) continue;
			seen.add(key);
			if (node.className === 'Reroute') {
				for (const link of listLinksFrom(instance.graph, node)) waiting.push(link.to);
				continue;
			}
			const input = node.inputs[end.slot];
			if (input !== undefined) this.addWidget(instance, node, input.widgetName ?? input.name);
		}
	}
}

const groupLinksByOrigin = computeOnce((graph: EditorGraph): Map<string, EditorLink[]> => {
	const byOrigin = new Map<string, EditorLink[]>();
	for (const link of graph.links.values()) addTo(byOrigin, link.from.nodeId, link);
	return byOrigin;
});

const listLinksFrom = (graph: EditorGraph, { id }: EditorNode): EditorLink[] => groupLinksByOrigin(graph).get(id) ?? [];

/** Older files list the widgets that a subgraph node shows as `[node id, widget]`. */
function readProxies({ properties }: EditorNode): Array<[nodeId: string, widget: string]> {
	return listOf(properties.proxyWidgets).flatMap((entry): Array<[string, string]> => {
		const [id, name] = listOf(entry);
		return typeof name === 'string' ? [[String(id), name]] : [];
	});
}
