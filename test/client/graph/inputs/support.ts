import { type ApiGraph, type Definitions, type GraphInput } from '../../../../client';
import { node } from '../../../support/graphs';
import { recordingOf } from '../convert/support/recordings';

export const names = (inputs: GraphInput[]): string => inputs.map(({ name }) => name).join(' ');

/** A graph of one node. */
export const oneNode = (className: string, inputs: Record<string, unknown>): ApiGraph => ({ '1': node(className, undefined, inputs) });

/** The definition of one required input. */
export const defining = (className: string, input: string, entry: unknown): Definitions => ({
	[className]: { input: { required: { [input]: entry } } },
});

/** What ComfyUI's own frontend exports for a recorded workflow. */
export const exported = (name: string): ApiGraph => recordingOf(name)?.output as ApiGraph;
