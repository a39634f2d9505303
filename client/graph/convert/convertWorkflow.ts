import { clock } from '../../async/clock';
import type { JsonRecord } from '../../json/decode';
import type { ConversionPlace, ConversionRefusal } from '../../errors/graphFaults';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import type { NodeReplacements } from '../../ports/serverControl';
import type { Definitions } from '../inputs/definitions';
import { parseLink } from '../inputs/graphNodes';
import { listRandomSeeds } from '../inputs/listInputs';
import { replaceInFile } from '../replace/replaceInFile';
import { findRegistered } from '../replace/replaceInGraph';
import { type EditorFile, readEditorFile } from './editorFile';
import { BYPASSED, type EditorEnd, type EditorNode, MUTED, type ValueSlot, getEditorTitle, isActive, locateNode } from './editorGraph';
import { expandSubgraphs } from './expand/expandSubgraphs';
import { resolveLinks } from './links';
import { Network } from './network';
import { applyPrimitives } from './primitives';
import { type Conversion, type ConversionNote, type NodeInput, notConvertible } from './report';
import { isFileName, mayBeFileName, TextPatterns, usesOtherNodes } from './textPatterns';
import { fixValueTypes } from './valueTypes';
import { type NodeWidgets, readWidgets } from './widgets/readWidgets';

interface ConversionOptions {
	/** The date for file names with the pattern `%date:…%`. Default: now. */
	now?: Date;
	/** Of retired classes. */
	replacements?: NodeReplacements;
}

/**
 * Converts a saved workflow to the graph that ComfyUI's editor would export.
 * @param workflow a file of any version of the editor, as `parseExact` reads it.
 * @param definitions of the classes that `listClasses` lists, as far as the server has them.
 * @throws GraphError `not_convertible`.
 */
export function convertWorkflow(workflow: unknown, definitions: Definitions, options: ConversionOptions = {}): Conversion {
	const { graph, notes, dynamicPrompts, changedByEditor } = traceConversion(workflow, definitions, options);
	return { graph, notes, dynamicPrompts, changedByEditor };
}

/** By node and input of the converted graph, the position of the value outside the node. An input without one has its own widget. */
export type InputSlots = ReadonlyMap<string, ReadonlyMap<string, ValueSlot>>;

export interface TracedConversion extends Conversion {
	network: Network;
	slots: InputSlots;
}

/** Converts as `convertWorkflow`, and also returns where the file has the values. */
export function traceConversion(
	workflow: unknown,
	definitions: Definitions,
	{ now = new Date(clock.wallNow()), replacements = {} }: ConversionOptions = {},
): TracedConversion {
	const file = readEditorFile(workflow);
	const replaced = replaceInFile(file, definitions, replacements);
	const { graph: flatGraph, ambiguousIds, refusals } = expandSubgraphs(file, definitions);
	if (refusals.length > 0) throw notConvertible(refusals);
	const network = new Network(flatGraph, definitions);
	const primitiveNotes = applyPrimitives(network, new TextPatterns(network, now));
	const { sources, activeNodes, refusals: linkRefusals } = resolveLinks(network);
	const converter = new NodeConverter(network, definitions, new TextPatterns(network, now), ambiguousIds, replacements);
	for (const node of activeNodes) converter.addNode(node, sources.get(node.id) ?? new Map());
	const allRefusals = [...linkRefusals, ...converter.refusals];
	if (allRefusals.length > 0) throw notConvertible(allRefusals);
	if (activeNodes.length === 0) throw notConvertible([{ refusal: 'nothing_to_run' }]);
	const graph: ApiGraph = Object.fromEntries(converter.nodes);
	const circles = findCircles(graph);
	if (circles.length > 0) throw notConvertible(circles.map((ids) => describeCircle(ids, network)));
	const { dynamicPrompts, changedByEditor, slots } = converter;
	const notes = [
		...replaced,
		...reportLinks(file, network),
		...primitiveNotes,
		...converter.notes,
		...reportRandomSeeds(graph, network, definitions),
	];
	return { graph, notes, dynamicPrompts, changedByEditor, network, slots };
}

/**
 * @returns the classes whose definitions a conversion needs, also those of bypassed nodes: their sockets decide what they pass on.
 * @throws GraphError `not_convertible` if the file cannot be read.
 */
