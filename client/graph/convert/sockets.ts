import { isRecord, type JsonRecord, listOf } from '../../json/decode';
import { GROWING } from '../inputs/definitions';
import type { EditorInput, EditorNode } from './editorGraph';
import { type InputSpec, listInputSpecs, MATCHING, readAllowedTypes, readSpecs } from './widgets/inputSpecs';
import type { NodeWidgets } from './widgets/readWidgets';
import { makeWidgets } from './widgets/widgetTypes';

/** The sockets of a node after the frontend has loaded it: first those of its class, then further ones in the file. */
export interface NodeSockets {
	inputs: EditorInput[];
	outputTypes: string[];
}

interface DefinedInput {
	name: string;
	type: string;
	isWidget: boolean;
}

const definedInputs = new WeakMap<JsonRecord, DefinedInput[]>();

/** `isWidget`: whether the editor itself makes a widget of the input. */
function listDefinedInputs(className: string, definition: JsonRecord): DefinedInput[] {
	const known = definedInputs.get(definition);
	if (known !== undefined) return known;
	const inputs = listInputSpecs(className, definition).map((spec) => ({
		name: spec.name,
		type: spec.type,
		isWidget: makeWidgets(spec).length > 0,
	}));
	definedInputs.set(definition, inputs);
	return inputs;
}

/** Inputs without a widget come first. */
const sortInputs = (inputs: DefinedInput[]): DefinedInput[] => [
	...inputs.filter(({ isWidget }) => !isWidget),
	...inputs.filter(({ isWidget }) => isWidget),
];

/**
 * Reads the sockets of a node.
 * @param definition of its class; undefined if the server does not have the class.
 * @param widgets of the node. The frontend removes the sockets of other widgets.
 */
export function readSockets(node: EditorNode, definition: JsonRecord | undefined, widgets: NodeWidgets | undefined): NodeSockets {
	const savedTypes = node.outputs.map(({ type }) => type);
	if (definition === undefined) return { inputs: node.inputs, outputTypes: savedTypes };
	const defined = sortInputs(
		listDefinedInputs(node.className, definition).map((input) => ({
			...input,
			isWidget: input.isWidget || widgets?.specs.get(input.name)?.hasScriptWidget === true,
		})),
	);
	const definedNames = new Set(defined.map(({ name }) => name));
	const saved = new Map(node.inputs.map((input) => [input.name, input]));
	const others = node.inputs.filter(
		({ name, widgetName }) => !definedNames.has(name) && (widgetName === undefined || widgets?.allValues.has(widgetName) === true),
	);
	const definedTypes = Array.isArray(definition.output) ? (definition.output as unknown[]).map(readOutputType) : [];
	return {
		inputs: [...defined.map((input) => toSocket(input, saved.get(input.name)?.linkId)), ...others],
		outputTypes: [...definedTypes, ...savedTypes.slice(definedTypes.length)],
	};
}

const readOutputType = (type: unknown): string => (Array.isArray(type) ? 'COMBO' : String(type));

const toSocket = ({ name, type, isWidget }: DefinedInput, linkId: string | undefined): EditorInput => ({
	name,
	type,
	...(linkId === undefined ? {} : { linkId }),
	...(isWidget ? { widgetName: name } : {}),
});

/** Inputs and outputs with the same template have the type of what is linked to any of these inputs. */
interface TypeTemplate {
	id: string;
	/** Names with commas between them; `*` for any. */
	allowed: string;
	appliesTo: (input: string) => boolean;
}

const templates = new WeakMap<JsonRecord, TypeTemplate[]>();

function listTemplates(className: string, definition: JsonRecord): TypeTemplate[] {
	const known = templates.get(definition) ?? listInputSpecs(className, definition).flatMap(readTemplates);
	templates.set(definition, known);
	return known;
}

/** The inputs of a growing group are named `<group>.<input>`. */
function readTemplates(spec: InputSpec): TypeTemplate[] {
	if (spec.type === MATCHING) return [toTemplate(spec, (input) => input === spec.name)];
	if (spec.type !== GROWING || !isRecord(spec.settings.template)) return [];
	return readSpecs(spec.settings.template.input)
		.filter(({ type }) => type === MATCHING)
		.map((column) => toTemplate(column, (input) => input.startsWith(`${spec.name}.`)));
}

const toTemplate = (spec: InputSpec, appliesTo: TypeTemplate['appliesTo']): TypeTemplate => ({
	id: isRecord(spec.settings.template) ? String(spec.settings.template.template_id) : '',
	allowed: readAllowedTypes(spec),
	appliesTo,
});

/** A hostile file can link thousands of types to one node. */
const MOST_TYPES = 20;

const isAnyType = (type: string): boolean => type === '' || type === '*';

/** @returns the types that both allow; the second type if they have none in common. */
function commonType(one: string, other: string): string {
	if (isAnyType(other)) return one;
	if (isAnyType(one)) return other;
	const others = new Set(other.split(','));
	const common = one.split(',').filter((name) => others.has(name));
	return common.join(',') || other;
}

/**
 * Gives inputs and outputs of a template the type that the editor gives them once something is linked.
 * @param getLinkType returns the type of the output that a link comes from.
 */
export function matchTypes(
	sockets: NodeSockets,
	className: string,
	definition: JsonRecord,
	getLinkType: (linkId: string) => string,
): NodeSockets {
	const known = listTemplates(className, definition);
	if (known.length === 0) return sockets;
	const matched = sockets.inputs.map((input) => {
		const template = known.find(({ appliesTo }) => appliesTo(input.name));
		return { input, template, linkedType: template && input.linkId !== undefined ? getLinkType(input.linkId) : undefined };
	});
	/** By template, how many inputs have a link of each type. */
	const linkedTypes = new Map<string, Map<string, number>>();
	for (const { template, linkedType } of matched) {
		if (template === undefined || linkedType === undefined) continue;
		const counts = linkedTypes.get(template.id) ?? new Map<string, number>();
		linkedTypes.set(template.id, counts.set(linkedType, (counts.get(linkedType) ?? 0) + 1));
	}
	/** @param ownType the type of the input's own link, which does not count. */
	const resolveType = ({ id, allowed }: TypeTemplate, ownType?: string): string =>
		[...(linkedTypes.get(id) ?? [])]
			.slice(0, MOST_TYPES)
			.filter(([type, count]) => type !== ownType || count > 1)
			.reduce((common, [type]) => commonType(common, type), allowed);
	const outputTemplates = listOf(definition.output_matchtypes);
	return {
		inputs: matched.map(({ input, template, linkedType }) =>
			template === undefined ? input : { ...input, type: resolveType(template, linkedType) },
		),
		outputTypes: sockets.outputTypes.map((type, slot) => {
			const template = known.find(({ id }) => id === outputTemplates[slot]);
			return template === undefined ? type : resolveType(template);
		}),
	};
}
