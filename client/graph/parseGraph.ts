import { GraphError } from '../errors';
import type { ApiGraph } from '../job';
import { parseExact } from '../json/exactJson';
import { isRecord, type JsonRecord } from '../decode';
import { nestsTooDeep } from './nesting';

/** The editor saves a list of nodes; an API export is a map of node ids. */
export const isUiFormat = (value: unknown): value is JsonRecord => isRecord(value) && Array.isArray(value.nodes);

const notJson = (error: unknown) => new GraphError({ fault: 'not_json', detail: error instanceof Error ? error.message : String(error) });

function fromText(text: string): unknown {
	try {
		return parseExact(text.replace(/^\uFEFF/, ''));
	} catch (error) {
		throw notJson(error);
	}
}

function checkNode(id: string, node: unknown): void {
	if (!isRecord(node) || typeof node.class_type !== 'string') {
		throw new GraphError({ fault: 'not_a_graph', detail: `node ${id} has no class_type` });
	}
	if (!isRecord(node.inputs)) throw new GraphError({ fault: 'not_a_graph', detail: `node ${id} has no inputs` });
}

/** A workflow in either format. */
export type ParsedWorkflow = { format: 'api'; graph: ApiGraph } | { format: 'editor'; file: JsonRecord };

/**
 * From an object or its JSON text. A submission body or a job's workflow answer pasted whole (`{"prompt": …}`,
 * `{"workflow": …}`) is unwrapped.
 * @throws GraphError `not_json` or `not_a_graph`.
 */
export function parseWorkflow(input: unknown): ParsedWorkflow {
	const value = typeof input === 'string' ? fromText(input) : input;
	// Whoever reads the editor's format looks at it himself.
	if (!isUiFormat(value) && nestsTooDeep(value)) throw new GraphError({ fault: 'not_a_graph', detail: 'it nests too deep' });
	return unwrapped(value);
}

function unwrapped(value: unknown): ParsedWorkflow {
	if (isUiFormat(value)) return { format: 'editor', file: value };
	if (!isRecord(value)) throw new GraphError({ fault: 'not_a_graph', detail: 'it is not a JSON object' });
	const wrapped = [value.prompt, value.workflow].find((inner) => isRecord(inner) && !('class_type' in inner));
	if (wrapped !== undefined && !('class_type' in value)) return unwrapped(wrapped);
	const nodes = Object.entries(value);
	if (nodes.length === 0) throw new GraphError({ fault: 'not_a_graph', detail: 'it holds no nodes' });
	for (const [id, node] of nodes) checkNode(id, node);
	return { format: 'api', graph: value as ApiGraph };
}

/**
 * A graph in API format, as `parseWorkflow` reads it.
 * @throws GraphError also `ui_format`.
 */
export function parseGraph(input: unknown): ApiGraph {
	const parsed = parseWorkflow(input);
	if (parsed.format === 'editor') throw new GraphError({ fault: 'ui_format' });
	return parsed.graph;
}
