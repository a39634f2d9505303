import { isRecord } from '../../json/decode';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { isExactNumber } from '../../json/numbers';

export interface GraphLink {
	nodeId: string;
	slot: number;
}

/** A link to another node is `[id, slot]`. @returns undefined for a value that is no link. */
export function parseLink(value: unknown): GraphLink | undefined {
	if (!Array.isArray(value) || value.length !== 2) return undefined;
	const [id, slot] = value as unknown[];
	return (typeof id === 'string' || typeof id === 'number') && typeof slot === 'number' ? { nodeId: String(id), slot } : undefined;
}

/** A graph has a list as `{"__value__": […]}`, because a bare list is a link. ComfyUI accepts any value in this form. */
export const unwrapValue = (value: unknown): unknown => (isRecord(value) && '__value__' in value ? value.__value__ : value);

export const isNumber = (value: unknown): boolean => typeof value === 'number' || isExactNumber(value);

/** @returns the title, or the class of a node without one. */
export const getTitle = (node: ApiGraphNode): string => {
	const title: unknown = node._meta?.title;
	return typeof title === 'string' && title.trim() !== '' ? title : node.class_type;
};

const LONGEST_LABEL = 80;

function shorten(title: string): string {
	const line = title.replace(/\s+/g, ' ').trim();
	return line.length > LONGEST_LABEL ? `${line.slice(0, LONGEST_LABEL).trimEnd()}…` : line;
}

/** @returns by node id, the label for lists: `Positive`, or `Positive (#6)` if several nodes have this title. */
export function labelNodes(graph: ApiGraph): Map<string, string> {
	const titles = Object.entries(graph).map(([id, node]) => [id, shorten(getTitle(node))] as const);
	const counts = new Map<string, number>();
	for (const [, title] of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
	return new Map(titles.map(([id, title]) => [id, (counts.get(title) ?? 0) > 1 ? `${title} (#${id})` : title]));
}

/** A value that a node holds itself, instead of a link. */
export interface Literal {
	nodeId: string;
	node: ApiGraphNode;
	input: string;
	value: unknown;
}

/** @returns the values that nodes hold themselves, in graph order. */
export const listLiterals = (graph: ApiGraph): Literal[] =>
	Object.entries(graph).flatMap(([nodeId, node]) =>
		Object.entries(node.inputs).flatMap(([input, value]) =>
			parseLink(value) === undefined ? [{ nodeId, node, input, value: unwrapValue(value) }] : [],
		),
	);

/** The editor exports these buttons and players together with the inputs of a node. */
const EDITOR_WIDGETS: ReadonlySet<string> = new Set([
	'upload',
	'audioUI',
	'videopreview',
	'choose file to upload',
	'choose video to upload',
	'control_after_generate',
	'control_before_generate',
]);

/** Classes whose viewer is exported as this input. */
const VIEWERS: ReadonlySet<string> = new Set(['Preview3D.image', 'SaveGLB.image']);

export const isEditorWidget = ({ class_type: className }: ApiGraphNode, input: string): boolean =>
	EDITOR_WIDGETS.has(input) || VIEWERS.has(`${className}.${input}`);

/** @returns these nodes and all nodes that their inputs come from. Ids that the graph does not have are left out. */
export function findUpstreamNodes(graph: ApiGraph, nodeIds: string[]): Set<string> {
	const found = new Set<string>();
	const waiting = [...nodeIds];
	for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
		if (found.has(id) || !Object.hasOwn(graph, id)) continue;
		found.add(id);
		for (const value of Object.values(graph[id]?.inputs ?? {})) {
			const link = parseLink(value);
			if (link !== undefined) waiting.push(link.nodeId);
		}
	}
	return found;
}
