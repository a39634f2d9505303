import { isRecord, type JsonRecord, listOf, recordOf, textOr } from '../../json/decode';
import { isExactNumber } from '../../json/numbers';
import { nestsTooDeep } from '../parseGraph';
import { type LinkNote, type LinkTable, readLinkTable } from './linkTable';
import {
	type EditorEnd,
	type EditorGraph,
	type EditorInput,
	type EditorLink,
	type EditorNode,
	type EditorOutput,
	type SubgraphSocket,
	isActive,
} from './editorGraph';
import { addSavedLinks, type SavedLink } from './everywhere';
import { brokenFile } from './report';
import { isNote } from './virtualNodes';

export interface EditorSubgraph extends EditorGraph, Pick<LinkTable, 'notes'> {
	id: string;
	name: string;
	inputs: SubgraphSocket[];
	outputs: SubgraphSocket[];
}

/** A file of the editor. It is the same for every version of the format. Ids are texts. */
export interface EditorFile extends EditorGraph {
	subgraphs: Map<string, EditorSubgraph>;
	/** `extra.groupNodes` by name: the definitions of group nodes, which came before subgraphs. */
	groups: Map<string, JsonRecord>;
	/** The highest node id so far (`last_node_id`, `state.lastNodeId`), or 0. The frontend continues from it. */
	lastNodeId: number;
	/** What is uncertain about the links of the workflow and of its subgraphs. */
	notes: LinkNote[];
}

/** @throws GraphError `not_convertible` if the value is not a file of any version of the editor. */
export function readEditorFile(value: unknown): EditorFile {
	if (!isRecord(value) || !Array.isArray(value.nodes)) throw brokenFile('it has no list of nodes');
	if (nestsTooDeep(value)) throw brokenFile('it has too many nested levels');
	const subgraphs = new Map<string, EditorSubgraph>();
	for (const subgraph of subgraphsIn(value)) {
		if (subgraphs.has(subgraph.id)) throw brokenFile(`two subgraphs have the id ${shorten(subgraph.id)}`);
		subgraphs.set(subgraph.id, subgraph);
	}
	const groups = new Map(
		Object.entries(recordOf(recordOf(value.extra).groupNodes)).filter((entry): entry is [string, JsonRecord] => isRecord(entry[1])),
	);
	const lastNodeId = Number(value.last_node_id ?? recordOf(value.state).lastNodeId);
	const graph = readGraph(value);
	const notes = [graph, ...subgraphs.values()].flatMap((level) => level.notes);
	return { ...graph, subgraphs, groups, lastNodeId: Number.isSafeInteger(lastNodeId) ? lastNodeId : 0, notes };
}

const LONGEST_TEXT_SHOWN = 60;

const shorten = (value: unknown): string => {
	const text = typeof value === 'string' ? value : String(JSON.stringify(value));
	return text.length > LONGEST_TEXT_SHOWN ? `${text.slice(0, LONGEST_TEXT_SHOWN)}…` : text;
};

/** Reads a part of a file that is a list in every version, or absent. */
function readList(value: unknown, what: string): unknown[] {
	if (value === undefined || value === null) return [];
	if (!Array.isArray(value)) throw brokenFile(`${what} are not a list`);
	return value;
}

