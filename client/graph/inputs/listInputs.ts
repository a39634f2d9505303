import type { ApiGraph } from '../../ports/job';
import { isExactInteger, isExactNumber } from '../../json/numbers';
import { type Definitions, findInputDefinition, type InputDefinition } from './definitions';
import { type FileKind, findFileKind } from './files';
import { isEditorWidget, isNumber, labelNodes, listLiterals, type Literal } from './graphNodes';
import { classifyRoles, type InputKind, type InputRole, isSeedByDefinition, isSeedName, type Roles } from './roles';

/** What a definition says about the values of an input. */
export interface InputLimits {
	/** A text if a double cannot hold the number. */
	min?: number | string;
	max?: number | string;
	step?: number | string;
	/** In the type that is sent. */
	choices?: Array<string | number | boolean>;
	multiline?: boolean;
	fileKind?: FileKind;
}

/** One value of a graph that can be changed: the node holds it itself, instead of a link. */
export interface GraphInput {
	nodeId: string;
	input: string;
	/** `6.text` */
	name: string;
	/** `Positive · text`, or `Positive (#6) · text` if several nodes have this title. */
	label: string;
	value: unknown;
	kind: InputKind;
	role: InputRole;
	limits?: InputLimits;
}

/**
 * @returns the inputs of a graph that can be changed: prompts (negative ones last), seeds, sizes, then all others in graph order.
 * @param definitions of all, some or none of its classes. Without a definition, the kind of an input follows from its value.
 */
export function listInputs(graph: ApiGraph, definitions?: Definitions): GraphInput[] {
	const roles = classifyRoles(graph);
	const labels = labelNodes(graph);
	return listLiterals(graph)
		.flatMap((literal) => {
			const definition = findInputDefinition(definitions, literal.node, literal.input);
			if (definition === undefined && isEditorWidget(literal.node, literal.input)) return [];
			const label = `${labels.get(literal.nodeId)} · ${literal.input}`;
			return [describeInput(literal, label, definition, roles)];
		})
		.map((input) => ({ input, rank: rankInput(input, roles) }))
		.sort((one, other) => one.rank - other.rank)
		.map(({ input }) => input);
}

function describeInput(literal: Literal, label: string, definition: InputDefinition | undefined, roles: Roles): GraphInput {
	const { nodeId, node, input, value } = literal;
	const fileKind = findFileKind(node, input, value, definition);
	const kind = isTextSeed(input, value) ? 'integer' : resolveKind(value, definition, fileKind);
	const named = fileKind === undefined ? roles.find(nodeId, input, kind) : 'file';
	const role = named === 'other' && kind === 'integer' && isSeedByDefinition(input, definition) ? 'seed' : named;
	const limits = readLimits(kind, definition, fileKind);
	return {
		nodeId,
		input,
		name: `${nodeId}.${input}`,
		label,
		value,
		kind: kind === 'number' && definition === undefined && isCount(input, value, role) ? 'integer' : kind,
		role,
		...(limits && { limits }),
	};
}

/** A text keeps each digit of a long seed, so it may stand for the number. */
const isTextSeed = (input: string, value: unknown): boolean =>
	typeof value === 'string' && isSeedName(input) && /^\s*-?\d+\s*$/.test(value);

function rankInput({ role, nodeId, input }: GraphInput, roles: Roles): number {
	if (role === 'prompt') return roles.isNegative(nodeId, input) ? 1 : 0;
	return { seed: 2, size: 3, file: 4, other: 4 }[role];
}

function resolveKind(value: unknown, definition: InputDefinition | undefined, fileKind: FileKind | undefined): InputKind {
	if (fileKind !== undefined) return 'text';
	return (definition && kindByDefinition(definition)) ?? kindByValue(value);
}

const KINDS: Partial<Record<string, InputKind>> = { INT: 'integer', FLOAT: 'number', STRING: 'text', BOOLEAN: 'boolean', COMBO: 'choice' };

