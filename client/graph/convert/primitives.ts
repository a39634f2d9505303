import type { EditorInput, EditorLink, EditorNode } from './model';
import type { Network } from './network';
import { common, type NumberRules, roundedTo, within } from './numberWidget';
import { placeOf } from './place';
import type { TextPatterns } from './textPatterns';
import type { ConversionNote } from './types';
import { PRIMITIVE, REROUTE } from './virtual';
import type { NodeSockets } from './slots';
import { type InputSpec, widgetsFor } from './widgets';

interface Target {
	node: EditorNode;
	input: EditorInput;
	/** What the class says of the widget behind it; undefined for a socket that has none. */
	spec: InputSpec | undefined;
}

/**
 * Puts the values of primitive nodes into the widgets that they are linked to, as the frontend does before it exports:
 * through other nodes they do not go, and modes do not matter.
 */
export function applyPrimitives(network: Network, patterns: TextPatterns): ConversionNote[] {
	const notes: ConversionNote[] = [];
	for (const node of network.graph.nodes.values()) {
		if (node.className === PRIMITIVE) notes.push(...applyPrimitive(network, node, patterns));
	}
	return notes;
}

const rulesOf = (spec: InputSpec | undefined): NumberRules | undefined =>
	spec?.type === 'INT' || spec?.type === 'FLOAT' ? { type: spec.type, settings: spec.settings } : undefined;

/** A primitive may lead to all inputs of a node. */
const BY_LINK = new WeakMap<NodeSockets, Map<string | undefined, EditorInput>>();

function inputOf(sockets: NodeSockets, link: EditorLink): EditorInput | undefined {
	const byLink = BY_LINK.get(sockets) ?? new Map(sockets.inputs.toReversed().map((input) => [input.linkId, input]));
	BY_LINK.set(sockets, byLink);
	return byLink.get(link.id) ?? sockets.inputs[link.to.slot];
}

function targetOf(network: Network, link: EditorLink): Target | undefined {
	const node = network.graph.nodes.get(link.to.nodeId);
	if (node === undefined) return undefined;
	const input = inputOf(network.slotsOf(node), link);
	if (input === undefined) return undefined;
	return { node, input, spec: network.savedWidgetsOf(node)?.specs.get(input.widgetName ?? '') };
}

/** Its own widget is made after the first thing that it is linked to; without that it has no value. */
function firstSpec(first: Target | undefined): InputSpec | undefined {
	if (first === undefined || first.spec !== undefined) return first?.spec;
	const plain: InputSpec = { name: first.input.name, type: first.input.type, settings: {}, choices: [], isOptional: false };
	return widgetsFor(plain).length > 0 ? plain : undefined;
}

/** Within what all targets of its type allow together. */
function limited(value: unknown, first: NumberRules, targets: Target[]): unknown {
	let rules = first;
	let kept = value;
	for (const { spec } of targets) {
		const other = rulesOf(spec);
		const both = other && common(rules, other);
		if (both === undefined) continue;
		rules = both;
		kept = roundedTo(rules, within(rules, kept));
	}
	return kept;
}

function applyPrimitive(network: Network, { values, outputs, properties }: EditorNode, patterns: TextPatterns): ConversionNote[] {
	const links = (outputs[0]?.linkIds ?? []).map((id) => network.graph.links.get(id));
	const [first, ...others] = links.map((link) => link && targetOf(network, link));
	const targets = [first, ...others].filter((target) => target !== undefined);
	const saved: unknown = Array.isArray(values) ? values[0] : undefined;
	if (first?.node.className === REROUTE) return throughReroute(network, saved, targets);
	const spec = firstSpec(first);
	if (first === undefined || spec === undefined) return [];
	const held = saved === undefined ? network.savedWidgetsOf(first.node)?.held.get(first.input.widgetName ?? '') : saved;
	if (held === undefined) return [];
	const value = typeof held === 'string' && properties['Run widget replace on values'] === true ? patterns.replaced(held) : held;
	const rules = rulesOf(spec);
	give(targets, rules === undefined ? value : limited(value, rules, targets));
	return [];
}

function give(targets: Target[], value: unknown): Target[] {
	const reached = targets.filter(({ spec }) => spec !== undefined);
	for (const { node, input, spec } of reached) {
		const rules = rulesOf(spec);
		node.given.set(input.widgetName ?? '', rules === undefined ? value : roundedTo(rules, value));
	}
	return reached;
}

/** The frontend draws a widget anew for a primitive that first leads to a reroute, and gives the rest what that happens to hold. */
function throughReroute(network: Network, value: unknown, targets: Target[]): ConversionNote[] {
	if (value === undefined) return [];
	return give(targets, value).map(({ node, input }) => ({
		note: 'widget_guessed',
		value,
		...placeOf(node, network.definitionOf(node), input.name),
	}));
}
