import { NodeFailure } from './nodeFailure';
import type { Audio, Frame, Latent, Value } from './values';

/** A node's resolved inputs, read by name and kind; a value of another kind is the node's failure. */
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

	mask(name: string): Frame {
		return this.of(name, 'MASK').mask;
	}

	latent(name: string): Latent {
		return this.of(name, 'LATENT').latent;
	}

	audio(name: string): Audio {
		return this.of(name, 'AUDIO').audio;
	}

	text(name: string, fallback?: string): string {
		return fallback !== undefined && !this.has(name) ? fallback : this.of(name, 'STRING').value;
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
