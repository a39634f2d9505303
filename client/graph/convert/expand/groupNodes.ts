import { isRecord, type JsonRecord, listOf, recordOf } from '../../../json/decode';
import { type Definitions, findDefinition } from '../../inputs/definitions';
import { type EditorFile, readNode } from '../editorFile';
import { BORDER_IN, BORDER_OUT, type EditorEnd, type EditorInput, type EditorNode, type SubgraphSocket } from '../editorGraph';
import { notConvertible } from '../report';
import { PRIMITIVE, REROUTE } from '../virtualNodes';
import { type InputSpec, listInputSpecs } from '../widgets/inputSpecs';
import { makeWidgets } from '../widgets/widgetTypes';
import { findLinkInto, getOrAddInput, type Level, type Levels, MOST_NODES } from './levels';

/** The class of a group node is `workflow>name`, in the oldest files `workflow/name`. */
const GROUP_CLASS = /^workflow[>/](.+)$/s;

const findGroup = (file: EditorFile, { className }: EditorNode): JsonRecord | undefined =>
	file.groups.get(GROUP_CLASS.exec(className)?.[1] ?? '');

export const hasGroupNodes = (file: EditorFile): boolean =>
	file.groups.size > 0 && [...file.nodes.values()].some((node) => findGroup(file, node) !== undefined);

/**
 * Group nodes came before subgraphs. When the frontend loads a file with group nodes, it makes subgraph nodes of them, with new ids:
 * first for the nodes inside, then for the group node itself. This changes `levels` in the same way.
 * @returns the flat ids of the nodes inside whose values today's frontend reads differently from the one that saved the file.
 */
export function expandGroupNodes(file: EditorFile, levels: Levels, definitions: Definitions): Set<string> {
	const { root } = levels;
	const hosts = [...root.nodes.values()].flatMap((host) => {
		const group = findGroup(file, host);
		return group === undefined ? [] : [{ host, group }];
	});
	const size = hosts.reduce((sum, { group }) => sum + listOf(group.nodes).length, 0);
	if (size > MOST_NODES)
		throw notConvertible([{ refusal: 'too_large', detail: `its groups contain more than ${MOST_NODES} nodes in total` }]);
	const nextId = (): string => String(++levels.lastNodeId);
	const ambiguousIds = new Set<string>();
	const newIds = new Map<string, string>();
	for (const { host, group } of hosts) {
		const builder = new GroupLevelBuilder(group, definitions, host, nextId);
		const level = builder.build();
		const id = nextId();
		const className = `group ${id}`;
		levels.subgraphs.set(className, level);
		root.nodes.delete(host.id);
		root.nodes.set(id, { ...host, id, className, values: undefined, properties: {} });
		newIds.set(host.id, id);
		if (builder.isAmbiguous) for (const innerId of level.nodes.keys()) ambiguousIds.add(`${id}:${innerId}`);
	}
	for (const { from, to } of root.links.values()) for (const end of [from, to]) end.nodeId = newIds.get(end.nodeId) ?? end.nodeId;
	return ambiguousIds;
}

/** Group definitions refer to their nodes by index. */
interface GroupEnd {
	index: number;
	slot: number;
}

interface GroupLink {
	from: GroupEnd;
	to: GroupEnd;
	type: string;
}

/** A link inside is `[from, slot, to, slot, id, type]`. A link that leads out has an empty end, and is not needed. */
function readLink(value: unknown): GroupLink[] {
	const [from, fromSlot, to, toSlot, , type] = listOf(value);
	const ends = [from, fromSlot, to, toSlot].map((end) => (end === null || end === undefined ? Number.NaN : Number(end)));
	const [fromIndex = -1, outSlot = -1, toIndex = -1, inSlot = -1] = ends;
	return ends.every((end) => Number.isInteger(end) && end >= 0)
		? [{ from: { index: fromIndex, slot: outSlot }, to: { index: toIndex, slot: inSlot }, type: String(type) }]
		: [];
}

/** An input inside that a group node shows, under the name that it has there. */
interface GroupInput {
	name: string;
	node: EditorNode;
	spec: InputSpec;
	isWidget: boolean;
}

/** How many values a primitive node has: a number also has a control, and a choice has a control and a filter. */
function countPrimitiveValues(type: string): number {
	if (type === 'INT' || type === 'FLOAT') return 2;
	return type === 'COMBO' ? 3 : 1;
}

const property = (record: unknown, key: string | number): unknown =>
	isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;

/** The position of the socket of a widget that was made an input; -1 for other widgets. */
const findSocketIndex = (node: EditorNode, { name }: InputSpec): number =>
	node.inputs.findIndex((input) => input.name === name && input.widgetName === name);

const isLinked = ({ inputs }: EditorNode, name: string): boolean => inputs.find((input) => input.name === name)?.linkId !== undefined;

