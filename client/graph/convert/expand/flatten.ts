import {
	type EditorEnd,
	type EditorGraph,
	type EditorInput,
	isActive,
	type EditorLink,
	type EditorNode,
	type PromotedValue,
} from '../model';
import { PRIMITIVE } from '../virtual';
import { BORDER_IN, type Level, linkInto } from './levels';
import type { Promoted } from './promoted';

/** One level at one place of the whole: an instance's inside, with its way out. */
interface Place {
	level: Level;
	/** What stands before ids: `12:7:`. */
	path: string;
	host?: EditorNode;
	outer?: Place;
	insides: Map<string, Place>;
}

/** Leads nowhere, as a link in a circle does. */
const NOWHERE: EditorEnd = { nodeId: '', slot: -1 };

export class Flattened implements EditorGraph {
	readonly nodes = new Map<string, EditorNode>();
	readonly links = new Map<string, EditorLink>();
	readonly promoted = new Map<string, PromotedValue>();

	constructor(private readonly widgets: Promoted) {
		const { root } = widgets.levels;
		const places = this.placesIn({ level: root, path: '', insides: new Map() });
		for (const place of places) this.place(place);
		this.tellOutputs();
	}

	/**
	 * A muted or bypassed instance is a node like any other to those around it. The frontend looks into one where it stands in
	 * another subgraph, and only there.
	 */
	private placesIn(root: Place): Place[] {
		const places = [root];
		for (const place of places) {
			for (const node of place.level.nodes.values()) {
				const level = this.widgets.levels.subgraphs.get(node.className);
				if (level === undefined || (place === root && !isActive(node))) continue;
				const inside: Place = { level, path: `${place.path}${node.id}:`, host: node, outer: place, insides: new Map() };
				place.insides.set(node.id, inside);
				places.push(inside);
			}
		}
		return places;
	}

	private place(place: Place): void {
		for (const node of place.level.nodes.values()) {
			const level = this.widgets.levels.subgraphs.get(node.className);
			if (level !== undefined && isActive(node)) continue;
			const id = `${place.path}${node.id}`;
			const inputs = level === undefined ? node.inputs : level.inputs.map(({ name, type }) => inputOf(name, type, linkInto(node, name)));
			const outputs = level === undefined ? node.outputs : level.outputs;
			this.nodes.set(id, {
				...node,
				id,
				inputs: inputs.map((input, slot) => this.linked(place, { nodeId: id, slot }, input)),
				outputs: outputs.map(({ name, type }) => ({ name, type, linkIds: [] })),
			});
		}
	}

	/** Outputs name the links that go out; in this graph they have ids of their own. */
	private tellOutputs(): void {
		for (const { id, from } of this.links.values()) this.nodes.get(from.nodeId)?.outputs[from.slot]?.linkIds.push(id);
	}

	private linked(place: Place, to: EditorEnd, { linkId, ...input }: EditorInput): EditorInput {
		if (linkId === undefined) return input;
		const from = this.sourceOf(place, linkId, input.type);
		if (from === undefined) return input;
		const id = `${to.nodeId}<${to.slot}`;
		this.links.set(id, { id, from: from.end, to, type: from.type });
		return { ...input, linkId: id };
	}

	/** @returns undefined where nothing comes in; `type` is what a bypassed node at that end is to match. */
	private sourceOf(place: Place, linkId: string, type: string): { end: EditorEnd; type: string } | undefined {
		const passed = new Set<string>();
		let at = place;
		let next: string | undefined = linkId;
		let wanted = type;
		let wentOut = false;
		for (;;) {
			const link: EditorLink | undefined = at.level.links.get(next);
			const step = `${at.path}<${next}`;
			if (link === undefined || passed.has(step)) return { end: NOWHERE, type: wanted };
			passed.add(step);
			const { nodeId, slot } = link.from;
			if (nodeId === BORDER_IN && at.host !== undefined && at.outer !== undefined) {
				const socket = at.level.inputs[slot];
				next = socket && linkInto(at.host, socket.name);
				if (socket === undefined) return undefined;
				if (next === undefined) return this.valueAt(at, at.host, slot, wanted);
				wanted = socket.type;
				wentOut = true;
				at = at.outer;
				continue;
			}
			const node = at.level.nodes.get(nodeId);
			const inside = at.insides.get(nodeId);
			if (inside === undefined || node === undefined || !isActive(node)) {
				// The frontend writes a primitive's value into the widget that its link ends at, and not into what is behind a border.
				return wentOut && node?.className === PRIMITIVE ? undefined : { end: { nodeId: `${at.path}${nodeId}`, slot }, type: wanted };
			}
			next = inside.level.outputs[slot]?.linkIds.find((id) => inside.level.links.has(id));
			if (next === undefined) return undefined;
			at = inside;
		}
	}

	private valueAt({ level, path }: Place, host: EditorNode, slot: number, type: string): { end: EditorEnd; type: string } | undefined {
		const socket = level.inputs[slot];
		const value = socket && this.widgets.valueOf(host, level, socket, path);
		if (value === undefined) return undefined;
		const id = `${path}<${slot}`;
		this.promoted.set(id, value);
		return { end: { nodeId: id, slot: 0 }, type };
	}
}

const inputOf = (name: string, type: string, linkId: string | undefined): EditorInput => ({
	name,
	type,
	...(linkId === undefined ? {} : { linkId }),
});
