import type { JsonRecord } from '../../json/decode';
import { GraphError } from '../../errors/errors';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { type Definitions, DYNAMIC_CHOICE, findDefinition, isOffered } from '../inputs/definitions';
import { parseLink, unwrapValue } from '../inputs/graphNodes';
import type { EditorNode } from './editorGraph';
import { findMismatch } from './valueTypes';
import { type NodeWidgets, readWidgets } from './widgets/readWidgets';

/**
 * After a change of a dynamic choice, gives the node the inputs of the new option. A value of the earlier option stays if it fits,
 * so that no prompt is lost. ComfyUI's editor empties it, but there the user sees it.
 * @throws GraphError `no_such_input` for a value that was set at an input which the new option does not have.
 */
export function followChoices(before: ApiGraph, after: ApiGraph, definitions: Definitions): ApiGraph {
	const changed = Object.entries(after).flatMap(([id, node]) => {
		const definition = findDefinition(definitions, node.class_type);
		const earlier = Object.hasOwn(before, id) ? before[id] : undefined;
		return definition === undefined || earlier === undefined || earlier === node
			? []
			: [[id, followNodeChoices(id, earlier, node, definition)] as const];
	});
	return changed.length === 0 ? after : { ...after, ...Object.fromEntries(changed) };
}

function followNodeChoices(id: string, earlier: ApiGraphNode, node: ApiGraphNode, definition: JsonRecord): ApiGraphNode {
	const isChanged = (input: string): boolean => earlier.inputs[input] !== node.inputs[input];
	const changed = Object.keys(node.inputs).filter(isChanged);
	if (changed.length === 0) return node;
	const widgets = readWidgets(toEditorNode(id, node), definition);
	const changedChoices = changed.filter((input) => widgets.specs.get(input)?.type === DYNAMIC_CHOICE);
	if (changedChoices.length === 0) return node;
	const dependsOnChange = (input: string): boolean => changedChoices.some((choice) => input.startsWith(`${choice}.`));
	const unfit = findUnfitInputs(widgets).filter((input) => dependsOnChange(input) && !isChanged(input));
	const { hasInput, values } = unfit.length === 0 ? widgets : readWidgets(toEditorNode(id, node, unfit), definition);
	const missing = changed.find((input) => dependsOnChange(input) && !hasInput(input));
	if (missing !== undefined) {
		const known = [...values.keys()].map((input) => `${id}.${input}`);
		throw new GraphError({ fault: 'no_such_input', name: `${id}.${missing}`, near: [], known });
	}
	const kept = Object.entries(node.inputs).filter(([input]) => !dependsOnChange(input) || hasInput(input));
	const added = [...values].filter(([input]) => dependsOnChange(input) && parseLink(node.inputs[input]) === undefined && !isChanged(input));
	const wrapped = added.map(([input, value]) => [input, Array.isArray(value) ? { __value__: value } : value] as const);
	return { ...node, inputs: { ...Object.fromEntries(kept), ...Object.fromEntries(wrapped) } };
}

/** @returns the node as a file of the editor would have it, with its values by name. */
function toEditorNode(id: string, { class_type: className, inputs }: ApiGraphNode, without: string[] = []): EditorNode {
	const literals = Object.entries(inputs).filter(([name, value]) => parseLink(value) === undefined && !without.includes(name));
	return {
		id,
		className,
		mode: 0,
		inputs: [],
		outputs: [],
		values: undefined,
		overrides: new Map(literals.map(([name, value]) => [name, { value: unwrapValue(value) }])),
		properties: {},
	};
}

/** @returns the inputs whose values do not fit the new option. */
function findUnfitInputs({ specs, values }: NodeWidgets): string[] {
	return [...values].flatMap(([input, value]) => {
		const spec = specs.get(input);
		if (spec === undefined) return [];
		const isUnfit = findMismatch(spec, value) !== undefined || (spec.choices.length > 0 && !isOffered(spec.choices, value));
		return isUnfit ? [input] : [];
	});
}