/** Ids are numbers in most files, and texts in some. */
export function readId(value: unknown): string | undefined {
	if (typeof value === 'number') return Number.isInteger(value) ? String(value) : undefined;
	if (isExactNumber(value)) return value.value;
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function readSlot(value: unknown): number | undefined {
	const slot = typeof value === 'string' ? Number.parseInt(value, 10) : value;
	return typeof slot === 'number' && Number.isInteger(slot) ? slot : undefined;
}

/** Types are texts. Nodes of some packs have numbers and lists. */
const readType = (value: unknown): string => (value === undefined || value === null || isRecord(value) ? '' : String(value));

/** Version 0.4 has links as `[id, from, slot, to, slot, type]`, and version 1 as objects. */
function readLink(value: unknown): EditorLink | undefined {
	const [id, fromNode, fromSlot, toNode, toSlot, type] = Array.isArray(value)
		? (value as unknown[])
		: isRecord(value)
			? [value.id, value.origin_id, value.origin_slot, value.target_id, value.target_slot, value.type]
			: [];
	const [linkId, from, to] = [readId(id), readEnd(fromNode, fromSlot), readEnd(toNode, toSlot)];
	if (linkId === undefined || from === undefined) return undefined;
	return { id: linkId, from, to: to ?? { nodeId: '', slot: -1 }, type: readType(type) };
}

function readEnd(node: unknown, slot: unknown): EditorEnd | undefined {
	const [nodeId, index] = [readId(node), readSlot(slot)];
	return nodeId === undefined || index === undefined ? undefined : { nodeId, slot: index };
}

/** Use Everywhere lists its links in `extra.ue_links`. */
function readSavedLink(value: unknown, nodes: ReadonlyMap<string, EditorNode>): SavedLink | undefined {
	const { upstream, upstream_slot: fromSlot, downstream, downstream_slot: toSlot, controller: controllerId, type } = recordOf(value);
	const [from, to, controller] = [readEnd(upstream, fromSlot), readEnd(downstream, toSlot), nodes.get(readId(controllerId) ?? '')];
	if (from === undefined || to === undefined || controller === undefined || !isActive(controller)) return undefined;
	return { from, to, controller, type: readType(type) };
}

function readInput(value: unknown, nodeId: string): EditorInput {
	if (!isRecord(value)) throw brokenFile(`node ${shorten(nodeId)} has an input that is not an object`);
	const { name, type, link, widget, label } = value;
	const input: EditorInput = { name: typeof name === 'string' ? name : '', type: readType(type) };
	const [linkId, widgetName, renamed] = [readId(link), textOr(recordOf(widget).name, undefined), textOr(label, undefined)];
	if (linkId !== undefined) input.linkId = linkId;
	if (widgetName !== undefined) input.widgetName = widgetName;
	if (renamed !== undefined) input.label = renamed;
	return input;
}

function readOutput(value: unknown): EditorOutput {
	const { name, type, links } = recordOf(value);
	const ids = Array.isArray(links) ? (links as unknown[]).map(readId) : [];
	return { name: typeof name === 'string' ? name : '', type: readType(type), linkIds: ids.filter((id) => id !== undefined) };
}

export function readNode(value: unknown): EditorNode {
	if (!isRecord(value)) throw brokenFile(`its list of nodes contains ${shorten(value)}, which is not a node`);
	const id = readId(value.id);
	if (id === undefined || id === '__proto__')
		throw brokenFile(value.id === undefined ? 'a node has no id' : `the node id "${shorten(value.id)}" is not valid`);
	if (typeof value.type !== 'string' || value.type === '') throw brokenFile(`node ${shorten(id)} has no type`);
	const { mode, inputs, outputs, properties, widgets_values: values, widgets_values_named: named } = value;
	const node: EditorNode = {
		id,
		className: value.type,
		mode: typeof mode === 'number' ? mode : 0,
		inputs: readList(inputs, `the inputs of node ${shorten(id)}`).map((input) => readInput(input, id)),
		outputs: readList(outputs, `the outputs of node ${shorten(id)}`).map(readOutput),
		values: Array.isArray(values) || isRecord(values) ? (values as unknown[] | JsonRecord) : undefined,
		overrides: new Map(),
		properties: recordOf(properties),
		saved: value,
	};
	const title = textOr(value.title, undefined);
	if (title !== undefined) node.title = title;
	if (isRecord(named)) node.named = named;
	return node;
}

/**
 * @param subgraph its name in messages; undefined for the workflow itself.
 * @param outputs of the subgraph.
 */
function readGraph(value: JsonRecord, subgraph?: string, outputs: SubgraphSocket[] = []): EditorGraph & LinkTable {
	const describePart = (part: string): string => (subgraph === undefined ? `its ${part}` : `the ${part} of ${subgraph}`);
	const nodes = new Map<string, EditorNode>();
	for (const node of readList(value.nodes, describePart('nodes')).map(readNode)) {
		const sameId = nodes.get(node.id);
		// A note has no links, so its id does not matter.
		if (sameId !== undefined && isNote(node.className)) continue;
		if (sameId !== undefined && !isNote(sameId.className))
			throw brokenFile(`two of ${describePart('nodes')} have the id ${shorten(node.id)}`);
		nodes.set(node.id, node);
	}
	const entries = readList(value.links, describePart('links')).flatMap((entry) => readLink(entry) ?? []);
	const table = readLinkTable(nodes, entries);
	const saved = listOf(recordOf(value.extra).ue_links).flatMap((entry) => readSavedLink(entry, nodes) ?? []);
	addSavedLinks(saved, nodes, table, outputs);
	return { nodes, ...table };
}

function readSockets(value: unknown, what: string): SubgraphSocket[] {
	return readList(value, what).map((socket) => {
		const { id, name, label, type, linkIds } = recordOf(socket);
		const renamed = textOr(label, undefined);
		return {
			id: readId(id) ?? '',
			name: typeof name === 'string' ? name : '',
			...(renamed !== undefined && { label: renamed }),
			type: readType(type),
			linkIds: (Array.isArray(linkIds) ? (linkIds as unknown[]) : []).map(readId).filter((linkId) => linkId !== undefined),
		};
	});
}

function readSubgraph(value: unknown): EditorSubgraph {
	const id = isRecord(value) ? readId(value.id) : undefined;
	if (!isRecord(value) || id === undefined) throw brokenFile('one of its subgraphs has no id');
	const name = textOr(value.name, undefined) ?? id;
	const what = `subgraph ${shorten(name)}`;
	const outputs = readSockets(value.outputs, `the outputs of ${what}`);
	return { id, name, ...readGraph(value, what, outputs), inputs: readSockets(value.inputs, `the inputs of ${what}`), outputs };
}

/** All subgraphs are in one list. In some files, a subgraph has a list of its own. */
function* subgraphsIn(value: JsonRecord): Iterable<EditorSubgraph> {
	const waiting = [value];
	for (let level = waiting.pop(); level !== undefined; level = waiting.pop()) {
		for (const entry of readList(recordOf(level.definitions).subgraphs, 'its subgraphs')) {
			yield readSubgraph(entry);
			waiting.push(recordOf(entry));
		}
	}
}
