import { GraphError } from '../errors';
import type { ApiGraph } from '../job';
import { parseExact } from '../json/exactJson';
import { isRecord } from '../records';

/** The editor saves `nodes` and `links` arrays; an API export is a map of node ids. */
export const isUiFormat = (value: unknown): boolean =>
	isRecord(value) && Array.isArray(value.nodes) && Array.isArray(value.links);

const notJson = (error: unknown) =>
	new GraphError({ fault: 'not_json', detail: error instanceof Error ? error.message : String(error) });

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

/**
 * A graph in API format from an object or its JSON text. A submission body or a job's workflow answer pasted whole
 * (`{"prompt": …}`, `{"workflow": …}`) is unwrapped.
 * @throws GraphError `not_json`, `ui_format` or `not_a_graph`.
 */
export function parseGraph(input: unknown): ApiGraph {
	const value = typeof input === 'string' ? fromText(input) : input;
	if (isUiFormat(value)) throw new GraphError({ fault: 'ui_format' });
	if (!isRecord(value)) throw new GraphError({ fault: 'not_a_graph', detail: 'it is not a JSON object' });
	const wrapped = [value.prompt, value.workflow].find((inner) => isRecord(inner) && !('class_type' in inner));
	if (wrapped !== undefined && !('class_type' in value)) return parseGraph(wrapped);
	const nodes = Object.entries(value);
	if (nodes.length === 0) throw new GraphError({ fault: 'not_a_graph', detail: 'it holds no nodes' });
	for (const [id, node] of nodes) checkNode(id, node);
	return value as ApiGraph;
}
