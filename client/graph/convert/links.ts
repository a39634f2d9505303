import type { ConversionRefusal } from '../../errors/graphFaults';
import { BYPASSED, type EditorEnd, type EditorGraph, type EditorNode, MUTED, isActive, locateNode } from './editorGraph';
import { broadcastsOutputs, hasOpenInput, isBroadcasting } from './everywhere';
import type { Network } from './network';
import { notConvertible } from './report';
import type { NodeSockets } from './sockets';
import { isGetter, isSetter, PRIMITIVE } from './virtualNodes';

export interface ResolvedLinks {
	/** Node id → name of the input → where its value comes from: an output of a node that runs, or a promoted value of the graph. */
	sources: Map<string, Map<string, EditorEnd>>;
	/** The nodes that run, in the order of the file. */
	activeNodes: EditorNode[];
	refusals: ConversionRefusal[];
}

/** Finds the nodes that run, and the outputs or promoted values that their inputs are linked to. */
export function resolveLinks(network: Network): ResolvedLinks {
	const finder = new SourceFinder(network);
	const activeNodes = [...network.graph.nodes.values()].filter((node) => isActive(node) && !network.isVirtual(node));
	const sources: ResolvedLinks['sources'] = new Map();
	const refusals: ConversionRefusal[] = [];
	for (const node of activeNodes) {
		const definition = network.findDefinition(node);
		const nodeSources = new Map<string, EditorEnd>();
		for (const [slot, input] of network.getSockets(node).inputs.entries()) {
			const source = finder.findSource(node, slot);
			if (source === 'broken') refusals.push({ refusal: 'broken_link', ...locateNode(node, definition, input.name) });
			else if (source !== 'nothing') nodeSources.set(input.name, source);
		}
		sources.set(node.id, nodeSources);
	}
	for (const node of activeNodes) {
		const definition = network.findDefinition(node);
		if (definition !== undefined && hasHiddenLinks(network, node, activeNodes))
			refusals.push({ refusal: 'hidden_links', ...locateNode(node, definition) });
	}
	return { sources, activeNodes, refusals };
}

/** Whether Use Everywhere may link a node to others in a way that the file does not contain. */
function hasHiddenLinks(network: Network, node: EditorNode, activeNodes: EditorNode[]): boolean {
	if (!isBroadcasting(node) || node.hasSavedLinks === true) return false;
	const types = new Set(listBroadcastTypes(network, node));
	const path = getParentPath(node.id);
	return (
		types.size > 0 && activeNodes.some((other) => !isBroadcasting(other) && getParentPath(other.id) === path && hasOpenInput(other, types))
	);
}

function listBroadcastTypes(network: Network, node: EditorNode): string[] {
	if (broadcastsOutputs(node)) return network.getSockets(node).outputTypes;
	return node.inputs.flatMap(({ linkId }) => (linkId === undefined ? [] : network.getLinkType(linkId)));
}

/** The links of all real workflows together take far fewer steps. */
const MOST_STEPS = 1_000_000;

type LinkSource = EditorEnd | 'nothing' | 'broken';

/** One input of a node. */
interface InputSlot {
	node: EditorNode;
	slot: number;
}

class SourceFinder {
	private readonly setters: Setters;
	/** By output and wanted type, the source behind an output that only passes a value on. */
	private readonly knownSources = new Map<string, LinkSource>();
	private steps = 0;

	constructor(private readonly network: Network) {
		this.setters = new Setters(network.graph);
	}

	/** Follows a link through reroutes, bypassed nodes and getters to the output that its value comes from. */
	findSource(node: EditorNode, slot: number): LinkSource {
		const passed = new Set<string>();
		const source = this.follow({ node, slot }, passed);
		for (const output of passed) this.knownSources.set(output, source);
		return source;
	}

	/** @param passed receives the outputs on the way. A link that leads to one of them again is a circle. */
	private follow(start: InputSlot, passed: Set<string>): LinkSource {
		const { nodes, links, promoted } = this.network.graph;
		let wantedType = this.getTypeAt(start);
		for (let at = start; ;) {
			this.countStep();
			const input = this.network.getSockets(at.node).inputs[at.slot];
			if (input === undefined) return 'broken';
			if (input.linkId === undefined) return 'nothing';
			const link = links.get(input.linkId);
			if (link !== undefined && promoted.has(link.from.nodeId)) return link.from;
			const origin = link && nodes.get(link.from.nodeId);
			if (link === undefined || origin === undefined || link.from.slot < 0) return 'broken';
			if (isActive(origin) && !this.network.isVirtual(origin)) return link.from;
			const output = `${origin.id}\n${link.from.slot}\n${wantedType}`;
			const source = passed.has(output) ? 'broken' : this.knownSources.get(output);
			if (source !== undefined) return source;
			passed.add(output);
			const next = this.findPassedOnInput(origin, link.from.slot, wantedType);
			if (next === undefined) return 'nothing';
			at = next;
			// A bypassed node asks for the type of its own input. A reroute has no type of its own.
			if (origin.mode === BYPASSED) wantedType = this.getTypeAt(next);
		}
	}