/** Builds the inside of one group node. */
class GroupLevelBuilder {
	private readonly level: Level = { nodes: new Map(), links: new Map(), inputs: [], outputs: [] };
	private readonly nodes: EditorNode[];
	private readonly links: GroupLink[];
	/** How often each name of an input was used. */
	private readonly nameCounts = new Map<string, number>();

	constructor(
		private readonly group: JsonRecord,
		private readonly definitions: Definitions,
		private readonly host: EditorNode,
		nextId: () => string,
	) {
		this.nodes = listOf(group.nodes).map((node) => readNode({ ...recordOf(node), id: nextId() }));
		this.links = listOf(group.links).flatMap(readLink);
	}

	build(): Level {
		for (const node of this.nodes) {
			for (const input of node.inputs) delete input.linkId;
			this.level.nodes.set(node.id, node);
		}
		for (const link of this.links) this.addInnerLink(link);
		const inputs = this.listInputs();
		this.assignValues(inputs.filter(({ isWidget }) => isWidget));
		for (const input of inputs) this.addInputSocket(input);
		for (const [index, node] of this.nodes.entries()) this.addOutputSockets(node, index);
		return this.level;
	}

	/** Today's frontend loses values of groups with choices as plain lists, primitive nodes, reroutes, or widgets made inputs. */
	get isAmbiguous(): boolean {
		return this.nodes.some(
			(node) =>
				node.className === PRIMITIVE ||
				node.className === REROUTE ||
				node.inputs.some(({ widgetName, linkId }) => widgetName !== undefined && linkId !== undefined) ||
				this.hasPlainChoice(node),
		);
	}

	private hasPlainChoice(node: EditorNode): boolean {
		const inputs = this.findDefinition(node)?.input;
		const groups = isRecord(inputs) ? [inputs.required, inputs.optional].filter(isRecord) : [];
		return groups.flatMap((group) => Object.values(group)).some((entry) => Array.isArray(listOf(entry)[0]));
	}

	private findDefinition({ className }: EditorNode): JsonRecord | undefined {
		return findDefinition(this.definitions, className);
	}

	private addInnerLink({ from, to, type }: GroupLink): void {
		const [source, target] = [this.nodes[from.index], this.nodes[to.index]];
		const input = target && (target.inputs[to.slot] ?? this.addSocketInput(target, to));
		if (source === undefined || target === undefined || input === undefined) return;
		input.linkId = this.addLink({ nodeId: source.id, slot: from.slot }, { nodeId: target.id, slot: target.inputs.indexOf(input) }, type);
	}

	/** Adds the input at a slot that the file left out. @returns undefined if the class has no such socket. */
	private addSocketInput(node: EditorNode, { index, slot }: GroupEnd): EditorInput | undefined {
		const sockets = this.listSpecs(node, index).filter((spec) => makeWidgets(spec).length === 0);
		const spec = sockets[slot];
		return spec && getOrAddInput(node, spec.name, spec.type, false);
	}

	/** @returns the id of the new link. */
	private addLink(from: EditorEnd, to: EditorEnd, type: string): string {
		const id = String(this.level.links.size + 1);
		this.level.links.set(id, { id, from, to, type });
		return id;
	}

	/** @returns the inputs of a node by its class. A primitive node or a reroute has the type of what it is linked to. */
	private listSpecs(node: EditorNode, index: number): InputSpec[] {
		const definition = this.findDefinition(node);
		if (definition !== undefined) return listInputSpecs(node.className, definition);
		const toSpecs = (name: string, type: string): InputSpec[] => [{ name, type, settings: {}, choices: [], isOptional: false }];
		const outgoing = this.links.find(({ from }) => from.index === index);
		if (node.className === PRIMITIVE) return outgoing === undefined ? [] : toSpecs('value', outgoing.type);
		if (node.className !== REROUTE || this.links.some(({ to }) => to.index === index)) return [];
		const targetType = outgoing && this.nodes[outgoing.to.index]?.inputs[outgoing.to.slot]?.type;
		return toSpecs('', targetType ?? String(listOf(this.findExternal(index, 0))[2] ?? '*'));
	}

	/** @returns the entry of `external` for an output that is used outside: `[index, slot, type]`. */
	private findExternal(index: number, slot: number): unknown {
		return listOf(this.group.external).find((entry) => {
			const [entryIndex, entrySlot, type] = listOf(entry);
			return Number(entryIndex) === index && Number(entrySlot) === slot && type != null;
		});
	}

