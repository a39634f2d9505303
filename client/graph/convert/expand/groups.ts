import { isRecord, type JsonRecord, listOf } from '../../../decode';
import type { Definitions } from '../../form';
import { definitionOf } from '../../form/definition';
import type { EditorFile, EditorInput, EditorNode } from '../model';
import { nodeOf } from '../read';
import { notConvertible } from '../refuse';
import { PRIMITIVE, REROUTE } from '../virtual';
import { type InputSpec, specsOfClass, widgetsFor } from '../widgets';
import { BORDER_IN, BORDER_OUT, type Level, type Levels, linkInto, MOST_NODES, ownInput, type Socket } from './levels';

/** `workflow>name`, in the oldest files `workflow/name`. */
const INSTANCE = /^workflow[>/](.+)$/s;

const textAt = (record: unknown, key: string): string | undefined =>
	isRecord(record) && typeof record[key] === 'string' ? record[key] : undefined;
const at = (record: unknown, key: string | number): unknown => (isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined);

interface InnerLink {
	from: { index: number; slot: number };
	to: { index: number; slot: number };
	type: string;
}

/** Links inside are `[from, slot, to, slot, id, type]`, by index; those that lead out have an empty end. */
function linkOf(value: unknown): InnerLink[] {
	const [from, fromSlot, to, toSlot, , type] = listOf(value);
	const ends = [from, fromSlot, to, toSlot].map((end) => (end === null || end === undefined ? Number.NaN : Number(end)));
	const [fromIndex = -1, outSlot = -1, toIndex = -1, inSlot = -1] = ends;
	return ends.every((end) => Number.isInteger(end) && end >= 0)
		? [{ from: { index: fromIndex, slot: outSlot }, to: { index: toIndex, slot: inSlot }, type: String(type) }]
		: [];
}

/** What an instance shows of an input inside. */
interface Shown {
	name: string;
	node: EditorNode;
	spec: InputSpec;
	isWidget: boolean;
}

const NUMBERS: ReadonlySet<string> = new Set(['INT', 'FLOAT']);
/** How many places of an instance's values a primitive node has: what it does from run to run stands behind numbers and choices. */
const placesOfPrimitive = (type: string): number => (NUMBERS.has(type) ? 2 : type === 'COMBO' ? 3 : 1);

/** A group of the older kind, for one of its instances. */
class Group {
	readonly nodes: EditorNode[];
	readonly level: Level = { nodes: new Map(), links: new Map(), inputs: [], outputs: [] };
	private readonly links: InnerLink[];
	private readonly names = new Map<string, number>();
	private count = 0;

	constructor(
		private readonly data: JsonRecord,
		private readonly definitions: Definitions,
		private readonly host: EditorNode,
		nextId: () => string,
	) {
		this.nodes = listOf(data.nodes).map((node) => nodeOf({ ...(isRecord(node) ? node : {}), id: nextId() }));
		for (const node of this.nodes) {
			for (const input of node.inputs) delete input.linkId;
			this.level.nodes.set(node.id, node);
		}
		this.links = listOf(data.links).flatMap(linkOf);
		for (const { from, to, type } of this.links) this.join(from, to, type);
		const shown = this.shown();
		this.giveValues(shown.filter(({ isWidget }) => isWidget));
		for (const one of shown) this.openInput(one);
		for (const [index, node] of this.nodes.entries()) this.openOutputs(node, index);
	}

	/** The frontend of today loses what such groups hold: classes whose choices are plain lists, primitive nodes, reroutes, widgets made inputs. */
	get isReadOtherwise(): boolean {
		const isMade = ({ inputs }: EditorNode): boolean =>
			inputs.some(({ widgetName, linkId }) => widgetName !== undefined && linkId !== undefined);
		return this.nodes.some(
			(node) =>
				node.className === PRIMITIVE ||
				node.className === REROUTE ||
				isMade(node) ||
				this.rawInputs(node).some((entry) => Array.isArray(listOf(entry)[0])),
		);
	}

	private definitionOf({ className }: EditorNode): JsonRecord | undefined {
		return definitionOf(this.definitions, className);
	}

	private rawInputs(node: EditorNode): unknown[] {
		const input = this.definitionOf(node)?.input;
		return isRecord(input) ? [input.required, input.optional].flatMap((group) => (isRecord(group) ? Object.values(group) : [])) : [];
	}