	private getTypeAt({ node, slot }: InputSlot): string {
		return this.network.getSockets(node).inputs[slot]?.type ?? '';
	}

	/** @returns the input whose value an output of an inactive or virtual node passes on. */
	private findPassedOnInput(node: EditorNode, slot: number, wantedType: string): InputSlot | undefined {
		if (node.mode === MUTED || node.className === PRIMITIVE) return undefined;
		if (node.mode === BYPASSED) {
			const input = findBypassInput(this.network.getSockets(node), slot, wantedType);
			return input === undefined ? undefined : { node, slot: input };
		}
		if (isGetter(node.className)) {
			const setter = this.setters.findFor(node);
			return setter && { node: setter, slot };
		}
		return slot < node.inputs.length ? { node, slot } : undefined;
	}

	private countStep(): void {
		this.steps += 1;
		if (this.steps > MOST_STEPS)
			throw notConvertible([{ refusal: 'too_large', detail: `its links pass through more than ${MOST_STEPS} other nodes` }]);
	}
}

const isAnyType = (type: string): boolean => type === '' || type === '*' || type === '0';

/** A type is one name, or several names with commas between them. */
function fitsType(one: string, other: string): boolean {
	if (isAnyType(one) || isAnyType(other) || one === other) return true;
	const others = new Set(other.toLowerCase().split(','));
	return one
		.toLowerCase()
		.split(',')
		.some((name) => isAnyType(name) || others.has(name) || [...others].some(isAnyType));
}

/**
 * Finds the input that a bypassed node passes on at one of its outputs. If the input at the same slot fits, it is that one.
 * Otherwise it is the first of exactly the wanted type, or else the first that fits.
 * @param wantedType the type of the input that receives the value.
 * @returns undefined if none fits.
 */
function findBypassInput({ inputs, outputTypes }: NodeSockets, slot: number, wantedType: string): number | undefined {
	if (wantedType === '' || wantedType === '*') return inputs.length > slot ? slot : 0;
	const outputType = outputTypes[slot] ?? '';
	const fits = ({ type }: { type: string }): boolean => fitsType(type, outputType) && fitsType(type, wantedType);
	const opposite = inputs[slot];
	if (opposite !== undefined && fits(opposite)) return slot;
	const exact = inputs.findIndex(({ type }) => type === wantedType);
	const found = exact === -1 ? inputs.findIndex(fits) : exact;
	return found === -1 ? undefined : found;
}

/** The setters of a graph, by the subgraph that they are in and the name that they set. */
class Setters {
	private readonly setters = new Map<string, EditorNode[]>();

	constructor({ nodes }: EditorGraph) {
		for (const node of nodes.values()) {
			const name = isSetter(node.className) ? readName(node) : undefined;
			if (name === undefined) continue;
			const key = `${getParentPath(node.id)}\n${name}`;
			const sameName = this.setters.get(key);
			if (sameName === undefined) this.setters.set(key, [node]);
			else sameName.push(node);
		}
	}

	/** @returns the first setter in the getter's own graph, else the only one in the graphs around it. */
	findFor(getter: EditorNode): EditorNode | undefined {
		const name = readName(getter);
		if (name === undefined) return undefined;
		const listSetters = (path: string): EditorNode[] => this.setters.get(`${path}\n${name}`) ?? [];
		const ownPath = getParentPath(getter.id);
		const [own] = listSetters(ownPath);
		if (own !== undefined) return own;
		const outside: EditorNode[] = [];
		for (let path = ownPath; path !== '';) {
			path = getParentPath(path.slice(0, -1));
			outside.push(...listSetters(path));
		}
		return outside.length === 1 ? outside[0] : undefined;
	}
}

/** @returns the path of the subgraph that contains a node: `12:3:` for `12:3:7`. */
const getParentPath = (id: string): string => id.slice(0, id.lastIndexOf(':') + 1);

/** @returns the name that a setter sets or a getter gets: the first value in the file. */
function readName({ values }: EditorNode): string | undefined {
	const name: unknown = Array.isArray(values) ? values[0] : Object.values(values ?? {})[0];
	return typeof name === 'string' && name !== '' ? name : undefined;
}