	/** First widgets and sockets node by node, then widgets that were made inputs. Names depend on this order. */
	private listInputs(): GroupInput[] {
		const inputs: GroupInput[] = [];
		const nodes = [...this.nodes.entries()].map(([index, node]) => {
			const specs = this.listSpecs(node, index);
			const hasWidget = (spec: InputSpec): boolean => node.className === PRIMITIVE || makeWidgets(spec).length > 0;
			return { index, node, widgets: specs.filter(hasWidget), sockets: specs.filter((spec) => !hasWidget(spec)) };
		});
		for (const { index, node, widgets, sockets } of nodes) {
			for (const spec of widgets.filter((one) => findSocketIndex(node, one) < 0))
				inputs.push({ name: this.makeName(node, index, spec.name), node, spec, isWidget: true });
			for (const spec of sockets.filter(({ name }) => !isLinked(node, name))) {
				const name = this.makeName(node, index, node.className === REROUTE ? spec.type : spec.name);
				const isVisible = property(this.findConfig(index, 'input', spec.name), 'visible') !== false;
				if (isVisible) inputs.push({ name, node, spec, isWidget: false });
			}
		}
		for (const { index, node, widgets } of nodes) {
			// The frontend sorts these positions as texts: the tenth before the second.
			const converted = widgets
				.filter((spec) => findSocketIndex(node, spec) >= 0)
				.sort((one, other) => (String(findSocketIndex(node, one)) < String(findSocketIndex(node, other)) ? -1 : 1));
			for (const spec of converted.filter(({ name }) => !isLinked(node, name)))
				inputs.push({ name: this.makeName(node, index, spec.name), node, spec, isWidget: true });
		}
		return inputs;
	}

	/** @returns what the author set for an input or output: its name, and whether the group node shows it. */
	private findConfig(index: number, side: 'input' | 'output', name: string): unknown {
		return property(property(property(this.group.config, index), side), name);
	}

	/** A name that is used already gets the title of its node as a prefix, then a number. */
	private makeName(node: EditorNode, index: number, input: string): string {
		const configured = property(this.findConfig(index, 'input', input), 'name');
		const label = node.inputs.find((one) => one.name === input)?.label;
		let name = typeof configured === 'string' ? configured : (label ?? input);
		let countedName = name;
		if ((node.className === PRIMITIVE && node.title !== undefined) || this.nameCounts.has(name)) {
			const prefix = `${node.title ?? node.className} `;
			countedName = name = `${prefix}${input}`;
			if (this.nameCounts.has(name)) name = `${prefix}${this.nameCounts.get(name)} ${input}`;
		}
		this.nameCounts.set(countedName, (this.nameCounts.get(countedName) ?? 1) + 1);
		return name;
	}

	/** The values of the group node override those of the nodes inside. A value that is absent is the default. */
	private assignValues(widgetInputs: GroupInput[]): void {
		const values: unknown[] = Array.isArray(this.host.values) ? this.host.values : [];
		let position = 0;
		for (const { node, spec } of widgetInputs) {
			const widgets = makeWidgets(spec);
			const value = position < values.length ? values[position] : widgets[0]?.value;
			if (node.className === PRIMITIVE) {
				if (value !== undefined) node.values = [value];
				position += countPrimitiveValues(spec.type);
			} else {
				if (value !== undefined) node.overrides.set(spec.name, { value, slot: { holder: this.host, position } });
				position += widgets.filter(({ isSaved }) => isSaved).length;
			}
		}
	}

	/** A widget needs a socket only if the group node has a link to it. */
	private addInputSocket({ name, node, spec, isWidget }: GroupInput): void {
		if (node.className === PRIMITIVE || (isWidget && findLinkInto(this.host, name) === undefined)) return;
		const input = getOrAddInput(node, spec.name, spec.type, isWidget);
		const socket: SubgraphSocket = { id: '', name, type: spec.type, linkIds: [] };
		const from = { nodeId: BORDER_IN, slot: this.level.inputs.length };
		this.level.inputs.push(socket);
		input.linkId = this.addLink(from, { nodeId: node.id, slot: node.inputs.indexOf(input) }, spec.type);
		socket.linkIds.push(input.linkId);
	}

	/** A group node shows an output that is used inside only if it is used outside as well. */
	private addOutputSockets(node: EditorNode, index: number): void {
		for (const [slot, type] of this.listOutputTypes(node, index).entries()) {
			const isUsedInside = this.links.some(({ from }) => from.index === index && from.slot === slot);
			const isHidden = isUsedInside && this.findExternal(index, slot) === undefined;
			if (!(property(this.findConfig(index, 'output', String(slot)), 'visible') ?? !isHidden)) continue;
			const linkId = this.addLink({ nodeId: node.id, slot }, { nodeId: BORDER_OUT, slot: this.level.outputs.length }, type);
			this.level.outputs.push({ id: '', name: type, type, linkIds: [linkId] });
		}
	}

	private listOutputTypes(node: EditorNode, index: number): string[] {
		const definition = this.findDefinition(node);
		if (definition !== undefined) return listOf(definition.output).map((type) => (Array.isArray(type) ? 'COMBO' : String(type)));
		if (node.className !== REROUTE) return [];
		const isBetweenNodes = this.links.some(({ from }) => from.index === index) && this.links.some(({ to }) => to.index === index);
		return isBetweenNodes && this.findExternal(index, 0) === undefined ? [] : node.outputs.map(({ type }) => type);
	}
}
