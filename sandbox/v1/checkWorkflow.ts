/** Checks a submitted workflow as the engine does, and refuses in its words. */
import type { ApiGraph, GraphProblem } from '../graphEngine/types';
import { engineNodeErrors } from '../service/engineNodeErrors';
import type { Service } from '../service/service';
import { WorkflowRefusal } from './refusals';

/** Problems of these types are told of the first node alone, with no `node_errors`. */
const BEFORE_VALIDATION = ['missing_node_type', 'invalid_prompt'];

/** @throws WorkflowRefusal. */
export function checkWorkflow({ engine }: Service, workflow: unknown): ApiGraph {
	const problem = engine.validate(workflow);
	if (problem === undefined) return workflow as ApiGraph;
	const nodeErrors = engineNodeErrors(problem, workflow);
	const [nodeId, first] = Object.entries(problem.nodes)[0] ?? [];
	const early = first?.find(({ type }) => BEFORE_VALIDATION.includes(type));
	if (nodeId !== undefined && early !== undefined) {
		const error = {
			type: early.type,
			message: early.reason,
			details: `Node ID '#${nodeId}'`,
			extra_info: { node_id: nodeId, class_type: early.class_type },
		};
		throw new WorkflowRefusal({ error, node_errors: {} }, nodeErrors);
	}
	const error = { type: typeOf(problem), message: problem.message, details: detailsOf(problem), extra_info: {} };
	throw new WorkflowRefusal({ error, node_errors: nodeErrors }, nodeErrors);
}

function typeOf({ nodes, message }: GraphProblem): string {
	if (Object.keys(nodes).length > 0) return 'prompt_outputs_failed_validation';
	return message === 'Prompt has no outputs' ? 'prompt_no_outputs' : 'invalid_prompt';
}

const detailsOf = ({ nodes }: GraphProblem): string =>
	Object.entries(nodes)
		.map(([nodeId, found]) => `* ${found[0]?.class_type ?? ''} ${nodeId}:\n${found.map(({ reason }) => `  - ${reason}`).join('\n')}`)
		.join('\n');
