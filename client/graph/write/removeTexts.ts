import { isRecord, type JsonRecord, listOf } from '../../json/decode';
import { traceConversion } from '../convert/convertWorkflow';
import { readNode } from '../convert/editorFile';
import { isFileName } from '../convert/textPatterns';
import { isNote } from '../convert/virtualNodes';
import { readLayout } from '../convert/widgets/readWidgets';
import { type Definitions, findDefinition, findInputDefinition } from '../inputs/definitions';
import { listLevels } from './removeLink';
import { writeWidgets } from './writeWidgets';

const TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'textarea', 'markdown']);

/**
 * Empties the notes of an editor's file and all texts that a user can type: prompts also of muted nodes. Names of files stay.
 * @param file is changed.
 */
export function removeTexts(file: JsonRecord, definitions: Definitions, options: { now?: Date } = {}): void {
	const choices = listChoicePositions(file, definitions, options);
	for (const node of listNodes(file)) {
		const definition = typeof node.type === 'string' ? findDefinition(definitions, node.type) : undefined;
		if (definition === undefined) emptyUnknown(node, choices.get(node) ?? new Set());
		else emptyTexts(node, definition);
	}
}

/** @returns the nodes of all levels, and those of group nodes. */
function listNodes(file: JsonRecord): JsonRecord[] {
	const groups = isRecord(file.extra) && isRecord(file.extra.groupNodes) ? Object.values(file.extra.groupNodes).filter(isRecord) : [];
	return [...listLevels(file), ...groups].flatMap(({ nodes }) => listOf(nodes).filter(isRecord));
}

/** @returns the positions at which a primitive node, a group node or a subgraph node has a number or a choice. */
function listChoicePositions(file: JsonRecord, definitions: Definitions, options: { now?: Date }): Map<JsonRecord, Set<number | string>> {
	const { graph, slots } = traceConversion(file, definitions, options);
	const positions = new Map<JsonRecord, Set<number | string>>();
	for (const [nodeId, ofNode] of slots) {
		for (const [input, { holder, position }] of ofNode) {
			const node = graph[nodeId];
			const type = node && findInputDefinition(definitions, node, input)?.type;
			if (holder.saved === undefined || type === undefined || type === 'STRING') continue;
			positions.set(holder.saved, (positions.get(holder.saved) ?? new Set()).add(position));
		}
	}
	return positions;
}

/** Empties a node whose widgets are not known: without its class, any text can be a prompt. */
function emptyUnknown(node: JsonRecord, kept: ReadonlySet<number | string>): void {
	const { widgets_values: values, type } = node;
	const emptyAt = (value: unknown, position: number | string): unknown => (typeof value === 'string' && !kept.has(position) ? '' : value);
	if (Array.isArray(values)) node.widgets_values = values.map(emptyAt);
	if (isRecord(values))
		node.widgets_values = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, emptyAt(value, name)]));
	delete node.widgets_values_named;
	if (typeof type === 'string' && isNote(type)) delete node.title;
}

function emptyTexts(saved: JsonRecord, definition: JsonRecord): void {
	const node = readNode({ id: 0, ...saved });
	const { widgets } = readLayout(node, definition).filled.layout;
	const texts = widgets.filter(({ kind, name, value }) => TEXT_KINDS.has(kind) && !isFileName(node, name) && typeof value === 'string');
	const values = new Map(texts.map(({ name }) => [name, '']));
	if (values.size > 0) writeWidgets({ ...node, saved }, definition, values, values);
}
