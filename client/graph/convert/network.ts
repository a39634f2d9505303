import type { JsonRecord } from '../../decode';
import type { Definitions } from '../form';
import { definitionOf } from '../form/definition';
import { matchTypes } from './matchTypes';
import type { EditorGraph, EditorNode } from './model';
import { type NodeSockets, slotsOf } from './slots';
import { isVirtual, REROUTE } from './virtual';
import { type NodeWidgets, widgetsOf } from './widgets';

/** Of matching types behind each other, and of reroutes between them: more than anybody draws. */
const DEEPEST = 500;
const MOST_STEPS = 1_000;

/** A flat graph with what the server says of its classes. */
export class Network {
	private readonly slots = new Map<EditorNode, NodeSockets>();
	private readonly widgets = new Map<EditorNode, NodeWidgets>();
	private depth = 0;

	constructor(
		readonly graph: EditorGraph,
		private readonly definitions: Definitions,
	) {}

	definitionOf({ className }: EditorNode): JsonRecord | undefined {
		return definitionOf(this.definitions, className);
	}

	/** Its widgets as its file alone fills them; none where the server does not know the class. */
	savedWidgetsOf(node: EditorNode): NodeWidgets | undefined {
		const known = this.widgets.get(node);
		const definition = this.definitionOf(node);
		if (known !== undefined || definition === undefined) return known;
		const widgets = widgetsOf({ ...node, given: new Map() }, definition);
		this.widgets.set(node, widgets);
		return widgets;
	}

	isVirtual(node: EditorNode): boolean {
		return isVirtual(node.className, this.definitionOf(node) !== undefined);
	}

	slotsOf(node: EditorNode): NodeSockets {
		const known = this.slots.get(node);
		if (known !== undefined) return known;
		const definition = this.isVirtual(node) ? undefined : this.definitionOf(node);
		const declared = slotsOf(node, definition, (name) => this.savedWidgetsOf(node)?.held.has(name) ?? false);
		// Until the types are matched, a circle of links finds the declared ones.
		this.slots.set(node, declared);
		if (definition === undefined) return declared;
		this.depth += 1;
		const matched = matchTypes(declared, node.className, definition, (linkId) => this.typeOfLink(linkId));
		this.depth -= 1;
		this.slots.set(node, matched);
		return matched;
	}

	/** The type of what a link brings, through reroutes. */
	private typeOfLink(linkId: string): string {
		let link = this.graph.links.get(linkId);
		for (let steps = 0; link !== undefined && steps < MOST_STEPS && this.depth < DEEPEST; steps++) {
			const from = this.graph.nodes.get(link.from.nodeId);
			if (from === undefined) return link.type;
			if (from.className !== REROUTE) return this.slotsOf(from).outputTypes[link.from.slot] ?? '';
			link = this.graph.links.get(from.inputs[0]?.linkId ?? '');
		}
		return '';
	}
}
