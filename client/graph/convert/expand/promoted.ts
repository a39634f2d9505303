import { isDeepStrictEqual } from 'node:util';

import { isRecord } from '../../../decode';
import type { Definitions } from '../../form';
import { inputDefinition } from '../../form/definition';
import { misfitOf } from '../literals';
import type { EditorInput, EditorNode, PromotedValue } from '../model';
import type { InputSpec } from '../widgets';
import type { Level, Levels, Socket } from './levels';

/** The widgets that the frontend makes of a node and that a link could replace, by name; none for an unknown class. */
export type WidgetSpecs = (node: EditorNode) => ReadonlyMap<string, InputSpec>;

export interface WidgetPlace {
	node: EditorNode;
	input: EditorInput;
}

/** What an instance holds for a widget; `instead`: what stands at its position in the file, where that does not fit. */
export interface HeldValue {
	value: unknown;
	instead?: unknown;
}

/** The widgets of subgraphs' insides that stand outside on their instances, and what these hold. */
export class Promoted {
	private readonly found = new Map<Socket, WidgetPlace | undefined>();
	private readonly held = new Map<EditorNode, Map<string, HeldValue>>();

	constructor(
		readonly levels: Levels,
		readonly definitions: Definitions,
		readonly widgetSpecs: WidgetSpecs,
	) {}

	isWidget(node: EditorNode, { name, widgetName }: EditorInput): boolean {
		const inside = this.levels.subgraphs.get(node.className);
		if (inside !== undefined) return this.widgetNamed(inside, name) !== undefined;
		const specs = this.widgetSpecs(node);
		return specs.has(name) || (widgetName !== undefined && specs.has(widgetName));
	}

	/** The first widget inside that a socket leads to; with it, the instance has a widget of the socket's name. */
	behind(level: Level, socket: Socket): WidgetPlace | undefined {
		if (!this.found.has(socket)) this.found.set(socket, this.search(level, socket));
		return this.found.get(socket);
	}

	/** To be called where links of a border have changed. */
	forget(): void {
		this.found.clear();
	}

	hold(host: EditorNode, name: string, held: HeldValue): void {
		const values = this.held.get(host) ?? new Map<string, HeldValue>();
		this.held.set(host, values.set(name, held));
	}

	/** An instance's own values come in the order of its widgets. If more of them fit by name, the names count. */
	takeFileValues(host: EditorNode, inside: Level): void {
		const { values, named } = host;
		const kept = keptValues(host);
		const widgets = inside.inputs.filter((socket) => this.behind(inside, socket) !== undefined);
		const names = new Set(widgets.map(({ name }) => name));
		const byPosition = Array.isArray(values) ? new Map(widgets.map(({ name }, index) => [name, values[index]])) : valuesOf(values, names);
		const byName = valuesOf(named, names);
		const isByName = byName.size > 0 && this.countMisfits(inside, widgets, byName) < this.countMisfits(inside, widgets, byPosition);
		for (const name of names) {
			const own = isByName && byName.has(name) ? byName.get(name) : byPosition.get(name);
			const value = kept.get(name) ?? own;
			if (value === undefined) continue;
			const isRepaired = isByName && !kept.has(name) && !isDeepStrictEqual(value, byPosition.get(name));
			this.hold(host, name, isRepaired ? { value, instead: byPosition.get(name) } : { value });
		}
	}

	private countMisfits(inside: Level, sockets: Socket[], values: ReadonlyMap<string, unknown>): number {
		return sockets.filter((socket) => {
			const [value, spec] = [values.get(socket.name), this.specOf(this.behind(inside, socket))];
			return spec !== undefined && value != null && misfitOf(spec, value) !== undefined;
		}).length;
	}

	/** What the class of the innermost node says of a widget. */
	private specOf(place: WidgetPlace | undefined): InputSpec | undefined {
		if (place === undefined) return undefined;
		const { node, input } = place;
		const inside = this.levels.subgraphs.get(node.className);
		if (inside !== undefined) return this.specOf(this.widgetNamed(inside, input.name));
		const specs = this.widgetSpecs(node);
		return specs.get(input.widgetName ?? input.name) ?? specs.get(input.name);
	}

	/** @param path where the instance's inside stands in the whole graph: `12:`. */
	valueOf(host: EditorNode, inside: Level, socket: Socket, path: string): PromotedValue | undefined {
		const place = this.behind(inside, socket);
		if (place === undefined) return undefined;
		const held = this.held.get(host)?.get(socket.name);
		if (held !== undefined) return { ...held, value: held.value ?? this.firstChoice(place) };
		const { node, input } = place;
		const deeper = this.levels.subgraphs.get(node.className);
		if (deeper === undefined) return { asIn: { nodeId: `${path}${node.id}`, widgetName: input.widgetName ?? input.name } };
		const next = this.socketsNamed(deeper, input.name).find((one) => this.behind(deeper, one) !== undefined);
		return next === undefined ? undefined : this.valueOf(node, deeper, next, `${path}${node.id}:`);
	}

	/** What the frontend makes of a choice that holds nothing. */
	private firstChoice({ node, input }: WidgetPlace): unknown {
		const inside = this.levels.subgraphs.get(node.className);
		const deeper = inside && this.widgetNamed(inside, input.name);
		if (inside !== undefined) return deeper === undefined ? null : this.firstChoice(deeper);
		const definition = inputDefinition(this.definitions, { class_type: node.className, inputs: {} }, input.name);
		return definition?.type === 'COMBO' ? (definition.choices[0] ?? null) : null;
	}

	private widgetNamed(level: Level, name: string): WidgetPlace | undefined {
		const socket = this.socketsNamed(level, name).find((one) => this.behind(level, one) !== undefined);
		return socket && this.behind(level, socket);
	}

	private search(level: Level, { linkIds }: Socket): WidgetPlace | undefined {
		for (const linkId of linkIds) {
			const node = level.nodes.get(level.links.get(linkId)?.to.nodeId ?? '');
			const input = node?.inputs.find((one) => one.linkId === linkId);
			if (node !== undefined && input !== undefined && this.isWidget(node, input)) return { node, input };
		}
		return undefined;
	}

	private socketsNamed(level: Level, name: string): Socket[] {
		return level.inputs.filter((socket) => socket.name === name);
	}
}

const valuesOf = (values: unknown, names: ReadonlySet<string>): Map<string, unknown> =>
	new Map(isRecord(values) ? Object.entries(values).filter(([name]) => names.has(name)) : []);

/** Values of widgets that the frontend could not find again when it brought an older file up to date; the first of a name counts. */
function keptValues({ properties }: EditorNode): Map<string, unknown> {
	const kept = new Map<string, unknown>();
	const entries = Array.isArray(properties.proxyWidgetErrorQuarantine) ? (properties.proxyWidgetErrorQuarantine as unknown[]) : [];
	for (const entry of entries) {
		if (!isRecord(entry) || !Array.isArray(entry.originalEntry)) continue;
		const [nodeId, name] = entry.originalEntry as unknown[];
		if (nodeId === '-1' && typeof name === 'string' && entry.hostValue != null && !kept.has(name)) kept.set(name, entry.hostValue);
	}
	return kept;
}
