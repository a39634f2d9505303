import type { JsonRecord } from '../../json/decode';
import { type ExactNumber, isExactNumber, toDouble } from '../../json/numbers';
import { type EditorInput, type EditorLink, type EditorNode, locateNode } from './editorGraph';
import type { Network } from './network';
import type { ConversionNote } from './report';
import type { NodeSockets } from './sockets';
import type { TextPatterns } from './textPatterns';
import { PRIMITIVE, REROUTE } from './virtualNodes';
import type { InputSpec } from './widgets/inputSpecs';
import { makeWidgets } from './widgets/widgetTypes';

/**
 * Writes the values of primitive nodes into the widgets that they are linked to, as the frontend does before an export. Values do
 * not go through other nodes, and the modes of the nodes do not matter.
 */
export function applyPrimitives(network: Network, patterns: TextPatterns): ConversionNote[] {
	const primitives = [...network.graph.nodes.values()].filter(({ className }) => className === PRIMITIVE);
	return primitives.flatMap((node) => applyPrimitive(network, node, patterns));
}

/** An input that a primitive node is linked to. */
interface PrimitiveTarget {
	node: EditorNode;
	input: EditorInput;
	/** The definition of the widget of this input; undefined for a socket without a widget. */
	spec: InputSpec | undefined;
}

function applyPrimitive(network: Network, primitive: EditorNode, patterns: TextPatterns): ConversionNote[] {
	const { values, outputs, properties } = primitive;
	const links = (outputs[0]?.linkIds ?? []).map((id) => network.graph.links.get(id));
	const [first, ...others] = links.map((link) => link && findTarget(network, link));
	const targets = [first, ...others].filter((target) => target !== undefined);
	const saved: unknown = Array.isArray(values) ? values[0] : undefined;
	if (first?.node.className === REROUTE) return setBehindReroute(network, primitive, targets, saved);
	const spec = findWidgetSpec(first);
	if (first === undefined || spec === undefined) return [];
	const value = saved === undefined ? network.getSavedWidgets(first.node)?.allValues.get(first.input.widgetName ?? '') : saved;
	if (value === undefined) return [];
	const hasPatterns = typeof value === 'string' && properties['Run widget replace on values'] === true;
	const resolved = hasPatterns ? patterns.replace(value) : value;
	const rules = readNumberRules(spec);
	setValue(primitive, targets, rules === undefined ? resolved : limitToTargets(resolved, rules, targets));
	return [];
}

/** A primitive node may lead to all inputs of a node. */
const inputsByLink = new WeakMap<NodeSockets, Map<string | undefined, EditorInput>>();

function findInput(sockets: NodeSockets, link: EditorLink): EditorInput | undefined {
	const byLink = inputsByLink.get(sockets) ?? new Map(sockets.inputs.toReversed().map((input) => [input.linkId, input]));
	inputsByLink.set(sockets, byLink);
	return byLink.get(link.id) ?? sockets.inputs[link.to.slot];
}

function findTarget(network: Network, link: EditorLink): PrimitiveTarget | undefined {
	const node = network.graph.nodes.get(link.to.nodeId);
	const input = node && findInput(network.getSockets(node), link);
	if (node === undefined || input === undefined) return undefined;
	return { node, input, spec: network.getSavedWidgets(node)?.specs.get(input.widgetName ?? '') };
}

/** The widget of a primitive node is made after the first input that it is linked to. Without one, the node has no value. */
function findWidgetSpec(first: PrimitiveTarget | undefined): InputSpec | undefined {
	if (first === undefined || first.spec !== undefined) return first?.spec;
	const plain: InputSpec = { name: first.input.name, type: first.input.type, settings: {}, choices: [], isOptional: false };
	return makeWidgets(plain).length > 0 ? plain : undefined;
}

/** @returns the targets that have a widget. */
function setValue(primitive: EditorNode, targets: PrimitiveTarget[], value: unknown): PrimitiveTarget[] {
	const withWidget = targets.filter(({ spec }) => spec !== undefined);
	for (const { node, input, spec } of withWidget) {
		const rules = readNumberRules(spec);
		const rounded = rules === undefined ? value : roundNumber(rules, value);
		node.overrides.set(input.widgetName ?? '', { value: rounded, slot: { holder: primitive, position: 0 } });
	}
	return withWidget;
}

/** If the first link leads to a reroute, the frontend makes a new widget, and sends to the other links what that happens to hold. */
function setBehindReroute(network: Network, primitive: EditorNode, targets: PrimitiveTarget[], value: unknown): ConversionNote[] {
	if (value === undefined) return [];
	return setValue(primitive, targets, value).map(({ node, input }) => ({
		note: 'widget_guessed',
		value,
		...locateNode(node, network.findDefinition(node), input.name),
	}));
}

type Numeric = number | ExactNumber;