export function listClasses(workflow: unknown): string[] {
	const file = readEditorFile(workflow);
	// The sockets of a bypassed group or subgraph node depend on the nodes inside, so these are expanded as well.
	for (const node of file.nodes.values()) if (node.mode === BYPASSED) node.mode = 0;
	const { graph } = expandSubgraphs(file, {});
	const network = new Network(graph, {});
	const nodes = [...graph.nodes.values()];
	const readsAllNodes = nodes.some(usesOtherNodes);
	// Inside a subgraph, muted nodes count as well: the positions of the subgraph node's values depend on their widgets.
	const isNeeded = (node: EditorNode): boolean => readsAllNodes || node.mode !== MUTED || node.id.includes(':');
	return [...new Set(nodes.filter((node) => isNeeded(node) && !network.isVirtual(node)).map(({ className }) => className))];
}

/** Nodes inside subgraphs have the ids that the editor shows. */
const reportLinks = ({ notes }: EditorFile, network: Network): ConversionNote[] =>
	notes
		.filter(({ node }) => isActive(node))
		.map(({ note, node, input, source }) => ({
			note,
			value: source === undefined ? null : [source.nodeId, source.slot],
			...locateNode(node, network.findDefinition(node), input),
		}));

/** Scripts of packs replace -1 at each export. Here, the graph stays the same, and the seeds of a run replace it. */
const reportRandomSeeds = (graph: ApiGraph, network: Network, definitions: Definitions): ConversionNote[] =>
	listRandomSeeds(graph, definitions).flatMap(({ nodeId, input, value }) => {
		const node = network.graph.nodes.get(nodeId);
		return node === undefined ? [] : [{ note: 'random_seed', value, ...locateNode(node, network.findDefinition(node), input) }];
	});

/** A bare list would be a link. */
const wrapList = (value: unknown): unknown => (Array.isArray(value) ? { __value__: value } : value);

/** By input, where the values of linked inputs come from. */
type InputSources = ReadonlyMap<string, EditorEnd>;

type ToPlace = (input: string) => ConversionPlace;

/** Converts one node after the other, and collects the notes and refusals. */
class NodeConverter {
	readonly nodes: Array<[string, ApiGraphNode]> = [];
	readonly notes: ConversionNote[] = [];
	readonly refusals: ConversionRefusal[] = [];
	readonly dynamicPrompts: NodeInput[] = [];
	readonly changedByEditor: NodeInput[] = [];
	readonly slots = new Map<string, Map<string, ValueSlot>>();

	constructor(
		private readonly network: Network,
		private readonly definitions: Definitions,
		private readonly patterns: TextPatterns,
		private readonly ambiguousIds: ReadonlySet<string>,
		private readonly replacements: NodeReplacements,
	) {}

	addNode(node: EditorNode, sources: InputSources): void {
		const definition = this.network.findDefinition(node);
		if (definition === undefined) {
			this.refusals.push(refuseUnknownClass(node, this.replacements));
			return;
		}
		const toPlace: ToPlace = (input) => locateNode(node, definition, input);
		const widgets = readWidgets(node, definition, (input) => sources.has(input));
		this.notes.push(...widgets.notes);
		this.refusals.push(...widgets.refusals);
		this.dynamicPrompts.push(...widgets.dynamicPrompts.map((input) => ({ nodeId: node.id, input })));
		this.changedByEditor.push(...widgets.changedByEditor.map((input) => ({ nodeId: node.id, input })));
		const inputs = this.collectInputs(node, widgets, sources, toPlace);
		for (const [input, value] of inputs)
			if (this.isPatternKept(node, definition, input, value)) this.notes.push({ note: 'widget_guessed', value, ...toPlace(input) });
		if (this.ambiguousIds.has(node.id)) {
			const ownValues = [...widgets.values].filter(([input]) => !sources.has(input));
			this.notes.push(...ownValues.map(([input, value]) => ({ note: 'widget_guessed' as const, value, ...toPlace(input) })));
		}
		const converted: ApiGraphNode = {
			class_type: node.className,
			// Names come from the file. `fromEntries` makes a property even of `__proto__`.
			inputs: Object.fromEntries(inputs),
			_meta: { title: getEditorTitle(node, definition) },
		};
		this.fixTypes(converted, widgets, sources, toPlace);
		this.nodes.push([node.id, converted]);
	}

