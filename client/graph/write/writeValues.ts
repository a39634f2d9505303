import { isDeepStrictEqual } from 'node:util';

import { isExactNumber } from '../../json/numbers';
import { isRecord, type JsonRecord } from '../../json/decode';
import type { ApiGraph } from '../../ports/job';
import { type TracedConversion, traceConversion } from '../convert/convertWorkflow';
import type { EditorNode, ValueSlot } from '../convert/editorGraph';
import { readLayout } from '../convert/widgets/readWidgets';
import type { Definitions } from '../inputs/definitions';
import { parseLink, unwrapValue } from '../inputs/graphNodes';
import { removeLink } from './removeLink';
import { escapeFor, writeSlot, writeWidgets } from './writeWidgets';

/** A pass can show that a value has to be written elsewhere, or that a pattern in a file name contains a changed value. */
const MOST_PASSES = 5;

/**
 * Writes the values of a graph into the widgets of the editor's file that it was converted from.
 * @param workflow the file. It does not change.
 * @param graph the converted graph with other values.
 * @param options.now the date of the conversion.
 * @returns a file that converts to `graph`; undefined if no file with the same nodes and links does.
 * @throws GraphError `not_convertible`.
 */
export function writeValues(
	workflow: JsonRecord,
	graph: ApiGraph,
	definitions: Definitions,
	options: { now?: Date } = {},
): JsonRecord | undefined {
	const file = copyJson(workflow) as JsonRecord;
	for (let pass = 0; pass <= MOST_PASSES; pass++) {
		const traced = traceConversion(file, definitions, options);
		const changes = listChanges(traced, graph);
		if (changes === undefined) return undefined;
		if (changes.length === 0) return file;
		const writer = new ValueWriter(file, traced, graph);
		for (const change of changes) writer.add(change, pass === 0);
		writer.finish();
	}
	return undefined;
}

/** Numbers of many digits stay as they are. */
function copyJson(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(copyJson);
	if (!isRecord(value) || isExactNumber(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyJson(one)]));
}

/** An input that is different in the converted file. */
interface Change {
	nodeId: string;
	input: string;
	/** Its value in the graph; undefined if the graph does not have the input. */
	value: unknown;
	/** In the file, the input is linked to another node. */
	isLinked: boolean;
}

/** @returns undefined if the graphs differ in more than values. */
function listChanges({ graph: converted, dynamicPrompts }: TracedConversion, graph: ApiGraph): Change[] | undefined {
	// The editor would resolve the wildcards of these texts.
	const unresolved = new Set(dynamicPrompts.map(({ nodeId, input }) => `${nodeId}\n${input}`));
	const ids = Object.keys(graph);
	if (ids.length !== Object.keys(converted).length) return undefined;
	const changes: Change[] = [];
	for (const nodeId of ids) {
		const [node, before] = [graph[nodeId], Object.hasOwn(converted, nodeId) ? converted[nodeId] : undefined];
		if (node === undefined || before?.class_type !== node.class_type) return undefined;
		for (const input of new Set([...Object.keys(node.inputs), ...Object.keys(before.inputs)])) {
			const [value, earlier] = [node.inputs[input], before.inputs[input]];
			if (isDeepStrictEqual(value, earlier) && !unresolved.has(`${nodeId}\n${input}`)) continue;
			if (parseLink(value) !== undefined) return undefined;
			changes.push({ nodeId, input, value: unwrapValue(value), isLinked: parseLink(earlier) !== undefined });
		}
	}
	return changes;
}

/** Writes changes into a file that was just converted. */
class ValueWriter {
	/** By node, the changes of values that it holds itself. */
	private readonly own = new Map<string, Change[]>();

	constructor(
		private readonly file: JsonRecord,
		private readonly traced: TracedConversion,
		private readonly graph: ApiGraph,
	) {}

	/** @param keepsLinks whether a primitive node, a group node or a subgraph node keeps the value of the input. */
	add(change: Change, keepsLinks: boolean): void {
		const { nodeId, value } = change;
		const slot = this.findSlot(change);
		if (keepsLinks && slot !== undefined && this.isAgreed(slot, value) && writeSlot(slot, this.toSavedValue(change), this.traced.network))
			return;
		this.own.set(nodeId, [...(this.own.get(nodeId) ?? []), { ...change, isLinked: change.isLinked || slot !== undefined }]);
	}

	private findSlot({ nodeId, input, isLinked }: Pick<Change, 'nodeId' | 'input' | 'isLinked'>): ValueSlot | undefined {
		return isLinked ? undefined : this.traced.slots.get(nodeId)?.get(input);
	}

	/** The value of a primitive node or a group node goes into the widget of the node, which may resolve wildcards. A promoted one does not. */
	private toSavedValue({ nodeId, input, value }: Change): unknown {
		const node = this.traced.network.graph.nodes.get(nodeId);
		const definition = node && this.traced.network.findDefinition(node);
		if (node?.overrides.has(input) !== true || definition === undefined) return value;
		return escapeFor(readLayout(node, definition).filled.layout, input, value);
	}

	/** Whether all inputs that share a value of the file get the same new value. */
	private isAgreed({ holder, position }: ValueSlot, value: unknown): boolean {
		return [...this.traced.slots].every(([nodeId, slots]) =>
			[...slots].every(([input, slot]) => {
				const isOther = slot.holder.saved !== holder.saved || slot.position !== position;
				return isOther || isDeepStrictEqual(unwrapValue(this.graph[nodeId]?.inputs[input]), value);
			}),
		);
	}

	/** The nodes get the values themselves, and lose the links that brought others. */
	finish(): void {
		const { network } = this.traced;
		for (const [nodeId, changes] of this.own) {
			const node = network.graph.nodes.get(nodeId);
			const definition = node && network.findDefinition(node);
			if (node?.saved === undefined || definition === undefined) continue;
			for (const { input, isLinked } of changes) if (isLinked) this.unlink(node, input);
			writeWidgets(node, definition, new Map(changes.map(({ input, value }) => [input, value])), this.listLiterals(nodeId));
		}
	}

	private unlink(node: EditorNode, input: string): void {
		const name = node.inputs.find((one) => one.name === input || one.widgetName === input)?.name ?? input;
		if (node.saved !== undefined) removeLink(this.file, node.saved, name);
	}

	private listLiterals(nodeId: string): ReadonlyMap<string, unknown> {
		const inputs = Object.entries(this.graph[nodeId]?.inputs ?? {});
		return new Map(inputs.flatMap(([name, value]) => (parseLink(value) === undefined ? [[name, unwrapValue(value)] as const] : [])));
	}
}
