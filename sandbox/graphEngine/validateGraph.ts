/** Checks a graph before it runs, and describes its problems as ComfyUI does. */
import { isRecord } from '../json';
import { classOf, executionOrder, isLink, type LiteralProblem, outputNodeIds, readLiteral } from './readGraph';
import { inputSpec, type InputSpec, type NodeClass } from './nodeClass';
import type { ApiGraph, ApiGraphNode, GraphProblem, NodeProblem } from './types';

/** What ComfyUI refuses in this graph, with its messages; undefined if nothing. */
export function validateGraph(graph: unknown): GraphProblem | undefined {
	if (!isRecord(graph)) return wholeGraph('The workflow must be an object of nodes');
	if (Array.isArray(graph.nodes) && Array.isArray(graph.links)) {
		return { kind: 'ui_format', message: 'The workflow is in the editor format; send the API format', nodes: {} };
	}
	if (Object.keys(graph).length === 0) return wholeGraph('The workflow has no nodes');
	const problems = new ProblemList();
	if (!checkNodes(graph, problems)) return problems.report('Cannot execute the workflow: some nodes are unknown or malformed');
	if (outputNodeIds(graph).length === 0) return wholeGraph('Prompt has no outputs');
	const order = executionOrder(graph, (id, input) =>
		problems.add(graph, id, input, { type: 'dependency_cycle', reason: `Dependency cycle detected through input: ${input}` }),
	);
	for (const id of order) checkInputs(graph, id, problems);
	return problems.report('Prompt outputs failed validation');
}

const wholeGraph = (message: string): GraphProblem => ({ kind: 'invalid', message, nodes: {} });

class ProblemList {
	private readonly nodes: Record<string, NodeProblem[]> = {};

	add(graph: Record<string, unknown>, nodeId: string, field: string, problem: LiteralProblem): void {
		const node = graph[nodeId];
		const classType = isRecord(node) && typeof node.class_type === 'string' ? node.class_type : '';
		(this.nodes[nodeId] ??= []).push({ ...problem, field, class_type: classType });
	}

	report(message: string): GraphProblem | undefined {
		return Object.keys(this.nodes).length === 0 ? undefined : { kind: 'invalid', message, nodes: this.nodes };
	}
}

function checkNodes(graph: Record<string, unknown>, problems: ProblemList): graph is ApiGraph {
	let sound = true;
	for (const [id, node] of Object.entries(graph)) {
		const problem = nodeProblem(graph, id, node);
		if (!problem) continue;
		problems.add(graph, id, problem.field, problem);
		sound = false;
	}
	return sound;
}

function nodeProblem(graph: Record<string, unknown>, id: string, node: unknown): (LiteralProblem & { field: string }) | undefined {
	if (!isRecord(node)) return { field: 'class_type', type: 'invalid_prompt', reason: `Node #${id} is not an object` };
	if (typeof node.class_type !== 'string') {
		return { field: 'class_type', type: 'invalid_prompt', reason: `Cannot execute because node #${id} is missing the class_type property` };
	}
	if (!isRecord(node.inputs)) return { field: 'inputs', type: 'invalid_prompt', reason: `Node #${id} has no inputs object` };
	if (classOf(graph as ApiGraph, id)) return undefined;
	return { field: 'class_type', type: 'missing_node_type', reason: `Cannot execute because node ${node.class_type} does not exist` };
}

function checkInputs(graph: ApiGraph, id: string, problems: ProblemList): void {
	const node = graph[id] as ApiGraphNode;
	const nodeClass = classOf(graph, id) as NodeClass;
	for (const name of Object.keys(nodeClass.required)) {
		if (node.inputs[name] === undefined) {
			problems.add(graph, id, name, { type: 'required_input_missing', reason: `Required input is missing: ${name}` });
		}
	}
	for (const [name, value] of Object.entries(node.inputs)) {
		const spec = inputSpec(nodeClass, name);
		const problem =
			spec && value !== undefined && (Array.isArray(value) ? linkProblem(graph, name, value, spec) : literalProblem(name, value, spec));
		if (problem) problems.add(graph, id, name, problem);
	}
}

function literalProblem(name: string, value: unknown, spec: InputSpec): LiteralProblem | undefined {
	const read = readLiteral(spec, name, value);
	return 'problem' in read ? read.problem : undefined;
}

function linkProblem(graph: ApiGraph, name: string, link: unknown[], spec: InputSpec): LiteralProblem | undefined {
	if (!isLink(link))
		return { type: 'bad_linked_input', reason: `Bad linked input, must be a length-2 list of [node_id, slot_index]: ${name}` };
	const [from, slot] = link;
	const source = classOf(graph, from);
	if (!source) return { type: 'bad_linked_input', reason: `Bad linked input, node #${from} does not exist: ${name}` };
	const received = source.outputs[slot];
	if (received === undefined) return { type: 'bad_linked_input', reason: `Bad linked input, node #${from} has no output ${slot}: ${name}` };
	if (spec.type === '*' || received === spec.type) return undefined;
	return {
		type: 'return_type_mismatch',
		reason: `Return type mismatch between linked nodes: ${name}, received_type(${received}) mismatch input_type(${spec.type})`,
	};
}
