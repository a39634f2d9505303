import type { ApiGraph } from '../../ports/job';
import { applyInputs, type InputValues } from '../inputValues';
import { type Definitions, findInputDefinition, findOffered } from './definitions';
import { listLiterals, type Literal } from './graphNodes';

/** A name with a folder. */
const isPath = ({ value }: Literal): boolean => typeof value === 'string' && /\.\w{1,12}$/.test(value) && /[/\\]/.test(value);

/** @returns the classes whose definitions `useServerSpelling` needs. */
export const listClassesWithPaths = (graph: ApiGraph): string[] => [
	...new Set(
		listLiterals(graph)
			.filter(isPath)
			.map(({ node }) => node.class_type),
	),
];

/** Workflows from Windows have `sub\lora.safetensors`. @returns the graph with each path as the server offers it. */
export function useServerSpelling(graph: ApiGraph, definitions: Definitions): ApiGraph {
	const values: InputValues = {};
	for (const literal of listLiterals(graph).filter(isPath)) {
		const { nodeId, node, input, value } = literal;
		const definition = findInputDefinition(definitions, node, input);
		const offered = definition?.type === 'COMBO' ? findOffered(definition.choices, value) : undefined;
		if (offered !== undefined && offered !== value) values[nodeId] = { ...values[nodeId], [input]: offered };
	}
	return applyInputs(graph, values);
}
