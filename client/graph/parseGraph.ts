import { isRecord, type JsonRecord, textOr } from '../decode';
import { GraphError } from '../errors';
import type { ApiGraph } from '../job';
import { parseExact } from '../json/exactJson';
import { findExpression } from './check/placeholders';

/** Whether a value is a workflow in the editor format, which has a list of nodes. The API format is a map of node ids. */
export const isEditorFormat = (value: unknown): value is JsonRecord => isRecord(value) && Array.isArray(value.nodes);

/** No workflow nests deeper. Above a few thousand levels, writing the value as JSON would fail. */
const DEEPEST = 400;

export function nestsTooDeep(value: unknown): boolean {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > DEEPEST) return true;
		level = level
			.filter((one) => typeof one === 'object' && one !== null)
			.flatMap((one) => Object.values(one as object) as unknown[])
			.filter((inner) => typeof inner === 'object' && inner !== null);
	}
	return false;
}

/** A workflow in either format. */
export type ParsedWorkflow = { format: 'api'; graph: ApiGraph } | { format: 'editor'; file: JsonRecord };

const notAGraph = (detail: string): GraphError => new GraphError({ fault: 'not_a_graph', detail });
const notJson = (error: unknown, text: string): GraphError =>
	new GraphError({ fault: 'not_json', detail: error instanceof Error ? error.message : String(error), expression: findExpression(text) });

/**
 * Reads a workflow from an object or its JSON text. It unwraps the body of a submission (`{"prompt": …}`) and the workflow of a job
 * (`{"workflow": …}`).
 * @throws GraphError `not_json` or `not_a_graph`.
 */
export function parseWorkflow(input: unknown): ParsedWorkflow {
	const value = typeof input === 'string' ? parseText(input) : input;
	// The conversion checks the nesting of the editor format itself.
	if (!isEditorFormat(value) && nestsTooDeep(value)) throw notAGraph('it has too many nested levels');
	return unwrapWorkflow(value);
}

function parseText(text: string): unknown {
	try {
		return parseExact(text.replace(/^\uFEFF/, ''));
	} catch (error) {
		throw notJson(error, text);
	}
}

function unwrapWorkflow(value: unknown): ParsedWorkflow {
	if (isEditorFormat(value)) return { format: 'editor', file: value };
	if (!isRecord(value)) throw notAGraph('it is not a JSON object');
	const wrapped = [value.prompt, value.workflow].find((inner) => isRecord(inner) && !('class_type' in inner));
	if (wrapped !== undefined && !('class_type' in value)) return unwrapWorkflow(wrapped);
	const nodes = Object.entries(value);
	if (nodes.length === 0) throw notAGraph('it contains no nodes');
	for (const [id, node] of nodes) {
		if (!isRecord(node) || typeof node.class_type !== 'string') throw notAGraph(`node ${id} has no class_type`);
		if (!isRecord(node.inputs)) throw notAGraph(`node ${id} has no inputs`);
	}
	return { format: 'api', graph: value as ApiGraph };
}

/**
 * Reads a graph in API format, as `parseWorkflow` does.
 * @throws GraphError also `ui_format`.
 */
export function parseGraph(input: unknown): ApiGraph {
	const parsed = parseWorkflow(input);
	if (parsed.format === 'editor') throw new GraphError({ fault: 'ui_format' });
	return parsed.graph;
}

/** @returns the title that the author gave to a node, in a workflow of either format. */
export function findNodeTitle(workflow: ApiGraph | Record<string, unknown>, nodeId: string): string | undefined {
	const node = workflow[nodeId];
	if (isRecord(node)) return isRecord(node._meta) ? textOr(node._meta.title, undefined) : undefined;
	const nodes: unknown[] = Array.isArray(workflow.nodes) ? workflow.nodes : [];
	return textOr(nodes.filter(isRecord).find(({ id }) => String(id) === nodeId)?.title, undefined);
}
