import type { JsonRecord } from '../../json/decode';
import { type Definitions, findDefinition } from '../inputs/definitions';
import type { EditorNode, FlatGraph, PromotedValue } from './editorGraph';
import { matchTypes, type NodeSockets, readSockets } from './sockets';
import { isVirtual, REROUTE } from './virtualNodes';
import { type NodeWidgets, readWidgets } from './widgets/readWidgets';

/** Nodes with matching types behind each other, and reroutes between them: no real workflow has so many. */
const DEEPEST = 500;
const MOST_REROUTES = 1_000;

/** A flat graph with the definitions of its classes. It computes the sockets and widgets of each node once. */
export class Network {
	private readonly sockets = new Map<EditorNode, NodeSockets>();
	private readonly widgets = new Map<EditorNode, NodeWidgets>();
	private depth = 0;

	constructor(
		readonly graph: FlatGraph,
		private readonly definitions: Definitions,
	) {}

	findDefinition({ className }: EditorNode): JsonRecord | undefined {
		return findDefinition(this.definitions, className);
	}

	isVirtual(node: EditorNode): boolean {
		return isVirtual(node.className, this.findDefinition(node) !== undefined);
	}

	/** @returns the widgets with the values of the file, without overrides; undefined if the server does not have the class. */
	getSavedWidgets(node: EditorNode): NodeWidgets | undefined {
		const known = this.widgets.get(node);
		const definition = this.findDefinition(node);
		if (known !== undefined || definition === undefined) return known;
		const widgets = readWidgets({ ...node, overrides: new Map() }, definition);
		this.widgets.set(node, widgets);
		return widgets;
	}

	resolvePromoted(promoted: PromotedValue): unknown {
		if ('value' in promoted) return promoted.value;
		const { nodeId, widgetName } = promoted.inheritsFrom;
		const node = this.graph.nodes.get(nodeId);
		return node && this.getSavedWidgets(node)?.allValues.get(widgetName);
	}

	getSockets(node: EditorNode): NodeSockets {
		const known = this.sockets.get(node);
		if (known !== undefined) return known;
		const definition = this.isVirtual(node) ? undefined : this.findDefinition(node);
		const declared = readSockets(node, definition, definition && this.getSavedWidgets(node));
		// In a circle of links, `getLinkType` comes back to this node before its types are matched. It then finds the declared types.
		this.sockets.set(node, declared);
		if (definition === undefined) return declared;
		this.depth += 1;
		const matched = matchTypes(declared, node.className, definition, (linkId) => this.getLinkType(linkId));
		this.depth -= 1;
		this.sockets.set(node, matched);
		return matched;
	}

	/** @returns the type of the output behind a link, through reroutes. */
	getLinkType(linkId: string): string {
		let link = this.graph.links.get(linkId);
		for (let steps = 0; link !== undefined && steps < MOST_REROUTES && this.depth < DEEPEST; steps++) {
			const origin = this.graph.nodes.get(link.from.nodeId);
			if (origin === undefined) return link.type;
			if (origin.className !== REROUTE) return this.getSockets(origin).outputTypes[link.from.slot] ?? '';
			link = this.graph.links.get(origin.inputs[0]?.linkId ?? '');
		}
		return '';
	}
}
