import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import type { InputDefinition } from './definitions';
import { parseLink } from './graphNodes';

export type InputKind = 'text' | 'integer' | 'number' | 'boolean' | 'choice' | 'json';

/** What an input is for. */
export type InputRole = 'prompt' | 'seed' | 'size' | 'file' | 'other';

const SEED = /(^|[_.])(noise_?)?seed(_num|_value)?$/i;
const SIZE =
	/(^|[_.])(width|height|batch_size|length|frames|num_frames|frame_count|frame_num|video_length|duration|seconds|aspect_ratio|resolution|megapixels|size)$/i;
/** Names of prompts in any class. */
const PROMPT = /(^|[_.])(prompts?|positive|negative|lyrics|caption|instructions?)(_?(text|prompt|[gl]|\d+))?$/i;
/** Names of prompts in classes that encode or speak a text. */
const ENCODED_TEXT = /^(text|tags|clip_[gl]|t5xxl|llama|qwen\w*|bert|mt5xl|string)(_?(\d{1,2}|[a-hl]))?$/i;
const ENCODING_CLASS = /encode|prompt|text.?to|speech|gligen/i;
/** Names in classes that only pass a value on. The inputs that receive the value decide what it is for. */
const PASSED_ON = /^(value|text|string|str|int|integer|float|number|num|any|input|a|b)(_?(\d{1,2}|[a-h]))?$/i;

/** By rank: if a value goes to several inputs, the first of these roles counts. */
const NAMED_ROLES = ['prompt', 'seed', 'size'] as const;
type NamedRole = (typeof NAMED_ROLES)[number];

const isPromptName = ({ class_type: className }: ApiGraphNode, input: string): boolean =>
	PROMPT.test(input) || (ENCODING_CLASS.test(className) && ENCODED_TEXT.test(input));

export const isSeedName = (input: string): boolean => SEED.test(input);

function roleByName(node: ApiGraphNode, input: string, isText: boolean): NamedRole | undefined {
	if (isText && isPromptName(node, input)) return 'prompt';
	if (!isText && isSeedName(input)) return 'seed';
	return SIZE.test(input) ? 'size' : undefined;
}

/** Yields these nodes and the nodes behind them, through the inputs that `shouldFollow` accepts. */
function* walkUpstream(
	graph: ApiGraph,
	starts: string[],
	shouldFollow: (input: string) => boolean,
	seen = new Set<string>(),
): Generator<string> {
	const waiting = [...starts];
	for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
		const node = Object.hasOwn(graph, id) ? graph[id] : undefined;
		if (node === undefined || seen.has(id)) continue;
		seen.add(id);
		yield id;
		for (const [input, value] of Object.entries(node.inputs)) {
			const from = parseLink(value)?.nodeId;
			if (from !== undefined && shouldFollow(input)) waiting.push(from);
		}
	}
}

/** @returns the ids of the nodes that are linked to inputs which `matches` accepts. */
function findLinkedNodes(graph: ApiGraph, matches: (node: ApiGraphNode, input: string) => boolean): string[] {
	return Object.values(graph).flatMap((node) =>
		Object.entries(node.inputs).flatMap(([input, value]) => {
			const link = parseLink(value);
			return link !== undefined && matches(node, input) ? [link.nodeId] : [];
		}),
	);
}

/** @returns by node id, the role of the values that a node passes on. */
function classifyPassedOn(graph: ApiGraph, isText: boolean): ReadonlyMap<string, NamedRole> {
	const roles = new Map<string, NamedRole>();
	const seen = new Set<string>();
	for (const role of NAMED_ROLES) {
		const starts = findLinkedNodes(graph, (node, input) => roleByName(node, input, isText) === role);
		for (const id of walkUpstream(graph, starts, (input) => PASSED_ON.test(input), seen)) roles.set(id, role);
	}
	return roles;
}

const isPositiveName = (input: string): boolean => /(^|_)positive/i.test(input);
const isNegativeName = (input: string): boolean => /(^|_)negative/i.test(input);

/** @returns the nodes behind the `negative` input of a sampler that are not behind a `positive` input as well. */
function findNegativeNodes(graph: ApiGraph): ReadonlySet<string> {
	const positiveStarts = findLinkedNodes(graph, (_, input) => isPositiveName(input));
	const negativeStarts = findLinkedNodes(graph, (_, input) => isNegativeName(input));
	const positive = new Set(walkUpstream(graph, positiveStarts, (input) => !isNegativeName(input)));
	const negative = walkUpstream(graph, negativeStarts, (input) => !isPositiveName(input));
	return new Set([...negative].filter((id) => !positive.has(id)));
}

/** Whether the editor can change the number after each run. In classes that only pass a value on, it can do so for any number. */
export const isSeedByDefinition = (input: string, definition: InputDefinition | undefined): boolean =>
	definition?.settings.control_after_generate === true && !PASSED_ON.test(input);

export interface Roles {
	find(nodeId: string, input: string, kind: InputKind): Exclude<InputRole, 'file'>;
	isNegative(nodeId: string, input: string): boolean;
}

/** Finds out what each value of a graph is for, from names and links. */
export function classifyRoles(graph: ApiGraph): Roles {
	const texts = classifyPassedOn(graph, true);
	const numbers = classifyPassedOn(graph, false);
	const negative = findNegativeNodes(graph);
	return {
		find(nodeId, input, kind) {
			if (kind === 'choice') return SIZE.test(input) ? 'size' : 'other';
			const isText = kind === 'text';
			if (!isText && kind !== 'integer' && kind !== 'number') return 'other';
			const passedOn = PASSED_ON.test(input) ? (isText ? texts : numbers).get(nodeId) : undefined;
			return roleByName(graph[nodeId] as ApiGraphNode, input, isText) ?? passedOn ?? 'other';
		},
		isNegative: (nodeId, input) => negative.has(nodeId) || isNegativeName(input),
	};
}