	private join(from: InnerLink['from'], to: InnerLink['to'], type: string): void {
		const [source, target] = [this.nodes[from.index], this.nodes[to.index]];
		const input = target && (target.inputs[to.slot] ?? this.socketOf(target, to.slot));
		if (source === undefined || target === undefined || input === undefined) return;
		input.linkId = this.link({ nodeId: source.id, slot: from.slot }, { nodeId: target.id, slot: target.inputs.indexOf(input) }, type);
	}

	private link(from: { nodeId: string; slot: number }, to: { nodeId: string; slot: number }, type: string): string {
		const id = String(++this.count);
		this.level.links.set(id, { id, from, to, type });
		return id;
	}

	private socketOf(node: EditorNode, slot: number): EditorInput | undefined {
		const spec = this.specsOf(node, this.nodes.indexOf(node)).filter((one) => widgetsFor(one).length === 0)[slot];
		return spec && ownInput(node, spec.name, spec.type, false);
	}

	/** The inputs that a node has by its class; of a primitive node and of a reroute, where they lead out. */
	private specsOf(node: EditorNode, index: number): InputSpec[] {
		const definition = this.definitionOf(node);
		if (definition !== undefined) return specsOfClass(node.className, definition);
		const out = this.links.find(({ from }) => from.index === index);
		const own = (name: string, type: string): InputSpec[] => [{ name, type, settings: {}, choices: [], isOptional: false }];
		if (node.className === PRIMITIVE) return out === undefined ? [] : own('value', out.type);
		if (node.className !== REROUTE || this.links.some(({ to }) => to.index === index)) return [];
		const target = out && this.nodes[out.to.index]?.inputs[out.to.slot]?.type;
		return own('', target ?? String(listOf(this.externalOf(index))[2] ?? '*'));
	}

	private externalOf(index: number, slot = 0): unknown {
		return listOf(this.data.external).find(
			(entry) => Number(listOf(entry)[0]) === index && Number(listOf(entry)[1]) === slot && listOf(entry)[2] != null,
		);
	}

	/** Widgets as they are first, in the order of the nodes; sockets; at last widgets that were made inputs. */
	private shown(): Shown[] {
		const [first, made]: [Shown[], Shown[]] = [[], []];
		const later: Array<() => void> = [];
		for (const [index, node] of this.nodes.entries()) {
			const specs = this.specsOf(node, index);
			const isWidget = (spec: InputSpec): boolean => node.className === PRIMITIVE || widgetsFor(spec).length > 0;
			const placeOf = ({ name }: InputSpec): number => node.inputs.findIndex((input) => input.name === name && input.widgetName === name);
			for (const spec of specs.filter((one) => isWidget(one) && placeOf(one) < 0))
				first.push({ name: this.nameOf(node, index, spec.name), node, spec, isWidget: true });
			for (const spec of specs.filter((one) => !isWidget(one) && !isLinked(node, one.name))) {
				const name = this.nameOf(node, index, node.className === REROUTE ? spec.type : spec.name);
				if (at(this.configOf(index, 'input', spec.name), 'visible') !== false) first.push({ name, node, spec, isWidget: false });
			}
			// Places are compared as texts: the tenth before the second.
			const converted = specs
				.filter((one) => isWidget(one) && placeOf(one) >= 0)
				.sort((one, other) => (String(placeOf(one)) < String(placeOf(other)) ? -1 : 1));
			later.push(() => {
				for (const spec of converted.filter(({ name }) => !isLinked(node, name)))
					made.push({ name: this.nameOf(node, index, spec.name), node, spec, isWidget: true });
			});
		}
		for (const name of later) name();
		return [...first, ...made];
	}

	private configOf(index: number, side: 'input' | 'output', name: string): unknown {
		return at(at(at(this.data.config, index), side), name);
	}

	/** Names that occur twice get their node's title before them, then a number. */
	private nameOf(node: EditorNode, index: number, input: string): string {
		let name = textAt(this.configOf(index, 'input', input), 'name') ?? node.inputs.find((one) => one.name === input)?.label ?? input;
		let key = name;
		if ((node.className === PRIMITIVE && node.title !== undefined) || this.names.has(name)) {
			const prefix = `${node.title ?? node.className} `;
			key = name = `${prefix}${input}`;
			if (this.names.has(name)) name = `${prefix}${this.names.get(name)} ${input}`;
		}
		this.names.set(key, (this.names.get(key) ?? 1) + 1);
		return name;
	}

