import { isExactNumber } from '../../json/numbers';
import { isRecord, type JsonRecord, textOr } from '../../decode';
import { nestsTooDeep } from '../nesting';
import type { EditorEnd, EditorFile, EditorGraph, EditorInput, EditorLink, EditorNode, EditorOutput, EditorSubgraph } from './model';
import { brokenFile } from './refuse';

/** More than anybody draws, so that a hostile file ends here. */
const LONGEST_TEXT_SHOWN = 60;

const shown = (value: unknown): string => {
	const text = typeof value === 'string' ? value : String(JSON.stringify(value));
	return text.length > LONGEST_TEXT_SHOWN ? `${text.slice(0, LONGEST_TEXT_SHOWN)}…` : text;
};

/** The parts of a file that are lists in every version; one that is absent is empty. */
function listOf(value: unknown, what: string): unknown[] {
	if (value === undefined || value === null) return [];
	if (!Array.isArray(value)) throw brokenFile(`${what} are not a list`);
	return value;
}

const recordOr = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** Ids are numbers in most files, and text in some; both mean the same. */
function idOf(value: unknown): string | undefined {
	if (typeof value === 'number') return Number.isInteger(value) ? String(value) : undefined;
	if (isExactNumber(value)) return value.value;
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function slotOf(value: unknown): number | undefined {
	const slot = typeof value === 'string' ? Number.parseInt(value, 10) : value;
	return typeof slot === 'number' && Number.isInteger(slot) ? slot : undefined;
}

/** Types are text; numbers and lists occur in nodes of some packs. */
const typeOf = (value: unknown): string => (value === undefined || value === null || isRecord(value) ? '' : String(value));

/** Version 0.4 has links as `[id, from, slot, to, slot, type]`, the later one as objects. */
function linkOf(value: unknown): EditorLink | undefined {
	const [id, fromNode, fromSlot, toNode, toSlot, type] = Array.isArray(value)
		? (value as unknown[])
		: isRecord(value)
			? [value.id, value.origin_id, value.origin_slot, value.target_id, value.target_slot, value.type]
			: [];
	const [linkId, from, to] = [idOf(id), endOf(fromNode, fromSlot), endOf(toNode, toSlot)];
	if (linkId === undefined || from === undefined) return undefined;
	return { id: linkId, from, to: to ?? { nodeId: '', slot: -1 }, type: typeOf(type) };
}

function endOf(node: unknown, slot: unknown): EditorEnd | undefined {
	const [nodeId, index] = [idOf(node), slotOf(slot)];
	return nodeId === undefined || index === undefined ? undefined : { nodeId, slot: index };
}

function inputOf(value: unknown, nodeId: string): EditorInput {
	if (!isRecord(value)) throw brokenFile(`node ${shown(nodeId)} has an input that is not an object`);
	const { name, type, link, widget, label } = value;
	const input: EditorInput = { name: typeof name === 'string' ? name : '', type: typeOf(type) };
	const [linkId, widgetName, renamed] = [idOf(link), textOr(recordOr(widget).name, undefined), textOr(label, undefined)];
	if (linkId !== undefined) input.linkId = linkId;
	if (widgetName !== undefined) input.widgetName = widgetName;
	if (renamed !== undefined) input.label = renamed;
	return input;
}

function outputOf(value: unknown): EditorOutput {
	const { name, type, links } = recordOr(value);
	const ids = Array.isArray(links) ? (links as unknown[]).map(idOf) : [];
	return { name: typeof name === 'string' ? name : '', type: typeOf(type), linkIds: ids.filter((id) => id !== undefined) };
}

export function nodeOf(value: unknown): EditorNode {
	if (!isRecord(value)) throw brokenFile(`its nodes hold ${shown(value)} where a node should be`);
	const id = idOf(value.id);
	if (id === undefined || id === '__proto__')
		throw brokenFile(value.id === undefined ? 'a node has no id' : `a node has ${shown(value.id)} for an id`);
	if (typeof value.type !== 'string' || value.type === '') throw brokenFile(`node ${shown(id)} has no type`);
	const { mode, inputs, outputs, properties, widgets_values: values, widgets_values_named: named } = value;
	const node: EditorNode = {
		id,
		className: value.type,
		mode: typeof mode === 'number' ? mode : 0,
		inputs: listOf(inputs, `the inputs of node ${shown(id)}`).map((input) => inputOf(input, id)),
		outputs: listOf(outputs, `the outputs of node ${shown(id)}`).map(outputOf),
		values: Array.isArray(values) || isRecord(values) ? (values as unknown[] | JsonRecord) : undefined,
		given: new Map(),
		properties: recordOr(properties),
	};
	const title = textOr(value.title, undefined);
	if (title !== undefined) node.title = title;
	if (isRecord(named)) node.named = named;
	return node;
}

/** @param subgraph how it is called; undefined for the file itself. */
function graphOf(value: JsonRecord, subgraph?: string): EditorGraph {
	const called = (part: string): string => (subgraph === undefined ? `its ${part}` : `the ${part} of ${subgraph}`);
	const nodes = new Map<string, EditorNode>();
	for (const node of listOf(value.nodes, called('nodes')).map(nodeOf)) {
		if (nodes.has(node.id)) throw brokenFile(`two of ${called('nodes')} have the id ${shown(node.id)}`);
		nodes.set(node.id, node);
	}
	const links = new Map<string, EditorLink>();
	for (const entry of listOf(value.links, called('links'))) {
		const link = linkOf(entry);
		if (link !== undefined) links.set(link.id, link);
	}
	return { nodes, links };
}

function socketsOf(value: unknown, what: string): EditorSubgraph['inputs'] {
	return listOf(value, what).map((socket) => {
		const { id, name, label, type, linkIds } = recordOr(socket);
		const renamed = textOr(label, undefined);
		return {
			id: idOf(id) ?? '',
			name: typeof name === 'string' ? name : '',
			...(renamed !== undefined && { label: renamed }),
			type: typeOf(type),
			linkIds: (Array.isArray(linkIds) ? (linkIds as unknown[]) : []).map(idOf).filter((linkId) => linkId !== undefined),
		};
	});
}

function subgraphOf(value: unknown): EditorSubgraph {
	const id = isRecord(value) ? idOf(value.id) : undefined;
	if (!isRecord(value) || id === undefined) throw brokenFile('a subgraph of it has no id');
	const name = textOr(value.name, undefined) ?? id;
	const what = `subgraph ${shown(name)}`;
	return {
		id,
		name,
		...graphOf(value, what),
		inputs: socketsOf(value.inputs, `the inputs of ${what}`),
		outputs: socketsOf(value.outputs, `the outputs of ${what}`),
	};
}

/** Subgraphs stand in one list, and in some files within each other's definitions. */
function* subgraphsIn(value: JsonRecord): Iterable<EditorSubgraph> {
	const open = [value];
	for (let level = open.pop(); level !== undefined; level = open.pop()) {
		for (const entry of listOf(recordOr(level.definitions).subgraphs, 'its subgraphs')) {
			yield subgraphOf(entry);
			open.push(recordOr(entry));
		}
	}
}

/** @throws GraphError `not_convertible`, where it cannot be read as an editor's file of any version. */
export function readEditorFile(value: unknown): EditorFile {
	if (!isRecord(value) || !Array.isArray(value.nodes)) throw brokenFile('it has no list of nodes');
	if (nestsTooDeep(value)) throw brokenFile('it nests too deep');
	const subgraphs = new Map<string, EditorSubgraph>();
	for (const subgraph of subgraphsIn(value)) {
		if (subgraphs.has(subgraph.id)) throw brokenFile(`two subgraphs have the id ${shown(subgraph.id)}`);
		subgraphs.set(subgraph.id, subgraph);
	}
	const groups = new Map(
		Object.entries(recordOr(recordOr(value.extra).groupNodes)).filter((entry): entry is [string, JsonRecord] => isRecord(entry[1])),
	);
	const lastNodeId = Number(value.last_node_id ?? recordOr(value.state).lastNodeId);
	return { ...graphOf(value), subgraphs, groups, lastNodeId: Number.isSafeInteger(lastNodeId) ? lastNodeId : 0 };
}
