import { clock } from '../../clock';
import type { ApiGraph, ApiGraphNode } from '../../job';
import type { Definitions } from '../form';
import { findCircles } from './circles';
import { expand } from './expand';
import { resolveLinks } from './links';
import { checkLiterals } from './literals';
import { BYPASSED, type EditorEnd, type EditorNode, MUTED, type PromotedValue } from './model';
import { Network } from './network';
import { placeOf, editorTitleOf } from './place';
import { applyPrimitives } from './primitives';
import { readEditorFile } from './read';
import { notConvertible } from './refuse';
import { isFileName, takesOthersValues, TextPatterns } from './textPatterns';
import type { Conversion, ConversionNote } from './types';
import type { ConversionRefusal } from '../../graphFaults';
import { widgetsOf } from './widgets';

/** A list would be taken for a link. */
const wrapped = (value: unknown): unknown => (Array.isArray(value) ? { __value__: value } : value);

const packOf = ({ properties }: EditorNode): string | undefined =>
	[properties.cnr_id, properties.aux_id].find((id) => typeof id === 'string' && id !== '') as string | undefined;

/** Instances have their subgraph's id as their class. */
const SUBGRAPH = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function unknownClass(node: EditorNode): ConversionRefusal {
	if (SUBGRAPH.test(node.className)) return { refusal: 'unknown_subgraph', ...placeOf(node, undefined) };
	const pack = packOf(node);
	return { refusal: 'unknown_class', ...placeOf(node, undefined), ...(pack === undefined ? {} : { pack }) };
}

const NO_PLACE = { nodeId: '', title: '', className: '' };

function circularLinks(nodeIds: string[], { graph }: Network): ConversionRefusal {
	const node = graph.nodes.get(nodeIds[0] ?? '');
	return { refusal: 'circular_links', nodeIds, ...(node === undefined ? NO_PLACE : placeOf(node, undefined)) };
}

class Converter {
	readonly nodes: Array<[string, ApiGraphNode]> = [];
	readonly notes: ConversionNote[] = [];
	readonly refusals: ConversionRefusal[] = [];
	readonly dynamicPrompts: Conversion['dynamicPrompts'] = [];
	readonly changedByEditor: Conversion['changedByEditor'] = [];

	constructor(
		private readonly network: Network,
		private readonly definitions: Definitions,
		private readonly patterns: TextPatterns,
		private readonly readOtherwise: ReadonlySet<string>,
	) {}

	add(node: EditorNode, sources: Map<string, EditorEnd>): void {
		const definition = this.network.definitionOf(node);
		if (definition === undefined) {
			this.refusals.push(unknownClass(node));
			return;
		}
		const { values, hasInput, notes, refusals, dynamicPrompts, changedByEditor } = widgetsOf(node, definition, (input) =>
			sources.has(input),
		);
		this.notes.push(...notes);
		this.refusals.push(...refusals);
		this.dynamicPrompts.push(...dynamicPrompts.map((input) => ({ nodeId: node.id, input })));
		this.changedByEditor.push(...changedByEditor.map((input) => ({ nodeId: node.id, input })));
		const inputs = new Map([...values].map(([name, value]) => [name, wrapped(this.written(node, name, value))]));
		const place = (input: string) => placeOf(node, definition, input);
		for (const [name, source] of sources) {
			if (!hasInput(name)) continue;
			const promoted = this.network.graph.promoted?.get(source.nodeId);
			inputs.set(name, promoted === undefined ? [source.nodeId, source.slot] : wrapped(this.promotedValue(promoted)));
			if (promoted !== undefined && 'instead' in promoted)
				this.notes.push({ note: 'value_by_name', value: promoted.value, instead: promoted.instead, ...place(name) });
		}
		if (this.readOtherwise.has(node.id))
			for (const [input, value] of values) if (!sources.has(input)) this.notes.push({ note: 'widget_guessed', value, ...place(input) });
		const made: ApiGraphNode = {
			class_type: node.className,
			// Names come from a file of anybody's: `fromEntries` makes a property even of `__proto__`.
			inputs: Object.fromEntries(inputs),
			_meta: { title: editorTitleOf(node, definition) },
		};
		for (const { input, ...misfit } of checkLiterals(made, this.definitions)) {
			this.notes.push({ note: 'value_does_not_fit', ...misfit, ...place(input) });
			const dropped = [...sources].filter(([name]) => name.startsWith(`${input}.`) && !hasInput(name));
			for (const [name, { nodeId, slot }] of dropped)
				this.notes.push({ note: 'link_dropped', value: [nodeId, slot], choice: input, ...place(name) });
		}
		this.nodes.push([node.id, made]);
	}

	private written(node: EditorNode, name: string, value: unknown): unknown {
		return typeof value === 'string' && isFileName(node, name) ? this.patterns.replaced(value) : value;
	}

	private promotedValue(promoted: PromotedValue): unknown {
		if ('value' in promoted) return promoted.value;
		const node = this.network.graph.nodes.get(promoted.asIn.nodeId);
		return node && this.network.savedWidgetsOf(node)?.held.get(promoted.asIn.widgetName);
	}
}

/**
 * What the editor's own export would make of a saved workflow.
 * @param workflow an editor's file of any version, as `parseExact` reads it.
 * @param definitions of the classes that `classesIn` names, as far as the server knows them.
 * @param options.now the date that names of files take where they say `%date:…%`.
 * @throws GraphError `not_convertible`.
 */
export function convertWorkflow(
	workflow: unknown,
	definitions: Definitions,
	{ now = new Date(clock.wallNow()) }: { now?: Date } = {},
): Conversion {
	const { graph, readOtherwise, refusals } = expand(readEditorFile(workflow), definitions);
	if (refusals.length > 0) throw notConvertible(refusals);
	const network = new Network(graph, definitions);
	const ofPrimitives = applyPrimitives(network, new TextPatterns(network, now));
	const { sources, executed, refusals: ofLinks } = resolveLinks(network);
	const converter = new Converter(network, definitions, new TextPatterns(network, now), readOtherwise);
	for (const node of executed) converter.add(node, sources.get(node.id) ?? new Map());
	const all = [...ofLinks, ...converter.refusals];
	if (all.length > 0) throw notConvertible(all);
	if (executed.length === 0) throw notConvertible([{ refusal: 'nothing_to_run' }]);
	const api: ApiGraph = Object.fromEntries(converter.nodes);
	const circles = findCircles(api);
	if (circles.length > 0) throw notConvertible(circles.map((ids) => circularLinks(ids, network)));
	const { dynamicPrompts, changedByEditor } = converter;
	return { graph: api, notes: [...ofPrimitives, ...converter.notes], dynamicPrompts, changedByEditor };
}

/**
 * The classes whose definitions a conversion needs; those of bypassed nodes among them, because what they hand on is
 * told by the types of their sockets.
 * @throws GraphError `not_convertible`, where the file cannot be read.
 */
export function classesIn(workflow: unknown): string[] {
	const file = readEditorFile(workflow);
	// What a bypassed group or subgraph hands on is told by its sockets, which are told by what it holds.
	for (const node of file.nodes.values()) if (node.mode === BYPASSED) node.mode = 0;
	const { graph } = expand(file, {});
	const network = new Network(graph, {});
	// Inside a subgraph even a muted node has widgets, by which the values outside are counted.
	const nodes = [...graph.nodes.values()];
	const areAllRead = nodes.some(takesOthersValues);
	const needed = nodes.filter((node) => (areAllRead || node.mode !== MUTED || node.id.includes(':')) && !network.isVirtual(node));
	return [...new Set(needed.map(({ className }) => className))];
}
