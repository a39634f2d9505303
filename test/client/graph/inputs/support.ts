import { type ApiGraph, type Definitions, type GraphInput, listInputs } from '../../../../client';
import * as graphs from '../../../support/graphs';

export const names = (inputs: GraphInput[]): string => inputs.map(({ name }) => name).join(' ');

export const kindsIn = (graph: ApiGraph, known?: Definitions): string =>
	listInputs(graph, known)
		.map(({ kind }) => kind)
		.join(' ');

/** A graph of one node. */
export const oneNode = (className: string, inputs: Record<string, unknown>): ApiGraph => ({
	'1': graphs.node(className, undefined, inputs),
});

/** The definition of one required input. */
export const defining = (className: string, input: string, entry: unknown): Definitions => ({
	[className]: { input: { required: { [input]: entry } } },
});

export const input = (graph: ApiGraph, name: string, known: Definitions = graphs.definitions): GraphInput =>
	listInputs(graph, known).find((one) => one.name === name) as GraphInput;
