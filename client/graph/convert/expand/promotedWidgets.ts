import { isDeepStrictEqual } from 'node:util';

import { isRecord, listOf } from '../../../json/decode';
import { type Definitions, findDefinition, findInputDefinition } from '../../inputs/definitions';
import type { EditorInput, EditorNode, PromotedValue, SubgraphSocket, ValueSlot } from '../editorGraph';
import { findMismatch } from '../valueTypes';
import type { InputSpec } from '../widgets/inputSpecs';
import { readWidgets } from '../widgets/readWidgets';
import type { Level, Levels } from './levels';

/** A widget, by its node and the input that a link to it ends at. */
export interface WidgetInput {
	node: EditorNode;
	input: EditorInput;
}

/** What a subgraph node holds for a widget inside. `instead`: the value at its position in the file, if that one does not fit. */
interface OwnValue {
	value: unknown;
	instead?: unknown;
}

/** Whether a subgraph node is from the time before sockets stood for promoted widgets. */
export const hasProxies = ({ properties }: EditorNode): boolean => properties.proxyWidgets !== undefined;

const NO_SPECS: ReadonlyMap<string, InputSpec> = new Map();

/** The widgets inside subgraphs that subgraph nodes show (promoted widgets), and the values that these nodes hold for them. */
export class PromotedWidgets {
	private readonly widgets = new Map<SubgraphSocket, WidgetInput | undefined>();
	private readonly ownValues = new Map<EditorNode, Map<string, OwnValue>>();
	/** By socket, the position of its value in `widgets_values` of a subgraph node. */
	private readonly positions = new Map<EditorNode, Map<string, number>>();
	private readonly specs = new Map<EditorNode, ReadonlyMap<string, InputSpec>>();

	constructor(
		readonly levels: Levels,
		readonly definitions: Definitions,
	) {}

	/** @returns by name, the widgets of a node that a link can replace. There are none for an unknown class. */
	getSpecs(node: EditorNode): ReadonlyMap<string, InputSpec> {
		const specs = this.specs.get(node) ?? this.readSpecs(node);
		this.specs.set(node, specs);
		return specs;
	}

	/** The control after a seed is no input. */
	private readSpecs(node: EditorNode): ReadonlyMap<string, InputSpec> {
		const definition = findDefinition(this.definitions, node.className);
		if (definition === undefined) return NO_SPECS;
		const groups = isRecord(definition.input) ? Object.values(definition.input).filter(isRecord) : [];
		const isInput = (name: string): boolean => groups.some((group) => Object.hasOwn(group, name.split('.')[0] ?? name));
		return new Map([...readWidgets(node, definition).specs].filter(([name]) => isInput(name)));
	}

	/** Whether an input has a widget. An input of a subgraph node has one if it leads to a widget inside. */
	hasWidget(node: EditorNode, { name, widgetName }: EditorInput): boolean {
		const inside = this.levels.subgraphs.get(node.className);
		if (inside !== undefined) return this.findWidgetNamed(inside, name) !== undefined;
		const specs = this.getSpecs(node);
		return specs.has(name) || (widgetName !== undefined && specs.has(widgetName));
	}

	/** @returns the first widget inside that a socket leads to. The subgraph node then has a widget with the name of the socket. */
	findWidget(level: Level, socket: SubgraphSocket): WidgetInput | undefined {
		if (!this.widgets.has(socket)) this.widgets.set(socket, this.searchWidget(level, socket));
		return this.widgets.get(socket);
	}

	private searchWidget(level: Level, { linkIds }: SubgraphSocket): WidgetInput | undefined {
		for (const linkId of linkIds) {
			const node = level.nodes.get(level.links.get(linkId)?.to.nodeId ?? '');
			const input = node?.inputs.find((one) => one.linkId === linkId);
			if (node !== undefined && input !== undefined && this.hasWidget(node, input)) return { node, input };
		}
		return undefined;
	}

	private findWidgetNamed(level: Level, name: string): WidgetInput | undefined {
		const socket = this.findSocket(level, name);
		return socket && this.findWidget(level, socket);
	}

	/** @returns the first socket of this name that leads to a widget. */
	private findSocket(level: Level, name: string): SubgraphSocket | undefined {
		return level.inputs.find((socket) => socket.name === name && this.findWidget(level, socket) !== undefined);
	}

	/** Call this after a change of the links from a border. */
	forgetWidgets(): void {
		this.widgets.clear();
	}

	setOwnValue(host: EditorNode, name: string, ownValue: OwnValue): void {
		const values = this.ownValues.get(host) ?? new Map<string, OwnValue>();
		this.ownValues.set(host, values.set(name, ownValue));
	}

	setPosition(host: EditorNode, name: string, position: number): void {
		const positions = this.positions.get(host) ?? new Map<string, number>();
		this.positions.set(host, positions.set(name, position));
	}

