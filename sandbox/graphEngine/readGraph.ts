/** Reads the nodes, links and values of a graph. */
import { isLosslessNumber, writeJson } from '../json';
import { nodeClasses } from './nodeClasses';
import type { ApiGraph, ApiGraphNode } from './types';
import type { InputSpec } from './nodeClass';
import type { Value } from './values';

/** The ids of the output nodes of a graph. */
export const outputNodeIds = (graph: ApiGraph): string[] => Object.keys(graph).filter((id) => classOf(graph, id)?.isOutput);

export const classOf = (graph: ApiGraph, id: string) => nodeClasses.get(graph[id]?.class_type ?? '');

/** The linked inputs of a node, with the nodes that they come from. */
export const linksOf = (node: ApiGraphNode): Array<{ input: string; from: string; slot: number }> =>
	Object.entries(node.inputs).flatMap(([input, value]) => (isLink(value) ? [{ input, from: value[0], slot: value[1] }] : []));

/**
 * The nodes that the outputs need, each after its inputs, otherwise in the order of the graph. Links to missing nodes are
 * ignored. A link that closes a cycle is reported to `onCycle` and not followed.
 */
export function executionOrder(
	graph: ApiGraph,
	onCycle?: (nodeId: string, input: string) => void,
	targets: readonly string[] = outputNodeIds(graph),
): string[] {
	const state = new Map<string, 'open' | 'done'>();
	const order: string[] = [];
	const visit = (id: string): void => {
		const node = Object.hasOwn(graph, id) ? graph[id] : undefined;
		if (!node || state.has(id)) return;
		state.set(id, 'open');
		for (const { input, from } of linksOf(node)) {
			if (state.get(from) === 'open') onCycle?.(id, input);
			else visit(from);
		}
		state.set(id, 'done');
		order.push(id);
	};
	targets.forEach(visit);
	return order;
}

export type LiteralProblem = { type: string; reason: string };

/** A link is `["<node id>", <output slot>]`. ComfyUI reads every list as a link. */
export const isLink = (value: unknown): value is [string, number] =>
	Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && Number.isInteger(value[1]);

/** Converts a value in the graph to the type of the input. @returns the problem if that is not possible. */
export function readLiteral(spec: InputSpec, name: string, written: unknown): Value | { problem: LiteralProblem } {
	const literal = isLosslessNumber(written) && spec.type !== 'INT' && spec.type !== 'FLOAT' ? written.value : written;
	switch (spec.type) {
		case 'INT':
		case 'FLOAT':
			return readNumber(spec, name, literal);
		case 'STRING':
		case '*':
			return typeof literal === 'object' ? invalidType(name, literal, spec.type) : { type: 'STRING', value: String(literal) };
		case 'BOOLEAN':
			return typeof literal === 'object' ? invalidType(name, literal, 'BOOLEAN') : { type: 'BOOLEAN', value: Boolean(literal) };
		case 'COMBO':
			return readOption(spec.options, name, literal);
		case 'FILE':
			return isFileReference(literal) ? { type: 'FILE', reference: literal } : invalidType(name, literal, 'FILE');
		default:
			return invalidType(name, literal, spec.type);
	}
}

type NumberSpec = Extract<InputSpec, { type: 'INT' | 'FLOAT' }>;

function readNumber(spec: NumberSpec, name: string, literal: unknown): Value | { problem: LiteralProblem } {
	const value = spec.type === 'INT' ? toInteger(literal) : toNumber(literal);
	if (value === undefined) return invalidType(name, literal, spec.type);
	if (value < spec.min) {
		return { problem: { type: 'value_smaller_than_min', reason: `Value ${value} smaller than min of ${spec.min}: ${name}` } };
	}
	if (value > spec.max)
		return { problem: { type: 'value_bigger_than_max', reason: `Value ${value} bigger than max of ${spec.max}: ${name}` } };
	return typeof value === 'bigint' ? { type: 'INT', value: Number(value), exact: value } : { type: spec.type, value };
}

/** Like Python's `int`: accepts digits as text, and truncates fractions. @returns a bigint if a double is not exact. */
function toInteger(literal: unknown): number | bigint | undefined {
	const written = isLosslessNumber(literal) ? literal.value : literal;
	if (typeof written === 'string' && WHOLE.test(written)) {
		const number = Number(written);
		return Number.isSafeInteger(number) ? number : BigInt(written.trim().replace('+', ''));
	}
	const number = typeof written === 'string' && !isLosslessNumber(literal) ? undefined : toNumber(written);
	return number === undefined ? undefined : Math.trunc(number);
}

const WHOLE = /^\s*[-+]?\d+\s*$/;

function toNumber(literal: unknown): number | undefined {
	if (typeof literal === 'boolean') return Number(literal);
	if (isLosslessNumber(literal)) return toNumber(literal.value);
	const number = typeof literal === 'string' && literal.trim() !== '' ? Number(literal) : literal;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readOption(options: readonly string[], name: string, literal: unknown): Value | { problem: LiteralProblem } {
	if (typeof literal === 'string' && options.includes(literal)) return { type: 'STRING', value: literal };
	const list = options.length > MOST_OPTIONS_LISTED ? `(list of length ${options.length})` : `[${options.map(quoted).join(', ')}]`;
	return {
		problem: {
			type: 'value_not_in_list',
			reason: `Value not in list: ${name}: ${typeof literal === 'string' ? quoted(literal) : writeJson(literal)} not in ${list}`,
		},
	};
}

/** For longer lists, ComfyUI reports only the number of options. */
const MOST_OPTIONS_LISTED = 20;
const quoted = (text: string): string => `'${text}'`;

function isFileReference(literal: unknown): boolean {
	if (typeof literal === 'string') return literal !== '';
	return typeof literal === 'object' && literal !== null && '__type' in literal && literal.__type === 'core/ASSET';
}

const invalidType = (name: string, literal: unknown, type: string): { problem: LiteralProblem } => ({
	problem: { type: 'invalid_input_type', reason: `Failed to convert an input value to a ${type} value: ${name}, ${writeJson(literal)}` },
});
