import {
	BORDER_IN,
	type EditorEnd,
	type EditorInput,
	type EditorLink,
	type EditorNode,
	type FlatGraph,
	type PromotedValue,
	type ValueSlot,
	isActive,
} from '../editorGraph';
import { PRIMITIVE } from '../virtualNodes';
import { findLinkInto, type Level } from './levels';
import type { PromotedWidgets } from './promotedWidgets';

/** The workflow itself, or the inside of one subgraph node. The same level has an instance for each node that uses it. */
interface LevelInstance {
	level: Level;
	/** The prefix of its node ids in the flat graph: `12:7:`. */
	path: string;
	/** The subgraph node that it is the inside of, and the instance that contains this node. */
	parent?: { host: EditorNode; instance: LevelInstance };
	/** By subgraph node, the instances inside. */
	children: Map<string, LevelInstance>;
}

/** The end of a link that leads nowhere. */
const NOWHERE: EditorEnd = { nodeId: '', slot: -1 };

/** Where a value comes from. `type`: what a bypassed node at this end has to match. */
interface FlatSource {
	end: EditorEnd;
	type: string;
}

/** Puts the nodes of all levels into one graph, and joins the links through the borders of subgraphs. */
export const flatten = (promoted: PromotedWidgets): FlatGraph => new Flattener(promoted).flatten();

class Flattener {
	private readonly nodes = new Map<string, EditorNode>();
	private readonly links = new Map<string, EditorLink>();
	private readonly promotedValues = new Map<string, PromotedValue & { slot?: ValueSlot }>();

	constructor(private readonly promoted: PromotedWidgets) {}

	flatten(): FlatGraph {
		for (const instance of this.listInstances()) this.addNodes(instance);
		// The outputs list their links, which have new ids in the flat graph.
		for (const { id, from } of this.links.values()) this.nodes.get(from.nodeId)?.outputs[from.slot]?.linkIds.push(id);
		return { nodes: this.nodes, links: this.links, promoted: this.promotedValues };
	}

	private findLevel({ className }: EditorNode): Level | undefined {
		return this.promoted.levels.subgraphs.get(className);
	}

	/**
	 * An inactive subgraph node is like any other node to the nodes around it. The frontend expands it only if it is inside another
	 * subgraph.
	 */
	private listInstances(): LevelInstance[] {
		const root: LevelInstance = { level: this.promoted.levels.root, path: '', children: new Map() };
		const instances = [root];
		for (const instance of instances) {
			for (const host of instance.level.nodes.values()) {
				const level = this.findLevel(host);
				if (level === undefined || (instance === root && !isActive(host))) continue;
				const child: LevelInstance = { level, path: `${instance.path}${host.id}:`, parent: { host, instance }, children: new Map() };
				instance.children.set(host.id, child);
				instances.push(child);
			}
		}
		return instances;
	}

	private addNodes(instance: LevelInstance): void {
		for (const node of instance.level.nodes.values()) {
			const level = this.findLevel(node);
			if (level !== undefined && isActive(node)) continue;
			const id = `${instance.path}${node.id}`;
			const inputs =
				level === undefined ? node.inputs : level.inputs.map(({ name, type }) => toInput(name, type, findLinkInto(node, name)));
			const outputs = level === undefined ? node.outputs : level.outputs;
			this.nodes.set(id, {
				...node,
				id,
				inputs: inputs.map((input, slot) => this.joinLink(instance, { nodeId: id, slot }, input)),
				outputs: outputs.map(({ name, type }) => ({ name, type, linkIds: [] })),
			});
		}
	}

	private joinLink(instance: LevelInstance, to: EditorEnd, { linkId, ...input }: EditorInput): EditorInput {
		if (linkId === undefined) return input;
		const source = this.findSource(instance, linkId, input.type);
		if (source === undefined) return input;
		const id = `${to.nodeId}<${to.slot}`;
		this.links.set(id, { id, from: source.end, to, type: source.type });
		return { ...input, linkId: id };
	}

	/** Follows a link through borders, outwards and inwards. @returns undefined if no value comes in. */
	private findSource(start: LevelInstance, startLinkId: string, startType: string): FlatSource | undefined {
		const passed = new Set<string>();
		let instance = start;
		let linkId: string | undefined = startLinkId;
		let type = startType;
		let hasLeftSubgraph = false;
		for (;;) {
			const link: EditorLink | undefined = instance.level.links.get(linkId);
			const step = `${instance.path}<${linkId}`;
			if (link === undefined || passed.has(step)) return { end: NOWHERE, type };
			passed.add(step);
			const { nodeId, slot } = link.from;
			if (nodeId === BORDER_IN && instance.parent !== undefined) {
				const socket = instance.level.inputs[slot];
				if (socket === undefined) return undefined;
				linkId = findLinkInto(instance.parent.host, socket.name);
				if (linkId === undefined) return this.findPromotedValue(instance, instance.parent.host, slot, type);
				type = socket.type;
				hasLeftSubgraph = true;
				instance = instance.parent.instance;
				continue;
			}
			const node = instance.level.nodes.get(nodeId);
			const child = instance.children.get(nodeId);
			if (child === undefined || node === undefined || !isActive(node)) {
				// The frontend writes the value of a primitive node into the widget that its link ends at, and not into a widget behind a border.
				if (hasLeftSubgraph && node?.className === PRIMITIVE) return undefined;
				return { end: { nodeId: `${instance.path}${nodeId}`, slot }, type };
			}
			linkId = child.level.outputs[slot]?.linkIds.find((id) => child.level.links.has(id));
			if (linkId === undefined) return undefined;
			instance = child;
		}
	}

	private findPromotedValue({ level, path }: LevelInstance, host: EditorNode, slot: number, type: string): FlatSource | undefined {
		const socket = level.inputs[slot];
		const value = socket && this.promoted.resolveValue(host, level, socket, path);
		if (socket === undefined || value === undefined) return undefined;
		const id = `${path}<${slot}`;
		this.promotedValues.set(id, { ...value, slot: this.promoted.findSlot(host, level, socket, path) });
		return { end: { nodeId: id, slot: 0 }, type };
	}
}

const toInput = (name: string, type: string, linkId: string | undefined): EditorInput => ({
	name,
	type,
	...(linkId === undefined ? {} : { linkId }),
});
