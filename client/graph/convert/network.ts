import type { JsonRecord } from '../../decode';
import type { Definitions } from '../form';
import { definitionOf } from '../form/definition';
import type { EditorGraph, EditorNode } from './model';
import { type NodeSockets, slotsOf } from './slots';
import { isVirtual } from './virtual';
import { type NodeWidgets, widgetsOf } from './widgets';

/** A flat graph with what the server says of its classes. */
export class Network {
	private readonly slots = new Map<EditorNode, NodeSockets>();
	private readonly widgets = new Map<EditorNode, NodeWidgets>();

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
		const slots = slotsOf(
			node,
			this.isVirtual(node) ? undefined : this.definitionOf(node),
			(name) => this.savedWidgetsOf(node)?.held.has(name) ?? false,
		);
		this.slots.set(node, slots);
		return slots;
	}
}
