import { type Definitions, findInputDefinition } from '../../inputs/definitions';
import { BORDER_IN, type EditorInput, type EditorNode, type SubgraphSocket } from '../editorGraph';
import { notConvertible } from '../report';
import { PRIMITIVE } from '../virtualNodes';
import { getOrAddInput, type Level } from './levels';
import type { PromotedWidgets, WidgetInput } from './promotedWidgets';

/** An entry of `proxyWidgets`: a subgraph node shows this widget of a node inside. */
interface Proxy {
	nodeId: string;
	widget: string;
	/** If the node inside is a subgraph node itself: the id of the node that has the widget. */
	innerNodeId?: string;
	/** What the subgraph node holds for the widget; undefined for nothing. */
	value: unknown;
	/** The position of this value in `widgets_values`. */
	position: number;
}

/** What the frontend does with a proxy when it loads the file. */
type ProxyPlan =
	/** A socket leads to the widget already, so the subgraph node holds the value for it. */
	| { action: 'keepSocket'; name: string; proxy: Proxy }
	/** The widget gets a new socket. */
	| { action: 'addSocket'; node: EditorNode; proxy: Proxy }
	/** All proxies of a primitive node together become one socket in its place. */
	| { action: 'replacePrimitive'; primitive: EditorNode; proxy: Proxy }
	| { action: 'ignore' };

/** The property in which the frontend notes that a socket has replaced a primitive node. */
const REPLACED_BY = 'proxyBypassedToSubgraphInput';

/** Far more than the files of all real workflows need. Each proxy is compared with every socket. */
const MOST_COMPARISONS = 10_000_000;

/**
 * Files of 2025 list promoted widgets in a property of the subgraph node. When the frontend loads such a file, it makes sockets of
 * them for all nodes of the subgraph, and so does this class.
 */
export class ProxyConverter {
	private addedLinks = 0;
	private comparisons = 0;

	constructor(private readonly promoted: PromotedWidgets) {}

	/** The frontend plans all proxies of a node before it changes anything. */
	convert(host: EditorNode, inside: Level): void {
		const proxies = readProxies(host).map((proxy) =>
			this.isWidgetInside(inside, proxy.nodeId, proxy.widget) ? proxy : withoutPrefixes(proxy),
		);
		const plans = proxies.map((proxy) => this.plan(inside, proxy));
		const proxiesOfPrimitives = new Map<EditorNode, Proxy[]>();
		for (const plan of plans) {
			if (plan.action === 'keepSocket') this.setOwnValue(host, inside, plan.name, plan.proxy);
			else if (plan.action === 'addSocket') this.addSocket(host, inside, plan.node, plan.proxy);
			else if (plan.action === 'replacePrimitive') {
				const earlier = proxiesOfPrimitives.get(plan.primitive) ?? [];
				proxiesOfPrimitives.set(plan.primitive, [...earlier, plan.proxy]);
			}
		}
		for (const [primitive, ofPrimitive] of proxiesOfPrimitives) this.replacePrimitive(host, inside, primitive, ofPrimitive);
	}

	private plan(inside: Level, proxy: Proxy): ProxyPlan {
		this.countComparisons(inside);
		const { nodeId, widget } = proxy;
		const linked = inside.inputs.find((socket) => {
			const target = this.findTarget(inside, socket);
			return target?.node.id === nodeId && target.input.name === widget;
		});
		if (linked !== undefined) return { action: 'keepSocket', name: linked.name, proxy };
		const node = inside.nodes.get(nodeId);
		if (node === undefined) return nodeId === '-1' ? { action: 'keepSocket', name: widget, proxy } : { action: 'ignore' };
		if (node.className !== PRIMITIVE) return { action: 'addSocket', node, proxy };
		const replacement = inside.inputs.find((socket) => socket.name === node.properties[REPLACED_BY]);
		if (replacement !== undefined) return { action: 'keepSocket', name: replacement.name, proxy };
		return { action: 'replacePrimitive', primitive: node, proxy };
	}

