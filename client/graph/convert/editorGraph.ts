import { type JsonRecord, textOr } from '../../json/decode';
import type { ConversionPlace } from '../../errors/graphFaults';

/** One end of a link. */
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
	/** The incoming link; undefined for none. */
	linkId?: string;
	/** The widget that this socket belongs to, or was converted from. */
	widgetName?: string;
	/** The author's name for the input. */
	label?: string;
}

export interface EditorOutput {
	name: string;
	type: string;
	/** The outgoing links, as the node itself lists them. */
	linkIds: string[];
}

export interface EditorNode {
	id: string;
	/** `type` in the file: a class, the id of a subgraph, `workflow>name` for a group node, or a node that exists only in the editor. */
	className: string;
	title?: string;
	/** 0 runs; `MUTED` and `BYPASSED` do not. */
	mode: number;
	inputs: EditorInput[];
	outputs: EditorOutput[];
	/** `widgets_values`: a list in the order of the widgets, an object by name, or undefined. */
	values: unknown[] | JsonRecord | undefined;
	/** `widgets_values_named`: the same values by widget name. Editors write it since 2026, and do not read it by default. */
	named?: JsonRecord;
	/** By widget name, what overrides the values of the file: from a primitive node or a group node. */
	overrides: Map<string, Override>;
	properties: JsonRecord;
	/** The file has the links that Use Everywhere adds for this node. */
	hasSavedLinks?: boolean;
	/** The node as the file has it; absent for a node that is in no file. */
	saved?: JsonRecord;
}

/** A position in the `widgets_values` of another node, which has the value of a widget: an index, or a name. */
export interface ValueSlot {
	holder: EditorNode;
	position: number | string;
	/** The values before this position, for a list that does not have them yet. */
	valuesBefore?: PromotedValue[];
}

export interface Override {
	value: unknown;
	/** Absent if the value is in no file. */
	slot?: ValueSlot;
}

export const MUTED = 2;
export const BYPASSED = 4;

/** Whether a node runs. For a subgraph node: whether the nodes inside run. */
export const isActive = ({ mode }: EditorNode): boolean => mode !== MUTED && mode !== BYPASSED;

/**
 * What a subgraph node holds for a widget of a node inside: a value of its own, or (`inheritsFrom`) still the value that the widget
 * inside has in the file. `instead`: see the note `value_by_name`.
 */
export type PromotedValue = { value: unknown; instead?: unknown } | { inheritsFrom: { nodeId: string; widgetName: string } };

/** One level of a workflow: the workflow itself, or the inside of one subgraph. Nodes and links are in the order of the file. */
export interface EditorGraph {
	nodes: Map<string, EditorNode>;
	links: Map<string, EditorLink>;
}

/** A workflow whose subgraphs are expanded. */
export interface FlatGraph extends EditorGraph {
	/**
	 * By the id of a link's origin: the link brings this value instead of an output. Like any link, it can lead through reroutes and
	 * bypassed nodes. The value overrides that of the node, and its wildcards are not resolved.
	 */
	promoted: ReadonlyMap<string, PromotedValue & { slot?: ValueSlot }>;
}

/** A socket at the border of a subgraph. `linkIds`: the links inside. */
export interface SubgraphSocket {
	id: string;
	name: string;
	label?: string;
	type: string;
	linkIds: string[];
}

/** @returns the title as the editor shows it: the author's, else that of the definition, else the class. */
export const getEditorTitle = ({ title, className }: EditorNode, definition: JsonRecord | undefined): string =>
	title ?? textOr(definition?.display_name, undefined) ?? className;

/** @returns what notes and refusals say about a node. */
export const locateNode = (node: EditorNode, definition: JsonRecord | undefined, input?: string): ConversionPlace => ({
	nodeId: node.id,
	title: getEditorTitle(node, definition),
	className: node.className,
	...(input === undefined ? {} : { input }),
});

/** The ids of the borders of a subgraph in the links inside. */
export const BORDER_IN = '-10';
export const BORDER_OUT = '-20';
