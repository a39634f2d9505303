import type { ApiGraph, ApiGraphNode } from '../../job';
import type { InputDefinition } from './definition';
import { linkOf } from './literals';
import type { InputKind, InputRole } from './types';

const SEED = /(^|[_.])(noise_?)?seed(_num|_value)?$/i;
const SIZE =
	/(^|[_.])(width|height|batch_size|length|frames|num_frames|frame_count|frame_num|video_length|duration|seconds|aspect_ratio|resolution|megapixels|size)$/i;
/** Names that mean a prompt wherever they stand. */
const PROMPT = /(^|[_.])(prompts?|positive|negative|lyrics|caption|instructions?)(_?(text|prompt|[gl]|\d+))?$/i;
/** Names that mean a prompt in a node that encodes text, or speaks it. */
const ENCODED = /^(text|tags|clip_[gl]|t5xxl|llama|qwen\w*|bert|mt5xl|string)(_?(\d{1,2}|[a-hl]))?$/i;
const TAKES_A_PROMPT = /encode|prompt|text.?to|speech|gligen/i;
/** Names by which nodes that only hand on a value call it; what it is, is said by where it goes. */
const HANDED_ON = /^(value|text|string|str|int|integer|float|number|num|any|input|a|b)(_?(\d{1,2}|[a-h]))?$/i;

/** By rank: a value that goes to several inputs is what the first of these makes of it. */
const TOLD = ['prompt', 'seed', 'size'] as const;
type Told = (typeof TOLD)[number];

const isPromptName = ({ class_type: className }: ApiGraphNode, input: string): boolean =>
	PROMPT.test(input) || (TAKES_A_PROMPT.test(className) && ENCODED.test(input));

function roleByName(node: ApiGraphNode, input: string, isText: boolean): Told | undefined {
	if (isText ? isPromptName(node, input) : SEED.test(input)) return isText ? 'prompt' : 'seed';
	return SIZE.test(input) ? 'size' : undefined;
}

/** The nodes a link comes from, and those whose values come through them from further away. */
function* originsOf(graph: ApiGraph, starts: string[], follow: (input: string) => boolean, seen: Set<string>): Generator<string> {
	const waiting = [...starts];
	for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
		const node = Object.hasOwn(graph, id) ? graph[id] : undefined;
		if (node === undefined || seen.has(id)) continue;
		seen.add(id);
		yield id;
		for (const [input, value] of Object.entries(node.inputs)) {
			const from = linkOf(value)?.nodeId;
			if (from !== undefined && follow(input)) waiting.push(from);
		}
	}
}

function linksInto(graph: ApiGraph, isMeant: (node: ApiGraphNode, input: string) => boolean): string[] {
	return Object.values(graph).flatMap((node) =>
		Object.entries(node.inputs).flatMap(([input, value]) => {
			const link = linkOf(value);
			return link !== undefined && isMeant(node, input) ? [link.nodeId] : [];
		}),
	);
}

/** What the values of each node are there for, as the inputs tell to which they go. */
function handedOnRoles(graph: ApiGraph, isText: boolean): ReadonlyMap<string, Told> {
	const roles = new Map<string, Told>();
	const seen = new Set<string>();
	for (const role of TOLD) {
		const starts = linksInto(graph, (node, input) => roleByName(node, input, isText) === role);
		for (const id of originsOf(graph, starts, (input) => HANDED_ON.test(input), seen)) roles.set(id, role);
	}
	return roles;
}

/** Nodes that a sampler's `negative` comes from, and its `positive` does not. */
function negativeNodes(graph: ApiGraph): ReadonlySet<string> {
	const isPositive = (input: string): boolean => /(^|_)positive/i.test(input);
	const isNegative = (input: string): boolean => /(^|_)negative/i.test(input);
	const positive = new Set(
		originsOf(
			graph,
			linksInto(graph, (_, input) => isPositive(input)),
			(input) => !isNegative(input),
			new Set(),
		),
	);
	const negative = originsOf(
		graph,
		linksInto(graph, (_, input) => isNegative(input)),
		(input) => !isPositive(input),
		new Set(),
	);
	return new Set([...negative].filter((id) => !positive.has(id)));
}

/** The editor offers to change such a number after each run. Nodes that only hand on a value hold any number so. */
export const isSeedByDefinition = (input: string, definition: InputDefinition | undefined): boolean =>
	definition?.settings.control_after_generate === true && !HANDED_ON.test(input);

export interface Roles {
	of(nodeId: string, input: string, kind: InputKind): InputRole;
	isNegative(nodeId: string, input: string): boolean;
}

/** What each value of a graph is there for. */
export function rolesIn(graph: ApiGraph): Roles {
	const texts = handedOnRoles(graph, true);
	const numbers = handedOnRoles(graph, false);
	const negative = negativeNodes(graph);
	return {
		of(nodeId, input, kind) {
			if (kind === 'choice') return SIZE.test(input) ? 'size' : 'other';
			const isText = kind === 'text';
			if (!isText && kind !== 'integer' && kind !== 'number') return 'other';
			const handedOn = HANDED_ON.test(input) ? (isText ? texts : numbers).get(nodeId) : undefined;
			return roleByName(graph[nodeId] as ApiGraphNode, input, isText) ?? handedOn ?? 'other';
		},
		isNegative: (nodeId, input) => negative.has(nodeId) || /(^|_)negative/i.test(input),
	};
}