	private countComparisons({ inputs }: Level): void {
		this.comparisons += inputs.length + 1;
		if (this.comparisons > MOST_COMPARISONS)
			throw notConvertible([{ refusal: 'too_large', detail: 'its subgraph nodes show too many widgets' }]);
	}

	private addSocket(host: EditorNode, inside: Level, node: EditorNode, proxy: Proxy): void {
		this.countComparisons(inside);
		const input = this.findInput(node, proxy);
		if (input === undefined) return;
		const socket: SubgraphSocket = { id: '', name: findFreeName(proxy.widget, inside), type: input.type, linkIds: [] };
		inside.inputs.push(socket);
		this.connect(inside, socket, { node, input });
		this.setOwnValue(host, inside, socket.name, proxy);
	}

	/** A socket replaces a primitive node only if all inputs that the node feeds can share one widget. */
	private replacePrimitive(host: EditorNode, inside: Level, primitive: EditorNode, proxies: Proxy[]): void {
		const [output] = primitive.outputs;
		const [firstProxy] = proxies;
		const targets = (output?.linkIds ?? []).map((linkId) => findLinked(inside, linkId));
		const found = targets.filter((target) => target !== undefined);
		if (output === undefined || firstProxy === undefined || found.length === 0 || found.length < targets.length) return;
		if (proxies.some(({ widget }) => widget !== firstProxy.widget)) return;
		if (found.some(({ input: { type } }) => type !== output.type && type !== '*' && output.type !== '*')) return;
		const ranges = found
			.filter(({ node, input }) => this.promoted.hasWidget(node, input))
			.map((target) => describeRange(this.promoted.definitions, target));
		if (new Set(ranges).size > 1) {
			// The frontend tries to replace the node and then undoes it. Only the first link of the node survives.
			for (const { input } of found.slice(1)) delete input.linkId;
			output.linkIds = output.linkIds.slice(0, 1);
			return;
		}
		const { title } = primitive;
		const name = findFreeName(title === undefined || title === PRIMITIVE ? firstProxy.widget : title, inside);
		const socket: SubgraphSocket = { id: '', name, type: output.type, linkIds: [] };
		inside.inputs.push(socket);
		for (const target of found) this.connect(inside, socket, target);
		const primitiveValue: unknown = Array.isArray(primitive.values) ? primitive.values[0] : undefined;
		const withValue = proxies.find(({ value }) => value !== undefined) ?? firstProxy;
		this.setOwnValue(host, inside, name, { ...withValue, value: withValue.value ?? primitiveValue });
		primitive.properties[REPLACED_BY] = name;
		output.linkIds = [];
	}

	/** Links a socket to an input, and removes the earlier link of the input. */
	private connect(inside: Level, socket: SubgraphSocket, { node, input }: WidgetInput): void {
		const earlier = input.linkId;
		if (earlier !== undefined) {
			inside.links.delete(earlier);
			for (const other of inside.inputs) other.linkIds = other.linkIds.filter((id) => id !== earlier);
		}
		const id = `proxy ${++this.addedLinks}`;
		inside.links.set(id, {
			id,
			from: { nodeId: BORDER_IN, slot: inside.inputs.indexOf(socket) },
			to: { nodeId: node.id, slot: node.inputs.indexOf(input) },
			type: input.type,
		});
		input.linkId = id;
		socket.linkIds.push(id);
		this.promoted.forgetWidgets();
	}

	private setOwnValue(host: EditorNode, inside: Level, name: string, { value, position }: Proxy): void {
		const isWidget = inside.inputs.some((socket) => socket.name === name && this.promoted.findWidget(inside, socket) !== undefined);
		if (isWidget) this.promoted.setPosition(host, name, position);
		if (isWidget && value !== undefined) this.promoted.setOwnValue(host, name, { value });
	}

	/** @returns the first input that a socket feeds and that has a widget or belongs to a subgraph node. */
	private findTarget(inside: Level, { linkIds }: SubgraphSocket): WidgetInput | undefined {
		for (const linkId of linkIds) {
			const target = findLinked(inside, linkId);
			if (target === undefined) continue;
			const isSubgraphNode = this.promoted.levels.subgraphs.has(target.node.className);
			if (isSubgraphNode || this.promoted.hasWidget(target.node, target.input)) return target;
		}
		return undefined;
	}