	/** All that stands outside counts, and nothing of what the group itself holds for it. */
	private giveValues(widgets: Shown[]): void {
		const values: unknown[] = Array.isArray(this.host.values) ? this.host.values : [];
		let place = 0;
		for (const { node, spec } of widgets) {
			const made = widgetsFor(spec);
			const value = place < values.length ? values[place] : made[0]?.value;
			if (node.className === PRIMITIVE) {
				if (value !== undefined) node.values = [value];
				place += placesOfPrimitive(spec.type);
			} else {
				if (value !== undefined) node.given.set(spec.name, value);
				place += made.filter(({ isSaved }) => isSaved).length;
			}
		}
	}

	private openInput({ name, node, spec, isWidget }: Shown): void {
		if (node.className === PRIMITIVE || (isWidget && linkInto(this.host, name) === undefined)) return;
		const input = ownInput(node, spec.name, spec.type, isWidget);
		const socket: Socket = { id: '', name, type: spec.type, linkIds: [] };
		this.level.inputs.push(socket);
		input.linkId = this.link(
			{ nodeId: BORDER_IN, slot: this.level.inputs.length - 1 },
			{ nodeId: node.id, slot: node.inputs.indexOf(input) },
			spec.type,
		);
		socket.linkIds.push(input.linkId);
	}

	/** Outputs that are used inside stand outside only where they are used there as well. */
	private openOutputs(node: EditorNode, index: number): void {
		const types = this.outputTypesOf(node, index);
		for (const [slot, type] of types.entries()) {
			const isUsed =
				this.links.some(({ from }) => from.index === index && from.slot === slot) && this.externalOf(index, slot) === undefined;
			if (!(at(this.configOf(index, 'output', String(slot)), 'visible') ?? !isUsed)) continue;
			const linkId = this.link({ nodeId: node.id, slot }, { nodeId: BORDER_OUT, slot: this.level.outputs.length }, type);
			this.level.outputs.push({ id: '', name: type, type, linkIds: [linkId] });
		}
	}

	private outputTypesOf(node: EditorNode, index: number): string[] {
		const definition = this.definitionOf(node);
		if (definition !== undefined) return listOf(definition.output).map((type) => (Array.isArray(type) ? 'COMBO' : String(type)));
		const isInside =
			this.links.some(({ from }) => from.index === index) &&
			(node.className === PRIMITIVE || this.links.some(({ to }) => to.index === index));
		return node.className === REROUTE && (!isInside || this.externalOf(index) !== undefined) ? node.outputs.map(({ type }) => type) : [];
	}
}

const isLinked = ({ inputs }: EditorNode, name: string): boolean => inputs.find((input) => input.name === name)?.linkId !== undefined;

const groupOf = (file: EditorFile, { className }: EditorNode): JsonRecord | undefined =>
	file.groups.get(INSTANCE.exec(className)?.[1] ?? '');

export const hasGroups = (file: EditorFile): boolean =>
	file.groups.size > 0 && [...file.nodes.values()].some((node) => groupOf(file, node) !== undefined);

/**
 * Instances of groups of the older kind become instances of subgraphs, numbered as the frontend does when it loads such a file:
 * the nodes inside one after the other, then the instance anew.
 * @returns the ids of all nodes inside that the frontend of today would read otherwise than the one that wrote the file.
 */
export function ungroup(file: EditorFile, levels: Levels, definitions: Definitions): Set<string> {
	const { root } = levels;
	const readOtherwise = new Set<string>();
	const nextId = (): string => String(++levels.lastNodeId);
	const hosts = [...root.nodes.values()].flatMap((host) => {
		const data = groupOf(file, host);
		return data === undefined ? [] : [{ host, data }];
	});
	const size = hosts.reduce((sum, { data }) => sum + listOf(data.nodes).length, 0);
	if (size > MOST_NODES)
		throw notConvertible([{ refusal: 'too_large', detail: `its groups hold more than ${MOST_NODES} nodes altogether` }]);
	const newIds = new Map<string, string>();
	for (const { host, data } of hosts) {
		const group = new Group(data, definitions, host, nextId);
		const id = nextId();
		levels.subgraphs.set(`group ${id}`, group.level);
		root.nodes.delete(host.id);
		root.nodes.set(id, { ...host, id, className: `group ${id}`, values: undefined, properties: {} });
		newIds.set(host.id, id);
		if (group.isReadOtherwise) for (const { id: inner } of group.nodes) readOtherwise.add(`${id}:${inner}`);
	}
	for (const { from, to } of root.links.values()) for (const end of [from, to]) end.nodeId = newIds.get(end.nodeId) ?? end.nodeId;
	return readOtherwise;
}
