import type { NodeInputs } from './nodeInputs';
import type { EngineOutput, PreviewType } from './types';
import type { Value, ValueType } from './values';

export type InputSpec =
	| { type: 'INT' | 'FLOAT'; min: number; max: number }
	| { type: 'COMBO'; options: readonly string[] }
	| { type: Exclude<ValueType, 'INT' | 'FLOAT'> };

export interface OutputName {
	name: string;
	subfolder: string;
}

/** What a node sees of the run it belongs to. */
export interface NodeContext {
	signal: AbortSignal;
	readInput(reference: unknown): Promise<Buffer>;
	/** `<prefix>_00001_.<extension>`, counted up within the run; a folder in the prefix stands apart from the name. */
	nextName(prefix: string, extension: string): OutputName;
	write(output: Omit<EngineOutput, 'nodeId'>): Promise<void>;
	progress(value: number, max: number): void;
	/** As what previews are wanted. */
	previewType: PreviewType;
	preview(contentType: PreviewType, data: Buffer): void;
	/** Progress in words. */
	say(text: string): void;
}

export interface NodeClass {
	required: Record<string, InputSpec>;
	optional?: Record<string, InputSpec>;
	outputs: ReadonlyArray<Value['type']>;
	/** Graphs are executed for the sake of these. */
	isOutput?: boolean;
	execute(inputs: NodeInputs, context: NodeContext): Promise<Value[]> | Value[];
}

export const inputSpec = (nodeClass: NodeClass, name: string): InputSpec | undefined => nodeClass.required[name] ?? nodeClass.optional?.[name];

/** A node's own failure, with the exception name that a graph's author would see. */
export class NodeFailure extends Error {
	constructor(
		readonly exceptionType: string,
		message: string,
	) {
		super(message);
	}
}

export const integer = (min: number, max: number): InputSpec => ({ type: 'INT', min, max });
export const float = (min: number, max: number): InputSpec => ({ type: 'FLOAT', min, max });
export const combo = (...options: string[]): InputSpec => ({ type: 'COMBO', options });
export const of = (type: Exclude<ValueType, 'INT' | 'FLOAT'>): InputSpec => ({ type });

/** ComfyUI's largest image edge. */
export const MAX_RESOLUTION = 16_384;
export const edge = (min = 1): InputSpec => integer(min, MAX_RESOLUTION);
export const batchSize = integer(1, 4096);
/** ComfyUI's largest seed, as near as a double comes. */
export const LARGEST_SEED = 2 ** 64 - 1;
export const seed = integer(0, LARGEST_SEED);