	/** Whether a node inside has a widget of exactly this name. */
	private isWidgetInside(level: Level, nodeId: string, widget: string): boolean {
		const node = level.nodes.get(nodeId);
		if (node === undefined) return false;
		const inside = this.promoted.levels.subgraphs.get(node.className);
		if (inside === undefined) return this.promoted.getSpecs(node).has(widget);
		const socket = inside.inputs.find((input) => input.name === widget);
		const target = socket && this.findTarget(inside, socket);
		return target !== undefined && this.isWidgetInside(inside, target.node.id, target.input.name);
	}

	/** @returns the input that a link to the widget of a proxy ends at. */
	private findInput(node: EditorNode, { widget, innerNodeId }: Proxy): EditorInput | undefined {
		const inside = this.promoted.levels.subgraphs.get(node.className);
		if (inside === undefined) {
			if (!this.promoted.getSpecs(node).has(widget)) return undefined;
			const definition = findInputDefinition(this.promoted.definitions, { class_type: node.className, inputs: {} }, widget);
			return getOrAddInput(node, widget, definition?.type ?? '*', true);
		}
		const socket = inside.inputs.find((one) => {
			const target = this.findTarget(inside, one);
			if (innerNodeId !== undefined) return target?.input.name === widget && target.node.id === innerNodeId;
			return one.name === widget || target?.input.name === widget;
		});
		return socket && this.promoted.findWidget(inside, socket) && getOrAddInput(node, socket.name, socket.type, true);
	}
}

/** The frontend reads either all entries or, if one of them has another form, none. */
function readProxies({ properties, values }: EditorNode): Proxy[] {
	const list = parseList(properties.proxyWidgets);
	const isProxy = (entry: unknown): entry is string[] =>
		Array.isArray(entry) && (entry.length === 2 || entry.length === 3) && entry.every((part) => typeof part === 'string');
	if (!Array.isArray(list) || !list.every(isProxy)) return [];
	return list.map(([nodeId = '', widget = '', innerNodeId], index) => ({
		nodeId,
		widget,
		...(innerNodeId === undefined ? {} : { innerNodeId }),
		value: Array.isArray(values) ? (values[index] ?? undefined) : undefined,
		position: index,
	}));
}

function parseList(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return undefined;
	}
}

/** Older files wrote widgets of nested subgraph nodes as `7: seed`. */
const PREFIXED = /^\s*(\d+)\s*:\s*(.+)$/;
/** No name of a widget is longer, with all its prefixes. */
const LONGEST_NAME = 1_000;

function withoutPrefixes(proxy: Proxy): Proxy {
	let { widget, innerNodeId } = proxy;
	if (widget.length > LONGEST_NAME) return proxy;
	for (let match = PREFIXED.exec(widget); match !== null; match = PREFIXED.exec(widget)) [, innerNodeId, widget = ''] = match;
	return { ...proxy, widget, ...(innerNodeId === undefined ? {} : { innerNodeId }) };
}

/** @returns `image`, `image_1`, … */
function findFreeName(name: string, { inputs }: Level): string {
	const usedNames = new Set(inputs.map((input) => input.name));
	let free = name;
	for (let count = 1; usedNames.has(free); count++) free = `${name}_${count}`;
	return free;
}

function findLinked(level: Level, linkId: string): WidgetInput | undefined {
	const node = level.nodes.get(level.links.get(linkId)?.to.nodeId ?? '');
	const input = node?.inputs.find((one) => one.linkId === linkId);
	return node === undefined || input === undefined ? undefined : { node, input };
}

/** @returns a key: two widgets can share a socket only if their keys are equal. */
function describeRange(definitions: Definitions, { node, input }: WidgetInput): string {
	const definition = findInputDefinition(definitions, { class_type: node.className, inputs: {} }, input.name);
	const { min, max, step, round, display } = definition?.settings ?? {};
	return JSON.stringify([definition?.type, min, max, step, round, display].map((part) => String(part)));
}