/** What a definition says about a number. The frontend's widget follows it when a user or a primitive node sets a value. */
interface NumberRules {
	type: 'INT' | 'FLOAT';
	settings: JsonRecord;
}

const readNumberRules = (spec: InputSpec | undefined): NumberRules | undefined =>
	spec?.type === 'INT' || spec?.type === 'FLOAT' ? { type: spec.type, settings: spec.settings } : undefined;

const numericOr = <T>(value: unknown, otherwise: T): Numeric | T => (typeof value === 'number' || isExactNumber(value) ? value : otherwise);
const doubleOr = (value: unknown, otherwise: number): number => toDouble(numericOr(value, otherwise));

/** Keeps a value within the limits that all targets of the same type have in common. */
function limitToTargets(value: unknown, firstRules: NumberRules, targets: PrimitiveTarget[]): unknown {
	let rules = firstRules;
	let limited = value;
	for (const { spec } of targets) {
		const targetRules = readNumberRules(spec);
		const combined = targetRules && combineRules(rules, targetRules);
		if (combined === undefined) continue;
		rules = combined;
		limited = roundNumber(rules, clampNumber(rules, limited));
	}
	return limited;
}

/** Rounds as the widget does. A number that a double cannot hold keeps its digits. */
function roundNumber(rules: NumberRules, value: unknown): unknown {
	if (isExactNumber(value)) return value;
	const number = Number(value);
	const rounded = rules.type === 'INT' ? roundInteger(number, rules) : roundDecimal(number, rules);
	return Number.isFinite(rounded) ? rounded : value;
}

function roundInteger(value: number, { settings }: NumberRules): number {
	const step = doubleOr(settings.step, 1) || 1;
	if (step === 1) return Math.round(value);
	const offset = doubleOr(settings.min, 0) % step;
	return Number.isFinite(offset) ? Math.round((value - offset) / step) * step + offset : value;
}

function roundDecimal(value: number, { settings }: NumberRules): number {
	const places = Math.min(100, Math.max(0, -Math.floor(Math.log10(doubleOr(settings.step, 0.5) || 1))));
	const precision = doubleOr(settings.round, 0) || (places > 0 ? 10 ** -places : 0);
	if (precision === 0) return value;
	const rounded = Number((Math.round(value / precision) * precision).toFixed(places));
	return Math.min(Math.max(rounded, doubleOr(settings.min, 0)), doubleOr(settings.max, 2048));
}

/** A definition can leave out a limit. */
function clampNumber({ settings }: NumberRules, value: unknown): unknown {
	const [min, max] = [numericOr(settings.min, undefined), numericOr(settings.max, undefined)];
	const number = isExactNumber(value) ? toDouble(value) : Number(value);
	if (min !== undefined && number < toDouble(min)) return min;
	return max !== undefined && number > toDouble(max) ? max : value;
}

/** Two inputs with different values of these settings can still share a primitive node. */
const COMBINABLE_SETTINGS: ReadonlySet<string> = new Set([
	'default',
	'forceInput',
	'defaultInput',
	'control_after_generate',
	'multiline',
	'tooltip',
	'dynamicPrompts',
	'min',
	'max',
	'step',
]);

/** @returns what both allow; undefined if they have no value in common. */
function combineRules(one: NumberRules, other: NumberRules): NumberRules | undefined {
	const [a, b] = [one.settings, other.settings];
	const min = Math.max(doubleOr(a.min, -Infinity), doubleOr(b.min, -Infinity));
	const max = Math.min(doubleOr(a.max, Infinity), doubleOr(b.max, Infinity));
	const isDifferent = (name: string): boolean => !COMBINABLE_SETTINGS.has(name) && (a[name] ?? undefined) !== (b[name] ?? undefined);
	if (one.type !== other.type || min > max || Object.keys({ ...a, ...b }).some(isDifferent)) return undefined;
	const [stepOfOne, stepOfOther] = [doubleOr(a.step, 1), doubleOr(b.step, 1)];
	const step = Math.abs((stepOfOne * stepOfOther) / (greatestCommonDivisor(stepOfOne, stepOfOther) || 1));
	return { type: one.type, settings: { ...a, ...b, step, min: originalLimit(a.min, b.min, min), max: originalLimit(a.max, b.max, max) } };
}

function greatestCommonDivisor(one: number, other: number): number {
	let [larger, smaller] = [Math.abs(one), Math.abs(other)];
	for (let rounds = 0; smaller > 1e-10 && rounds < 100; rounds++) [larger, smaller] = [smaller, larger % smaller];
	return larger;
}

/** @returns the limit as its definition has it, because a double cannot hold the largest seed; undefined if neither has one. */
const originalLimit = (one: unknown, other: unknown, found: number): unknown =>
	[one, other].find((value) => numericOr(value, undefined) !== undefined && doubleOr(value, NaN) === found);