/** The type `FLOAT,INT` accepts both. `widgetType` says which one the editor shows. */
function kindByDefinition({ type, settings, choices }: InputDefinition): InputKind | undefined {
	const kinds = (typeof settings.widgetType === 'string' ? settings.widgetType : type).split(',').map((one) => KINDS[one]);
	const kind = kinds.includes('number') ? 'number' : kinds.find((one) => one !== undefined);
	if (kind !== 'choice') return kind;
	if (settings.multiselect === true) return 'json';
	return choices.length === 0 ? undefined : 'choice';
}

function kindByValue(value: unknown): InputKind {
	if (isNumber(value)) return 'number';
	if (typeof value === 'boolean') return 'boolean';
	return typeof value === 'string' || value === null || value === undefined ? 'text' : 'json';
}

/** Any number can be written without a fraction (`"cfg": 8`). Without a definition, only seeds and these sizes are integers. */
const isCount = (input: string, value: unknown, role: InputRole): boolean =>
	isExactInteger(value) && (role === 'seed' || /(^|[_.])(width|height|batch_size)$/.test(input));

function readLimits(kind: InputKind, definition: InputDefinition | undefined, fileKind: FileKind | undefined): InputLimits | undefined {
	if (fileKind !== undefined) return { fileKind };
	if (definition === undefined) return undefined;
	const { settings, choices } = definition;
	const hasRange = kind === 'integer' || kind === 'number';
	const limits: Record<keyof InputLimits, unknown> = {
		min: hasRange ? readLimit(settings.min) : undefined,
		max: hasRange ? readLimit(settings.max) : undefined,
		step: hasRange ? readLimit(settings.step) : undefined,
		choices: choices.length > 0 ? choices.filter(isChoice) : undefined,
		multiline: settings.multiline === true || undefined,
		fileKind: undefined,
	};
	const defined = Object.entries(limits).filter(([, value]) => value !== undefined);
	return defined.length === 0 ? undefined : Object.fromEntries(defined);
}

function readLimit(value: unknown): number | string | undefined {
	if (isExactNumber(value)) return value.value;
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	return typeof value === 'string' && /^-?\d/.test(value) ? value : undefined;
}

const isChoice = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** @returns the inputs that take a file. */
export const listFileInputs = (graph: ApiGraph, definitions?: Definitions): GraphInput[] =>
	listInputs(graph, definitions).filter(({ role }) => role === 'file');

/** Many nodes take -1 for a random seed, which their script generates in the editor. ComfyUI itself rejects it. */
export const isRandomSeed = ({ role, value }: GraphInput): boolean =>
	role === 'seed' && String(isExactNumber(value) ? value.value : value).trim() === '-1';

/** What marks a number as a seed, apart from its name. */
export interface SeedHints {
	definitions?: Definitions;
	/** Numbers that the editor changes after each run. */
	changedByEditor?: Array<{ nodeId: string; input: string }>;
}

/**
 * @returns the seeds, in the nodes that hold them. The signs count only if no input is a seed by its name. Otherwise a control that
 * was left on next to a seed would change, for example, the number of steps.
 */
export function listSeeds(graph: ApiGraph, { definitions, changedByEditor = [] }: SeedHints = {}): GraphInput[] {
	const inputs = listInputs(graph);
	const named = inputs.filter(({ role }) => role === 'seed');
	if (named.length > 0) return named;
	const changed = new Set(changedByEditor.map(({ nodeId, input }) => `${nodeId}.${input}`));
	const byControl = inputs.filter(({ role, name, value }) => role === 'other' && changed.has(name) && isExactInteger(value));
	if (byControl.length > 0 || definitions === undefined) return byControl;
	return listInputs(graph, definitions).filter(({ role }) => role === 'seed');
}

/** @returns the seeds in place of which a random number is sent. */
export const listRandomSeeds = (graph: ApiGraph, definitions?: Definitions): GraphInput[] =>
	listSeeds(graph, { definitions }).filter(isRandomSeed);