	/** @returns the node's own values. Links and promoted values override them. */
	private collectInputs(node: EditorNode, widgets: NodeWidgets, sources: InputSources, toPlace: ToPlace): Map<string, unknown> {
		const inputs = new Map([...widgets.values].map(([name, value]) => [name, wrapList(this.replacePatterns(node, name, value))]));
		const slots = new Map([...node.overrides].flatMap(([name, { slot }]) => (slot === undefined ? [] : [[name, slot] as const])));
		this.slots.set(node.id, slots);
		for (const [name, source] of sources) {
			if (!widgets.hasInput(name)) continue;
			const promoted = this.network.graph.promoted.get(source.nodeId);
			inputs.set(name, promoted === undefined ? [source.nodeId, source.slot] : wrapList(this.network.resolvePromoted(promoted)));
			if (promoted?.slot !== undefined) slots.set(name, promoted.slot);
			if (promoted !== undefined && 'instead' in promoted)
				this.notes.push({ note: 'value_by_name', value: promoted.value, instead: promoted.instead, ...toPlace(name) });
		}
		return inputs;
	}

	/** Reports values of a wrong type. Links behind an unknown choice are left out, which is reported as well. */
	private fixTypes(converted: ApiGraphNode, { hasInput }: NodeWidgets, sources: InputSources, toPlace: ToPlace): void {
		for (const { input, ...mismatch } of fixValueTypes(converted, this.definitions)) {
			this.notes.push({ note: 'value_does_not_fit', ...mismatch, ...toPlace(input) });
			const dropped = [...sources].filter(([name]) => name.startsWith(`${input}.`) && !hasInput(name));
			for (const [name, { nodeId, slot }] of dropped)
				this.notes.push({ note: 'link_dropped', value: [nodeId, slot], choice: input, ...toPlace(name) });
		}
	}

	private replacePatterns(node: EditorNode, input: string, value: unknown): unknown {
		return typeof value === 'string' && isFileName(node, input) ? this.patterns.replace(value) : value;
	}

	/** Whether a name of a file has a pattern that the script of a pack may replace. */
	private isPatternKept(node: EditorNode, definition: JsonRecord, input: string, value: unknown): boolean {
		if (typeof value !== 'string' || isFileName(node, input) || !mayBeFileName(definition, input)) return false;
		return this.patterns.replace(value) !== value;
	}
}

/** The class of a subgraph node is the id of its subgraph. */
const SUBGRAPH_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function refuseUnknownClass(node: EditorNode, replacements: NodeReplacements): ConversionRefusal {
	const place = locateNode(node, undefined);
	if (SUBGRAPH_ID.test(node.className)) return { refusal: 'unknown_subgraph', ...place };
	const { cnr_id: registryId, aux_id: repository } = node.properties;
	const pack = [registryId, repository].find((id): id is string => typeof id === 'string' && id !== '');
	const replacedBy = findRegistered(node.className, replacements)?.newClass;
	return {
		refusal: 'unknown_class',
		...place,
		...(pack === undefined ? {} : { pack }),
		...(replacedBy === undefined ? {} : { replacedBy }),
	};
}

function describeCircle(nodeIds: string[], { graph }: Network): ConversionRefusal {
	const node = graph.nodes.get(nodeIds[0] ?? '');
	const place = node === undefined ? { nodeId: '', title: '', className: '' } : locateNode(node, undefined);
	return { refusal: 'circular_links', nodeIds, ...place };
}

/** A hostile file can have thousands of long circles. */
const MOST_CIRCLES = 10;

/** @returns the node ids of each circle, in the order of the links. It visits each node once. */
function findCircles(graph: ApiGraph): string[][] {
	const openVisit = (nodeId: string): { nodeId: string; remaining: string[] } => ({
		nodeId,
		remaining: Object.values(graph[nodeId]?.inputs ?? {}).flatMap((value) => parseLink(value)?.nodeId ?? []),
	});
	const circles: string[][] = [];
	const done = new Set<string>();
	for (const start of Object.keys(graph)) {
		if (circles.length >= MOST_CIRCLES) break;
		const path = done.has(start) ? [] : [openVisit(start)];
		const openIds = new Set(path.map(({ nodeId }) => nodeId));
		for (let visit = path.at(-1); visit !== undefined && circles.length < MOST_CIRCLES; visit = path.at(-1)) {
			const next = visit.remaining.pop();
			if (next === undefined) {
				path.pop();
				openIds.delete(visit.nodeId);
				done.add(visit.nodeId);
			} else if (openIds.has(next)) {
				const ids = path.map(({ nodeId }) => nodeId);
				circles.push(ids.slice(ids.indexOf(next)));
			} else if (!done.has(next) && Object.hasOwn(graph, next)) {
				path.push(openVisit(next));
				openIds.add(next);
			}
		}
	}
	return circles;
}
