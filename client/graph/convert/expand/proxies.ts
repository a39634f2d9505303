import { isRecord } from '../../../decode';
import type { Definitions } from '../../form';
import { inputDefinition } from '../../form/definition';
import type { EditorInput, EditorNode } from '../model';
import { notConvertible } from '../refuse';
import { PRIMITIVE } from '../virtual';
import { BORDER_IN, type Level, ownInput, type Socket } from './levels';
import type { Promoted } from './promoted';

/** The node inside, the widget there, and for a widget of a nested instance the node that it is of. */
interface Proxy {
	nodeId: string;
	name: string;
	within?: string;
	/** Undefined for none. */
	value: unknown;
}

/** The frontend notes in a primitive node which border has taken its place. */
const REPLACED_BY = 'proxyBypassedToSubgraphInput';
/** Older files wrote widgets of nested instances as `7: seed`. */
const PREFIXED = /^\s*(\d+)\s*:\s*(.+)$/;
/** Names of widgets are shorter, whatever stands before them. */
const LONGEST_NAME = 1_000;

function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return undefined;
	}
}

/** The frontend takes them all, or, where one of them is of another shape, none. */
function proxiesOf({ properties, values }: EditorNode): Proxy[] {
	const list = parsed(properties.proxyWidgets);
	const isProxy = (entry: unknown): entry is string[] =>
		Array.isArray(entry) && (entry.length === 2 || entry.length === 3) && entry.every((part) => typeof part === 'string');
	if (!Array.isArray(list) || !list.every(isProxy)) return [];
	return list.map(([nodeId = '', name = '', within], index) => ({
		nodeId,
		name,
		...(within === undefined ? {} : { within }),
		value: Array.isArray(values) ? (values[index] ?? undefined) : undefined,
	}));
}

function withoutPrefix(proxy: Proxy): Proxy {
	let { name, within } = proxy;
	if (name.length > LONGEST_NAME) return proxy;
	for (let match = PREFIXED.exec(name); match !== null; match = PREFIXED.exec(name)) [, within, name = ''] = match;
	return { ...proxy, name, ...(within === undefined ? {} : { within }) };
}

/** Every border is looked at for each: far more than instances of drawn workflows take, all together. */
const MOST_LOOKS = 10_000_000;

/** `image`, `image_1`, … */
function freeName(name: string, { inputs }: Level): string {
	const taken = new Set(inputs.map((input) => input.name));
	let free = name;
	for (let count = 1; taken.has(free); count++) free = `${name}_${count}`;
	return free;
}

/** What two widgets have to have in common to be fed by one border. */
function rangeOf(definitions: Definitions, { className }: EditorNode, { name }: EditorInput): string {
	const definition = inputDefinition(definitions, { class_type: className, inputs: {} }, name);
	const { min, max, step, round, display } = definition?.settings ?? {};
	return JSON.stringify([definition?.type, min, max, step, round, display].map((part) => String(part)));
}

/**
 * Files of 2025 name the widgets that stand outside in a property of the instance. The frontend makes borders of them when it
 * loads such a file, for all instances of the subgraph, and so does this.
 */
export class Proxies {
	private links = 0;
	private looks = 0;

	constructor(private readonly promoted: Promoted) {}

	bringUpToDate(host: EditorNode, inside: Level): void {
		const proxies = proxiesOf(host).map((proxy) => (this.isThere(inside, proxy.nodeId, proxy.name) ? proxy : withoutPrefix(proxy)));
		const primitives = new Map<EditorNode, Proxy[]>();
		const plans = proxies.map((proxy) => this.planOf(host, inside, proxy, primitives));
		for (const plan of plans) plan();
		for (const [primitive, cohort] of primitives) this.replace(host, inside, primitive, cohort);
	}

	private count({ inputs }: Level): void {
		this.looks += inputs.length + 1;
		if (this.looks > MOST_LOOKS)
			throw notConvertible([{ refusal: 'too_large', detail: 'its subgraphs show more widgets outside than anybody draws' }]);
	}

	/** All is planned before anything is done. */
	private planOf(host: EditorNode, inside: Level, proxy: Proxy, primitives: Map<EditorNode, Proxy[]>): () => void {
		this.count(inside);
		const { nodeId, name, value } = proxy;
		const linked = inside.inputs.find((socket) => this.leadsTo(inside, socket, nodeId, name));
		if (linked !== undefined) return () => this.hold(host, inside, linked.name, value);
		const node = inside.nodes.get(nodeId);
		if (node === undefined) return () => (nodeId === '-1' ? this.hold(host, inside, name, value) : undefined);
		if (node.className !== PRIMITIVE) return () => this.promote(host, inside, node, proxy);
		const replacement = inside.inputs.find((socket) => socket.name === node.properties[REPLACED_BY]);
		if (replacement !== undefined) return () => this.hold(host, inside, replacement.name, value);
		return () => void primitives.set(node, [...(primitives.get(node) ?? []), proxy]);
	}

	private promote(host: EditorNode, inside: Level, node: EditorNode, proxy: Proxy): void {
		this.count(inside);
		const input = this.inputOf(node, proxy);
		if (input === undefined) return;
		const socket: Socket = { id: '', name: freeName(proxy.name, inside), type: input.type, linkIds: [] };
		inside.inputs.push(socket);
		this.connect(inside, socket, node, input);
		this.hold(host, inside, socket.name, proxy.value);
	}

