import type { ApiGraph } from '../../job';
import { isExactInteger } from '../../json/numbers';
import { inputDefinition } from './definition';
import { fileKindOf } from './files';
import { countsThings, kindOf, limitsOf } from './kinds';
import { isOrnament, literalsOf } from './literals';
import { isSeedByDefinition, type Roles, rolesIn } from './roles';
import { titlesIn } from './titles';
import type { Definitions, GraphInput } from './types';

function rankOf({ role, nodeId, input }: GraphInput, roles: Roles): number {
	if (role === 'prompt') return roles.isNegative(nodeId, input) ? 1 : 0;
	return { seed: 2, size: 3, file: 4, other: 4 }[role];
}

/**
 * What a graph lets one change: prompts (negative ones last), seeds, sizes, the rest in graph order. An input that takes
 * its value from another node is none; a prompt or a seed that comes from a node that only holds it stands there.
 * @param definitions those of some of its classes, or none: kinds are then told by the values that stand there.
 */
export function inputsOf(graph: ApiGraph, definitions?: Definitions): GraphInput[] {
	const roles = rolesIn(graph);
	const title = titlesIn(graph);
	const inputs = literalsOf(graph).flatMap(({ nodeId, node, input, value }): GraphInput[] => {
		const definition = inputDefinition(definitions, node, input);
		if (definition === undefined && isOrnament(input)) return [];
		const fileKind = fileKindOf(node, input, value, definition);
		const kind = kindOf(value, definition, fileKind);
		const named = fileKind === undefined ? roles.of(nodeId, input, kind) : 'file';
		const role = named === 'other' && kind === 'integer' && isSeedByDefinition(input, definition) ? 'seed' : named;
		const limits = limitsOf(kind, definition, fileKind);
		return [
			{
				nodeId,
				input,
				name: `${nodeId}.${input}`,
				label: `${title(nodeId)} · ${input}`,
				value,
				kind: kind === 'number' && definition === undefined && countsThings(input, value, role) ? 'integer' : kind,
				role,
				...(limits && { limits }),
			},
		];
	});
	return inputs
		.map((input) => ({ input, rank: rankOf(input, roles) }))
		.sort((one, other) => one.rank - other.rank)
		.map(({ input }) => input);
}

/** The inputs that take a file. */
export const fileInputsOf = (graph: ApiGraph, definitions?: Definitions): GraphInput[] =>
	inputsOf(graph, definitions).filter(({ role }) => role === 'file');

/** What shows that a number is a seed where neither its name nor the inputs that it goes to show one. */
export interface SeedSigns {
	definitions?: Definitions;
	/** Numbers that the editor changes after each run. */
	changedByEditor?: Array<{ nodeId: string; input: string }>;
}

/**
 * Where seeds are changed: in the nodes that use them, or in those that they come from. The other signs count only if no
 * seed is known by a name: a forgotten control beside a seed must not change the number of steps.
 */
export function seedsOf(graph: ApiGraph, { definitions, changedByEditor = [] }: SeedSigns = {}): GraphInput[] {
	const inputs = inputsOf(graph);
	const named = inputs.filter(({ role }) => role === 'seed');
	if (named.length > 0) return named;
	const changed = new Set(changedByEditor.map(({ nodeId, input }) => `${nodeId}.${input}`));
	const byControl = inputs.filter(({ role, name, value }) => role === 'other' && changed.has(name) && isExactInteger(value));
	if (byControl.length > 0 || definitions === undefined) return byControl;
	return inputsOf(graph, definitions).filter(({ role }) => role === 'seed');
}
