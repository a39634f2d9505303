import type { ApiGraph, ApiGraphNode } from '../../job';
import { isExactNumber } from '../../json/numbers';
import { isRecord } from '../../decode';

export interface Link {
	nodeId: string;
	slot: number;
}

/** A value that comes from another node stands as `[id, slot]`. */
export function linkOf(value: unknown): Link | undefined {
	if (!Array.isArray(value) || value.length !== 2) return undefined;
	const [id, slot] = value as unknown[];
	return (typeof id === 'string' || typeof id === 'number') && typeof slot === 'number' ? { nodeId: String(id), slot } : undefined;
}

/** Lists stand in a graph as `{"__value__": […]}`, because a bare one is a link; ComfyUI takes any value so. */
export const contentOf = (value: unknown): unknown => (isRecord(value) && '__value__' in value ? value.__value__ : value);

export const isNumber = (value: unknown): boolean => typeof value === 'number' || isExactNumber(value);

export const titleOf = (node: ApiGraphNode): string => {
	const title: unknown = node._meta?.title;
	return typeof title === 'string' && title.trim() !== '' ? title : node.class_type;
};

export interface Literal {
	nodeId: string;
	node: ApiGraphNode;
	input: string;
	value: unknown;
}

/** What the web interface writes beside the values that a node takes: buttons and players. */
const ORNAMENTS: ReadonlySet<string> = new Set([
	'upload',
	'audioUI',
	'videopreview',
	'choose file to upload',
	'choose video to upload',
	'control_after_generate',
	'control_before_generate',
]);

export const isOrnament = (input: string): boolean => ORNAMENTS.has(input);

/** Every value that stands in a node itself, in graph order. */
export const literalsOf = (graph: ApiGraph): Literal[] =>
	Object.entries(graph).flatMap(([nodeId, node]) =>
		Object.entries(node.inputs).flatMap(([input, value]) =>
			linkOf(value) === undefined ? [{ nodeId, node, input, value: contentOf(value) }] : [],
		),
	);