	/** @returns where the file has the value of a socket, or can have it; undefined if it has no place for it. */
	findSlot(host: EditorNode, inside: Level, socket: SubgraphSocket, path: string): ValueSlot | undefined {
		const { values } = host;
		if (isRecord(values)) return { holder: host, position: socket.name };
		const position = this.positions.get(host)?.get(socket.name);
		if (position === undefined || hasProxies(host)) return position === undefined ? undefined : { holder: host, position };
		const sockets = inside.inputs.filter((one) => this.findWidget(inside, one) !== undefined);
		const valuesBefore = sockets.slice(0, position).map((one) => this.resolveValue(host, inside, one, path) ?? { value: null });
		return { holder: host, position, valuesBefore };
	}

	/** Reads the values of a subgraph node, which are in the order of its widgets. If more of them fit by name, the names count. */
	readOwnValues(host: EditorNode, inside: Level): void {
		const { values, named } = host;
		const quarantined = readQuarantinedValues(host);
		const sockets = inside.inputs.filter((socket) => this.findWidget(inside, socket) !== undefined);
		for (const [position, { name }] of sockets.entries()) this.setPosition(host, name, position);
		const names = new Set(sockets.map(({ name }) => name));
		const byPosition = Array.isArray(values) ? new Map(sockets.map(({ name }, index) => [name, values[index]])) : pickValues(values, names);
		const byName = pickValues(named, names);
		const isByName = byName.size > 0 && this.countMismatches(inside, sockets, byName) < this.countMismatches(inside, sockets, byPosition);
		for (const name of names) {
			const own = isByName && byName.has(name) ? byName.get(name) : byPosition.get(name);
			const value = quarantined.get(name) ?? own;
			if (value === undefined) continue;
			const isRepaired = isByName && !quarantined.has(name) && !isDeepStrictEqual(value, byPosition.get(name));
			this.setOwnValue(host, name, isRepaired ? { value, instead: byPosition.get(name) } : { value });
		}
	}

	private countMismatches(inside: Level, sockets: SubgraphSocket[], values: ReadonlyMap<string, unknown>): number {
		return sockets.filter((socket) => {
			const [value, spec] = [values.get(socket.name), this.findSpec(this.findWidget(inside, socket))];
			return spec !== undefined && value != null && findMismatch(spec, value) !== undefined;
		}).length;
	}

	/** @returns what the class of the innermost node says about a widget. */
	private findSpec(widget: WidgetInput | undefined): InputSpec | undefined {
		if (widget === undefined) return undefined;
		const { node, input } = widget;
		const inside = this.levels.subgraphs.get(node.className);
		if (inside !== undefined) return this.findSpec(this.findWidgetNamed(inside, input.name));
		const specs = this.getSpecs(node);
		return specs.get(input.widgetName ?? input.name) ?? specs.get(input.name);
	}

	/**
	 * @param path of the inside of the subgraph node in the flat graph: `12:`.
	 * @returns the value of a socket without a link; undefined if the socket leads to no widget.
	 */
	resolveValue(host: EditorNode, inside: Level, socket: SubgraphSocket, path: string): PromotedValue | undefined {
		const widget = this.findWidget(inside, socket);
		if (widget === undefined) return undefined;
		const own = this.ownValues.get(host)?.get(socket.name);
		if (own !== undefined) return { ...own, value: own.value ?? this.firstChoice(widget) };
		const { node, input } = widget;
		const deeper = this.levels.subgraphs.get(node.className);
		if (deeper === undefined) return { inheritsFrom: { nodeId: `${path}${node.id}`, widgetName: input.widgetName ?? input.name } };
		const next = this.findSocket(deeper, input.name);
		return next === undefined ? undefined : this.resolveValue(node, deeper, next, `${path}${node.id}:`);
	}

	/** @returns what the frontend makes of a choice without a value; null for other widgets. */
	private firstChoice({ node, input }: WidgetInput): unknown {
		const inside = this.levels.subgraphs.get(node.className);
		const deeper = inside && this.findWidgetNamed(inside, input.name);
		if (inside !== undefined) return deeper === undefined ? null : this.firstChoice(deeper);
		const definition = findInputDefinition(this.definitions, { class_type: node.className, inputs: {} }, input.name);
		return definition?.type === 'COMBO' ? (definition.choices[0] ?? null) : null;
	}
}

const pickValues = (values: unknown, names: ReadonlySet<string>): Map<string, unknown> =>
	new Map(isRecord(values) ? Object.entries(values).filter(([name]) => names.has(name)) : []);

/** When the frontend updated an older file, it put values here whose widgets it did not find. The first value of a name counts. */
function readQuarantinedValues({ properties }: EditorNode): Map<string, unknown> {
	const values = new Map<string, unknown>();
	for (const entry of listOf(properties.proxyWidgetErrorQuarantine)) {
		if (!isRecord(entry) || !Array.isArray(entry.originalEntry)) continue;
		const [nodeId, name] = entry.originalEntry as unknown[];
		if (nodeId === '-1' && typeof name === 'string' && entry.hostValue != null && !values.has(name)) values.set(name, entry.hostValue);
	}
	return values;
}
