import { isRecord, type JsonRecord, textOr } from '../json/decode';
import { GraphError } from '../errors/errors';
import type { ApiGraph } from '../ports/job';
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
 * Reads a workflow from an object or its JSON text, as it is or wrapped (see `findWrapped`).
 * @throws GraphError `not_json` or `not_a_graph`.
 */
export function parseWorkflow(input: unknown): ParsedWorkflow {
	const value = unwrapWorkflow(input);
	if (isEditorFormat(value)) return { format: 'editor', file: value };
	return { format: 'api', graph: checkGraph(value) };
}

function parseText(text: string): unknown {
	try {
		return parseExact(text);
	} catch (error) {
		throw notJson(error, text);
	}
}

const FENCE = '```';
const STARTS_JSON = /^\s*[{["]/;
/** A prompt may begin with braces as well (`{red|blue} fox`), or with quotes. */
const STARTS_WORKFLOW = /^\s*(?:"\s*)?[{[]\s*\\?["{[]/;

/** Chat programs put a code fence around JSON, and sentences around the fence. */
function withoutFence(text: string): string {
	const bare = text.replace(/^\uFEFF/, '');
	const start = STARTS_JSON.test(bare) ? -1 : bare.indexOf(FENCE);
	const line = bare.indexOf('\n', start);
	const end = bare.indexOf(FENCE, line);
	return start < 0 || line < 0 || end < 0 ? bare : bare.slice(line, end);
}

/** More wrappers than any program uses. */
const MOST_WRAPPERS = 8;

function unwrapWorkflow(input: unknown): unknown {
	let value = input;
	for (let wrappers = 0; wrappers <= MOST_WRAPPERS; wrappers++) {
		if (typeof value === 'string') value = parseText(withoutFence(value));
		// The conversion checks the nesting of the editor format itself.
		if (!isEditorFormat(value) && nestsTooDeep(value)) throw notAGraph('it has too many nested levels');
		const inner = findWrapped(value);
		if (inner === undefined) return value;
		value = inner;
	}
	throw notAGraph('it is wrapped too many times');
}

/** The body of a submission has `prompt`, that of RunPod `input`, a job `workflow`, and the editor's own object `output`. */
const WRAPPERS = ['prompt', 'output', 'workflow', 'input'];

const holdsWorkflow = (inner: unknown): boolean =>
	isRecord(inner) ? !('class_type' in inner) : typeof inner === 'string' && STARTS_WORKFLOW.test(withoutFence(inner));

/** @returns the value inside a wrapper: JSON text, a list of one, or an object with one of the names above. */
function findWrapped(value: unknown): unknown {
	if (typeof value === 'string') return holdsWorkflow(value) ? value : undefined;
	if (Array.isArray(value)) return value.length === 1 ? (value as unknown[])[0] : undefined;
	if (!isRecord(value) || isEditorFormat(value) || 'class_type' in value) return undefined;
	const inner = WRAPPERS.map((name) => value[name]).filter(holdsWorkflow);
	return inner.find(isRecord) ?? inner[0];
}

function checkGraph(value: unknown): ApiGraph {
	if (!isRecord(value)) throw notAGraph('it is not a JSON object');
	const nodes = Object.entries(value);
	if (nodes.length === 0) throw notAGraph('it contains no nodes');
	for (const [id, node] of nodes) {
		if (!isRecord(node) || typeof node.class_type !== 'string') throw notAGraph(`node ${id} has no class_type`);
		if (!isRecord(node.inputs)) throw notAGraph(`node ${id} has no inputs`);
	}
	return value as ApiGraph;
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
