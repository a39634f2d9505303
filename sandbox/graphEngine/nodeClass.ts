/** What a node class is: its inputs, its outputs, and what it sees of a run. */
import type { EngineOutput, EngineRun, NodeEvent } from './types';
import type { Frame, Value, ValueType } from './values';

export type InputSpec = (
	| { type: 'INT' | 'FLOAT'; min: number | bigint; max: number | bigint }
	| { type: 'COMBO'; options: readonly string[]; isNamed?: boolean }
	| { type: Exclude<ValueType, 'INT' | 'FLOAT'> }
) & {
	/** More details in `object_info`, in addition to type, limits and options. */
	withDetails?: Readonly<Record<string, unknown>>;
};

export interface OutputName {
	name: string;
	subfolder: string;
}

/** The part of a run that its nodes can use. */
export interface NodeContext extends Pick<EngineRun, 'signal' | 'graph' | 'editorFile' | 'readInput' | 'behaviour'> {
	/** `<prefix>_00001_.<extension>`, counted within the run. A folder in the prefix becomes the subfolder. */
	nextName(prefix: string, extension: string): OutputName;
	write(output: Omit<EngineOutput, 'nodeId'>): Promise<void>;
	/** Reports an event, unless the run has been canceled. */
	emit(event: NodeEvent): void;
}

export interface NodeClass {
	required: Record<string, InputSpec>;
	optional?: Record<string, InputSpec>;
	outputs: ReadonlyArray<Value['type']>;
	/** Whether it is an output node. */
	isOutput?: boolean;
	/** Details in `object_info` that do not follow from the name. */
	shown?: { displayName?: string; category?: string; module?: string };
	execute(inputs: NodeInputs, context: NodeContext): Promise<Value[]> | Value[];
}

export const inputSpec = (nodeClass: NodeClass, name: string): InputSpec | undefined =>
	nodeClass.required[name] ?? nodeClass.optional?.[name];

export const integer = (min: number | bigint, max: number | bigint): InputSpec => ({ type: 'INT', min, max });
export const float = (min: number | bigint, max: number | bigint): InputSpec => ({ type: 'FLOAT', min, max });
export const combo = (...options: string[]): InputSpec => ({ type: 'COMBO', options });
/** A combo as newer classes write it in `object_info`: the type `COMBO`, with the options next to it. */
export const namedCombo = (...options: string[]): InputSpec => ({ type: 'COMBO', options, isNamed: true });
export const ofType = (type: Exclude<ValueType, 'INT' | 'FLOAT'>): InputSpec => ({ type });

export const shown = (spec: InputSpec, facts: Readonly<Record<string, unknown>>): InputSpec => ({ ...spec, withDetails: facts });

/** ComfyUI's largest image edge. */
export const MAX_RESOLUTION = 16_384;
export const edge = (min = 1): InputSpec => integer(min, MAX_RESOLUTION);
export const batchSize = integer(1, 4096);
/** ComfyUI's largest seed, which a double cannot represent. */
const LARGEST_SEED = 2n ** 64n - 1n;
export const seedRange = integer(0, LARGEST_SEED);

/** The resolved inputs of a node, read by name and type. A value of another type fails the node. */
export class NodeInputs {
	constructor(private readonly values: Record<string, Value>) {}

	has(name: string): boolean {
		return this.values[name] !== undefined;
	}

	any(name: string): Value {
		const value = this.values[name];
		if (!value) throw new NodeFailure('KeyError', `'${name}'`);
		return value;
	}

	frames(name: string): Frame[] {
		return this.of(name, 'IMAGE').frames;
	}

	firstFrame(name: string): Frame {
		const frame = this.frames(name)[0];
		if (!frame) throw new NodeFailure('IndexError', `'${name}' is an empty batch`);
		return frame;
	}

	text(name: string): string {
		return this.of(name, 'STRING').value;
	}

	number(name: string, fallback?: number): number {
		if (fallback !== undefined && !this.has(name)) return fallback;
		const value = this.any(name);
		if (value.type !== 'INT' && value.type !== 'FLOAT') throw wrongKind(name, value);
		return value.value;
	}

	of<Type extends Value['type']>(name: string, type: Type): Extract<Value, { type: Type }> {
		const value = this.any(name);
		if (!isOfType(value, type)) throw wrongKind(name, value);
		return value;
	}
}

const isOfType = <Type extends Value['type']>(value: Value, type: Type): value is Extract<Value, { type: Type }> => value.type === type;

const wrongKind = (name: string, value: Value): NodeFailure =>
	new NodeFailure('TypeError', `'${name}' received a value of type ${value.type}`);

/** The failure of a node, with the exception name that ComfyUI shows. */
export class NodeFailure extends Error {
	constructor(
		readonly exceptionType: string,
		message: string,
	) {
		super(message);
	}
}