	/** A border takes the place of a primitive node where all that it feeds fits one widget. */
	private replace(host: EditorNode, inside: Level, primitive: EditorNode, cohort: Proxy[]): void {
		const [output] = primitive.outputs;
		const targets = (output?.linkIds ?? []).map((linkId) => {
			const node = inside.nodes.get(inside.links.get(linkId)?.to.nodeId ?? '');
			const input = node?.inputs.find((one) => one.linkId === linkId);
			return node === undefined || input === undefined ? undefined : { node, input };
		});
		const found = targets.filter((target) => target !== undefined);
		const [first] = cohort;
		if (output === undefined || first === undefined || found.length === 0 || found.length < targets.length) return;
		if (cohort.some(({ name }) => name !== first.name)) return;
		if (found.some(({ input: { type } }) => type !== output.type && type !== '*' && output.type !== '*')) return;
		const ranges = found
			.filter(({ node, input }) => this.promoted.isWidget(node, input))
			.map(({ node, input }) => rangeOf(this.promoted.definitions, node, input));
		if (new Set(ranges).size > 1) {
			// The frontend tries, takes it back, and by then the primitive node takes only the first of them again.
			for (const { input } of found.slice(1)) delete input.linkId;
			output.linkIds = output.linkIds.slice(0, 1);
			return;
		}
		const { title } = primitive;
		const socket: Socket = {
			id: '',
			name: freeName(title === undefined || title === PRIMITIVE ? first.name : title, inside),
			type: output.type,
			linkIds: [],
		};
		inside.inputs.push(socket);
		for (const { node, input } of found) this.connect(inside, socket, node, input);
		const own: unknown = Array.isArray(primitive.values) ? primitive.values[0] : undefined;
		this.hold(host, inside, socket.name, cohort.map(({ value }) => value).find((value) => value !== undefined) ?? own);
		primitive.properties[REPLACED_BY] = socket.name;
		output.linkIds = [];
	}

	private connect(inside: Level, socket: Socket, node: EditorNode, input: EditorInput): void {
		const before = input.linkId;
		if (before !== undefined) {
			inside.links.delete(before);
			for (const other of inside.inputs) other.linkIds = other.linkIds.filter((id) => id !== before);
		}
		const id = `proxy ${++this.links}`;
		inside.links.set(id, {
			id,
			from: { nodeId: BORDER_IN, slot: inside.inputs.indexOf(socket) },
			to: { nodeId: node.id, slot: node.inputs.indexOf(input) },
			type: input.type,
		});
		input.linkId = id;
		socket.linkIds.push(id);
		this.promoted.forget();
	}

	private hold(host: EditorNode, inside: Level, name: string, value: unknown): void {
		const isWidget = inside.inputs.some((socket) => socket.name === name && this.promoted.behind(inside, socket) !== undefined);
		if (isWidget && value !== undefined) this.promoted.hold(host, name, { value });
	}

	/** The first node that a border feeds is the one whose widget it stands for. */
	private leadsTo(inside: Level, socket: Socket, nodeId: string, name: string): boolean {
		const target = this.targetOf(inside, socket);
		return target?.node.id === nodeId && target.input.name === name;
	}

	private targetOf(inside: Level, { linkIds }: Socket): { node: EditorNode; input: EditorInput } | undefined {
		for (const linkId of linkIds) {
			const node = inside.nodes.get(inside.links.get(linkId)?.to.nodeId ?? '');
			const input = node?.inputs.find((one) => one.linkId === linkId);
			if (node === undefined || input === undefined) continue;
			if (this.promoted.levels.subgraphs.has(node.className) || this.promoted.isWidget(node, input)) return { node, input };
		}
		return undefined;
	}

	/** Whether a name leads to a widget as it stands. */
	private isThere(level: Level, nodeId: string, name: string): boolean {
		const node = level.nodes.get(nodeId);
		const inside = node && this.promoted.levels.subgraphs.get(node.className);
		if (node === undefined || inside === undefined) return node !== undefined && this.promoted.widgetSpecs(node).has(name);
		const socket = inside.inputs.find((input) => input.name === name);
		const target = socket && this.targetOf(inside, socket);
		return target !== undefined && this.isThere(inside, target.node.id, target.input.name);
	}

	/** The input that a link to a widget ends at. */
	private inputOf(node: EditorNode, { name, within }: Proxy): EditorInput | undefined {
		const inside = this.promoted.levels.subgraphs.get(node.className);
		if (inside === undefined)
			return this.promoted.widgetSpecs(node).has(name) ? ownInput(node, name, this.typeOf(node, name), true) : undefined;
		const socket = inside.inputs.find((one) => {
			const target = this.targetOf(inside, one);
			if (within !== undefined) return target?.input.name === name && target.node.id === within;
			return one.name === name || target?.input.name === name;
		});
		return socket && this.promoted.behind(inside, socket) && ownInput(node, socket.name, socket.type, true);
	}

	private typeOf({ className }: EditorNode, name: string): string {
		return inputDefinition(this.promoted.definitions, { class_type: className, inputs: {} }, name)?.type ?? '*';
	}
}

/** Whether an instance is of the time before borders stood for widgets. */
export const hasProxies = ({ properties }: EditorNode): boolean => isRecord(properties) && properties.proxyWidgets !== undefined;
