import type { JsonRecord } from '../../decode';
import type { EditorInput, EditorNode } from './model';
import { specsOfClass, widgetsFor } from './widgets';

/** Sockets of a node as the frontend has them after loading: those of its class first, then what else the file has. */
export interface NodeSockets {
	inputs: EditorInput[];
	outputTypes: string[];
}

interface DefinedInput {
	name: string;
	type: string;
	isWidget: boolean;
}

const typeOf = (declared: unknown): string => (Array.isArray(declared) ? 'COMBO' : String(declared));

const DEFINED = new WeakMap<JsonRecord, DefinedInput[]>();

function definedInputs(className: string, definition: JsonRecord): DefinedInput[] {
	const known = DEFINED.get(definition) ?? readInputs(className, definition);
	DEFINED.set(definition, known);
	return known;
}

/** Sockets without a widget come first. */
function readInputs(className: string, definition: JsonRecord): DefinedInput[] {
	const all = specsOfClass(className, definition).map((spec) => ({
		name: spec.name,
		type: spec.type,
		isWidget: widgetsFor(spec).length > 0,
	}));
	return [...all.filter(({ isWidget }) => !isWidget), ...all.filter(({ isWidget }) => isWidget)];
}

function withLinkOf(saved: Map<string, EditorInput>, { name, type, isWidget }: DefinedInput): EditorInput {
	const linkId = saved.get(name)?.linkId;
	return { name, type, ...(linkId === undefined ? {} : { linkId }), ...(isWidget ? { widgetName: name } : {}) };
}

const outputTypesOf = ({ output }: JsonRecord): string[] => (Array.isArray(output) ? (output as unknown[]).map(typeOf) : []);

/**
 * @param definition what the server says of its class; undefined where it does not know it.
 * @param hasWidget whether the node has a widget of that name, behind a choice as well: the frontend removes sockets of
 * widgets that are gone.
 */
export function slotsOf(node: EditorNode, definition: JsonRecord | undefined, hasWidget: (name: string) => boolean): NodeSockets {
	const saved = node.outputs.map(({ type }) => type);
	if (definition === undefined) return { inputs: node.inputs, outputTypes: saved };
	const defined = definedInputs(node.className, definition);
	const names = new Set(defined.map(({ name }) => name));
	const byName = new Map(node.inputs.map((input) => [input.name, input]));
	const others = node.inputs.filter(({ name, widgetName }) => !names.has(name) && (widgetName === undefined || hasWidget(widgetName)));
	const types = outputTypesOf(definition);
	return {
		inputs: [...defined.map((input) => withLinkOf(byName, input)), ...others],
		outputTypes: [...types, ...saved.slice(types.length)],
	};
}
