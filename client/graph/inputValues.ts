import { isRecord } from '../json/decode';
import { GraphError } from '../errors/errors';
import type { ApiGraph, ApiGraphNode } from '../ports/job';
import { parseExact } from '../json/exactJson';
import { findExpression } from './check/placeholders';
import { nestsTooDeep } from './parseGraph';

/** Node id or title → input name → value. */
export type InputValues = Record<string, Record<string, unknown>>;

const badValues = (detail: string, more: { isUnreadable?: true; expression?: string } = {}): GraphError =>
	new GraphError({ fault: 'bad_values', detail, ...more });

/**
 * Reads input values from an object or its JSON text. Nothing and an empty text mean no values.
 * @throws GraphError `bad_values` if the input is not `{"<node>": {"<input>": value}}`.
 */
export function parseInputValues(input: unknown): InputValues {
	const value = typeof input === 'string' ? parseText(input) : (input ?? {});
	if (!isRecord(value)) throw badValues('it is not a JSON object');
	if (nestsTooDeep(value)) throw badValues('it has too many nested levels');
	for (const [node, inputs] of Object.entries(value)) {
		if (!isRecord(inputs)) throw badValues(`the value for node "${node}" is not an object of inputs`);
	}
	return value as InputValues;
}

function parseText(text: string): unknown {
	if (text.trim() === '') return {};
	try {
		return parseExact(text);
	} catch (error) {
		throw badValues(error instanceof Error ? error.message : String(error), { isUnreadable: true, expression: findExpression(text) });
	}
}

const enteredTitle = (node: ApiGraphNode | undefined): string | undefined => node?._meta?.title;

/** @returns the ids of the nodes with this id or title. An id takes precedence, so a node titled "7" cannot hide node 7. */
export const findNodesNamed = (graph: ApiGraph, name: string): string[] =>
	Object.hasOwn(graph, name) ? [name] : Object.keys(graph).filter((id) => enteredTitle(graph[id]) === name);

function findNode(graph: ApiGraph, name: string): string {
	const ids = findNodesNamed(graph, name);
	if (ids.length > 1) throw new GraphError({ fault: 'ambiguous_title', node: name, ids });
	if (ids[0] !== undefined) return ids[0];
	const known = Object.entries(graph).map(([id, node]) => `${id} (${enteredTitle(node) ?? node.class_type})`);
	throw new GraphError({ fault: 'unknown_node', node: name, known });
}

/**
 * @returns a copy of the graph with these values. The graph itself does not change.
 * @throws GraphError `unknown_node`, `ambiguous_title` or `unknown_input`. Without these errors, a misspelled name would run, and
 * bill, the workflow with its old value.
 */
export function applyInputs(graph: ApiGraph, values: InputValues): ApiGraph {
	const changed: ApiGraph = { ...graph };
	for (const [name, inputs] of Object.entries(values)) {
		const id = findNode(graph, name);
		const node = changed[id] as ApiGraphNode;
		const unknown = Object.keys(inputs).find((input) => !Object.hasOwn(node.inputs, input));
		if (unknown !== undefined)
			throw new GraphError({ fault: 'unknown_input', node: name, input: unknown, known: Object.keys(node.inputs) });
		changed[id] = { ...node, inputs: { ...node.inputs, ...inputs } };
	}
	return changed;
}
