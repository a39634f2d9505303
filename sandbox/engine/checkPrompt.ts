/** Checks a prompt as an engine does: output by output. Valid outputs can run although others are not valid. */
import { executionOrder, outputNodeIds } from '../graphEngine/readGraph';
import { nodeDefinition } from '../graphEngine/nodeClasses';
import type { ApiGraph, NodeProblem } from '../graphEngine/types';
import { validateGraph } from '../graphEngine/validateGraph';
import { type EngineErrorBody, EngineFault } from './answers';
import { isRecord } from '../json';
import type { Service } from '../service/service';
import type { EngineFiles } from './files';

interface NodeErrors {
	errors: Array<Record<string, unknown>>;
	dependent_outputs: string[];
	class_type: string;
}

/** No output of the prompt can be executed. */
export class PromptRefusal extends Error {
	constructor(readonly answer: EngineErrorBody) {
		super(answer.error.message);
	}
}

/**
 * @param wanted the output nodes to execute, if the prompt names them.
 * @returns the graph, the output nodes that can be executed, and the errors of the others.
 * @throws PromptRefusal, or EngineFault if the engine fails without details.
 */
export function checkPrompt(service: Service, files: EngineFiles, prompt: unknown, wanted?: readonly string[]) {
	const graph = checkClasses(prompt, service);
	const outputs = outputNodeIds(graph).filter((id) => wanted?.includes(id) ?? true);
	if (outputs.length === 0) throw refusal('prompt_no_outputs', 'Prompt has no outputs', '');
	const problems = { ...validateGraph(graph)?.nodes };
	const isThere = (value: unknown): boolean => typeof value !== 'string' || files.loadable(value) !== undefined;
	addMissingFiles(problems, graph, isThere);
	const targets = soundOutputs(graph, problems, outputs);
	const nodeErrors = nodeErrorsOf(graph, problems, outputs, files.inputNames);
	if (targets.length > 0) return { graph, targets, nodeErrors };
	const details = outputs.flatMap((id) => (problems[id] ?? []).map(({ reason }) => reason)).join('\n');
	throw refusal('prompt_outputs_failed_validation', 'Prompt outputs failed validation', details, {}, nodeErrors);
}

type Problems = Readonly<Record<string, NodeProblem[]>>;

const faultyNodes = (graph: ApiGraph, problems: Problems, output: string): string[] =>
	executionOrder(graph, undefined, [output]).filter((id) => problems[id] !== undefined);

/** The output nodes that need no node with a problem. */
export const soundOutputs = (graph: ApiGraph, problems: Problems, outputs = outputNodeIds(graph)): string[] =>
	outputs.filter((output) => faultyNodes(graph, problems, output).length === 0);

/** `node_errors` as engines write them, with the outputs that need each node. @param inputNames the choices of file inputs. */
export function nodeErrorsOf(
	graph: ApiGraph,
	problems: Problems,
	outputs = outputNodeIds(graph),
	inputNames: readonly string[] = [],
): Record<string, NodeErrors> {
	const errors: Record<string, NodeErrors> = {};
	for (const output of outputs) {
		for (const id of faultyNodes(graph, problems, output))
			(errors[id] ??= describeProblems(problems[id] ?? [], graph[id]?.inputs ?? {}, inputNames)).dependent_outputs.push(output);
	}
	return errors;
}

/** Reports only the first invalid node. @throws PromptRefusal, or EngineFault. */
export function checkClasses(prompt: unknown, { behaviour }: Pick<Service, 'behaviour'>): ApiGraph {
	if (!isRecord(prompt)) throw new EngineFault();
	const newer = behaviour.engineMissingNode === 'missing_node_type';
	for (const [id, node] of Object.entries(prompt)) {
		// The editor format begins with numbers. The engine fails when it looks for fields in them.
		if (typeof node !== 'object' && typeof node !== 'string') throw new EngineFault();
		const classType = isRecord(node) ? node.class_type : undefined;
		const details = `Node ID '#${id}'`;
		if (classType === undefined) {
			if (!newer) throw refusal('invalid_prompt', 'Cannot execute because a node is missing the class_type property.', details);
			const message = `Node '${titleOf(node) ?? `ID #${id}`}' has no class_type. The workflow may be corrupted or a custom node is missing.`;
			throw refusal('missing_node_type', message, details, { node_id: id, class_type: null, node_title: titleOf(node) ?? null });
		}
		if (typeof classType === 'string' && nodeDefinition(classType, []) !== undefined) continue;
		if (!newer) throw refusal('invalid_prompt', `Cannot execute because node ${String(classType)} does not exist.`, details);
		const title = titleOf(node) ?? String(classType);
		throw refusal('missing_node_type', `Node '${title}' not found. The custom node may not be installed.`, details, {
			node_id: id,
			class_type: classType,
			node_title: title,
		});
	}
	return prompt as ApiGraph;
}

function titleOf(node: unknown): string | undefined {
	const meta = isRecord(node) ? node._meta : undefined;
	return isRecord(meta) && typeof meta.title === 'string' ? meta.title : undefined;
}

/** Adds a problem for each loader node whose file does not exist. Engines check this before they run. */
export function addMissingFiles(problems: Record<string, NodeProblem[]>, graph: ApiGraph, isThere: (value: unknown) => boolean): void {
	for (const [id, { class_type: classType, inputs }] of Object.entries(graph)) {
		for (const [field, [, shown]] of Object.entries(nodeDefinition(classType, [])?.input.required ?? {})) {
			const value = isRecord(inputs) ? inputs[field] : undefined;
			if (shown?.image_upload !== true || value === undefined || Array.isArray(value) || isThere(value)) continue;
			const reason = `Custom validation failed for node: ${field} - Invalid image file: ${String(value)}`;
			problems[id] = [...(problems[id] ?? []), { type: 'custom_validation_failed', field, reason, class_type: classType }];
		}
	}
}

/** Problems of values in the graph, in contrast to links. */
const VALUE_PROBLEMS = ['invalid_input_type', 'value_smaller_than_min', 'value_bigger_than_max', 'value_not_in_list'];

export function describeProblems(
	problems: readonly NodeProblem[],
	inputs: Record<string, unknown> = {},
	inputNames: readonly string[] = [],
): NodeErrors {
	const errors = problems.map(({ type, field, reason, class_type: classType }) => {
		const more = VALUE_PROBLEMS.includes(type)
			? { input_config: configOf(classType, field, inputNames), received_value: inputs[field] }
			: {};
		const cut = reason.indexOf(': ');
		const [message, details] = cut < 0 ? [reason, field] : [reason.slice(0, cut), reason.slice(cut + 2)];
		return { type, message, details, extra_info: { input_name: field, ...more } };
	});
	return { errors, dependent_outputs: [], class_type: problems[0]?.class_type ?? '' };
}

const MOST_OPTIONS_SHOWN = 20;

/** The definition of the input; null for a long list of options. */
function configOf(classType: string, field: string, inputNames: readonly string[]): unknown {
	const { required, optional } = nodeDefinition(classType, inputNames)?.input ?? {};
	const config = required?.[field] ?? optional?.[field] ?? null;
	return Array.isArray(config?.[0]) && config[0].length > MOST_OPTIONS_SHOWN ? null : config;
}

const refusal = (
	type: string,
	message: string,
	details: string,
	extraInfo: Record<string, unknown> = {},
	nodeErrors: Record<string, unknown> = {},
): PromptRefusal => new PromptRefusal({ error: { type, message, details, extra_info: extraInfo }, node_errors: nodeErrors });
