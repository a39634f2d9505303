import { GraphError } from '../../errors';
import type { ApiGraph, ApiGraphNode } from '../../job';
import type { JsonRecord } from '../../decode';
import type { Definitions } from '../form';
import { definitionOf, DYNAMIC_CHOICE, isOffered } from '../form/definition';
import { contentOf, linkOf } from '../form/literals';
import { misfitOf } from './literals';
import type { EditorNode } from './model';
import { type NodeWidgets, widgetsOf } from './widgets';

/** The node as the editor would hold it: its widgets filled by name. */
function drawn(id: string, { class_type: className, inputs }: ApiGraphNode, without: string[] = []): EditorNode {
	const literals = Object.entries(inputs).filter(([name, value]) => linkOf(value) === undefined && !without.includes(name));
	return {
		id,
		className,
		mode: 0,
		inputs: [],
		outputs: [],
		values: undefined,
		given: new Map(literals.map(([name, value]) => [name, contentOf(value)])),
		properties: {},
	};
}

/** Inputs whose values do not fit behind the new choice. */
function unfitIn({ specs, values }: NodeWidgets): string[] {
	return [...values].flatMap(([input, value]) => {
		const spec = specs.get(input);
		if (spec === undefined) return [];
		return misfitOf(spec, value) !== undefined || (spec.choices.length > 0 && !isOffered(spec.choices, value)) ? [input] : [];
	});
}

function followed(id: string, was: ApiGraphNode, node: ApiGraphNode, definition: JsonRecord): ApiGraphNode {
	const isChanged = (input: string): boolean => was.inputs[input] !== node.inputs[input];
	const changed = Object.keys(node.inputs).filter(isChanged);
	if (changed.length === 0) return node;
	const asGiven = widgetsOf(drawn(id, node), definition);
	const choices = changed.filter((input) => asGiven.specs.get(input)?.type === DYNAMIC_CHOICE);
	if (choices.length === 0) return node;
	const isBehind = (input: string): boolean => choices.some((choice) => input.startsWith(`${choice}.`));
	const beginAnew = unfitIn(asGiven).filter((input) => isBehind(input) && !isChanged(input));
	const { hasInput, values } = beginAnew.length === 0 ? asGiven : widgetsOf(drawn(id, node, beginAnew), definition);
	const gone = changed.find((input) => isBehind(input) && !hasInput(input));
	if (gone !== undefined)
		throw new GraphError({
			fault: 'no_such_input',
			name: `${id}.${gone}`,
			near: [],
			known: [...values.keys()].map((input) => `${id}.${input}`),
		});
	const kept = Object.entries(node.inputs).filter(([input]) => !isBehind(input) || hasInput(input));
	const behind = [...values].filter(([input]) => isBehind(input) && linkOf(node.inputs[input]) === undefined && !isChanged(input));
	return {
		...node,
		inputs: {
			...Object.fromEntries(kept),
			...Object.fromEntries(behind.map(([input, value]) => [input, Array.isArray(value) ? { __value__: value } : value])),
		},
	};
}

/**
 * Where a choice was changed that decides which inputs stand behind it: those of the new choice. A
 * value that stood behind the earlier one stays where it fits, so that no prompt is lost; ComfyUI's editor empties it, in
 * front of whoever chooses.
 * @throws GraphError `no_such_input` for a value that was given to an input which the new choice does not have.
 */
export function followChoices(before: ApiGraph, after: ApiGraph, definitions: Definitions): ApiGraph {
	const changed = Object.entries(after).flatMap(([id, node]) => {
		const definition = definitionOf(definitions, node.class_type);
		const was = Object.hasOwn(before, id) ? before[id] : undefined;
		return definition === undefined || was === undefined || was === node ? [] : [[id, followed(id, was, node, definition)] as const];
	});
	return changed.length === 0 ? after : { ...after, ...Object.fromEntries(changed) };
}
