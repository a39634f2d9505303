import type { JsonRecord } from '../../decode';

/** An editor's file, read: the same for every version of the format. Ids are text. */

/** Where a link comes from or goes to. */
export interface EditorEnd {
	nodeId: string;
	slot: number;
}

export interface EditorLink {
	id: string;
	from: EditorEnd;
	to: EditorEnd;
	type: string;
}

export interface EditorInput {
	name: string;
	type: string;
	/** The link that comes in; undefined for none. */
	linkId?: string;
	/** The widget that this socket belongs to, or was converted from. */
	widgetName?: string;
	/** As its author renamed it. */
	label?: string;
}

export interface EditorOutput {
	name: string;
	type: string;
	/** The links that go out, as the node itself says. */
	linkIds: string[];
}

export interface EditorNode {
	id: string;
	/** `type` in the file: a class, a subgraph's id, an older group's `workflow>name`, or a node of the editor alone. */
	className: string;
	title?: string;
	/** 0 runs; `MUTED` and `BYPASSED` do not. */
	mode: number;
	inputs: EditorInput[];
	outputs: EditorOutput[];
	/** `widgets_values`: a list by order, an object by name, or nothing. */
	values: unknown[] | JsonRecord | undefined;
	/** `widgets_values_named`: the same values by widget name. Editors write it since 2026 and do not read it by default. */
	named?: JsonRecord;
	/** Values by widget name that stand above the file's own: of a promoted widget, or of a primitive. */
	given: Map<string, unknown>;
	properties: JsonRecord;
}

export const MUTED = 2;
export const BYPASSED = 4;

/** Whether it would run; of an instance, whether its inside would. */
export const isActive = ({ mode }: EditorNode): boolean => mode !== MUTED && mode !== BYPASSED;

/** What a widget that is shown outside its subgraph holds: a value of its own, or still the one of the widget inside. */
export type PromotedValue = { value: unknown; instead?: unknown } | { asIn: { nodeId: string; widgetName: string } };

/** One level of a workflow: the whole of it, or one subgraph's inside. Order is the file's. */
export interface EditorGraph {
	nodes: Map<string, EditorNode>;
	links: Map<string, EditorLink>;
	/**
	 * Of a graph whose subgraphs are expanded: links that come from one of these ids bring a value (slot 0) instead of an output,
	 * through reroutes and bypassed nodes like any link. It stands above what the node itself holds, is taken as it is
	 * (no dynamic prompt), and wrapped where it is a list. `asIn` is what the widget of that node holds by its file alone.
	 */
	promoted?: Map<string, PromotedValue>;
}

export interface EditorSubgraph extends EditorGraph {
	id: string;
	name: string;
	/** Its sockets outwards, by slot: `linkIds` are those inside. Links inside name the borders as -10 (in) and -20 (out). */
	inputs: Array<{ id: string; name: string; label?: string; type: string; linkIds: string[] }>;
	outputs: Array<{ id: string; name: string; type: string; linkIds: string[] }>;
}

export interface EditorFile extends EditorGraph {
	subgraphs: Map<string, EditorSubgraph>;
	/** Definitions of groups of the older kind, by name: `extra.groupNodes`. */
	groups: Map<string, JsonRecord>;
	/** The highest id given so far (`last_node_id`, `state.lastNodeId`), 0 where none is told: the frontend numbers on from it. */
	lastNodeId: number;
}
