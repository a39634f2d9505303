import { isRecord, type JsonRecord } from '../../json/decode';
import type { NodeReplacement, NodeReplacements } from '../../ports/serverControl';
import type { EditorFile } from '../convert/editorFile';
import { type EditorGraph, type EditorInput, type EditorNode, isActive, locateNode } from '../convert/editorGraph';
import type { ConversionNote } from '../convert/report';
import type { Definitions } from '../inputs/definitions';
import { findLost, findReplacement, mapInputs, moveOutput } from './replaceInGraph';

/** Replaces the active nodes of retired classes in a file, also those inside subgraphs. It changes the nodes and links of the file. */
export const replaceInFile = (file: EditorFile, definitions: Definitions, replacements: NodeReplacements): ConversionNote[] =>
	[file, ...file.subgraphs.values()].flatMap((level) =>
		[...level.nodes.values()].flatMap((node) => {
			const replacement = isActive(node) ? findReplacement(node.className, definitions, replacements) : undefined;
			return replacement === undefined ? [] : [replaceNode(node, level, replacement)];
		}),
	);

function replaceNode(node: EditorNode, { links }: EditorGraph, replacement: NodeReplacement): ConversionNote {
	const { newClass, outputs } = replacement;
	const note = { ...locateNode(node, undefined), note: 'node_replaced' as const, value: newClass };
	node.className = newClass;
	const lost = replaceInputs(node, links, replacement);
	for (const link of links.values()) if (link.from.nodeId === node.id) link.from.slot = moveOutput(link.from.slot, replacement);
	const saved = [...node.outputs];
	for (const { to, from } of outputs ?? []) if (saved[from] !== undefined && to <= saved.length) node.outputs[to] = saved[from];
	return { ...note, lost };
}

/** @returns the names of the linked inputs and of the values that have no place in the new class. */
function replaceInputs(node: EditorNode, links: EditorGraph['links'], replacement: NodeReplacement): string[] {
	const { oldWidgets, inputs: mapping } = replacement;
	if (mapping === undefined && oldWidgets === undefined) return [];
	const values = nameValues(node, replacement);
	const before = node.inputs;
	delete node.named;
	node.values = mapInputs(values, replacement);
	if (mapping === undefined) return [];
	node.inputs = mapping.flatMap((entry) => ('from' in entry ? renameInput(before, entry.from, entry.to) : []));
	const linked = before.filter(({ linkId }) => linkId !== undefined);
	// Such a link would lead to another input of the new class.
	for (const { linkId = '' } of linked) if (!node.inputs.some((input) => input.linkId === linkId)) links.delete(linkId);
	return findLost([...linked.map(({ name }) => name), ...Object.keys(values)], replacement);
}

function renameInput(inputs: EditorInput[], from: string, to: string): EditorInput[] {
	const input = inputs.find(({ name }) => name === from);
	return input === undefined ? [] : [{ ...input, name: to, ...(input.widgetName !== undefined && { widgetName: to }) }];
}

/** Gives the values of a node the names of its old widgets. A value whose name is unknown is named by its position. */
function nameValues({ values, named, inputs }: EditorNode, { oldWidgets, inputs: mapping = [] }: NodeReplacement): JsonRecord {
	if (isRecord(values)) return values;
	const list = values ?? [];
	const nameAt = (position: number): string => `value ${position + 1}`;
	if (oldWidgets !== undefined) return Object.fromEntries(list.map((value, position) => [oldWidgets[position] ?? nameAt(position), value]));
	if (named !== undefined) return named;
	// ComfyUI's own list does not name the only widget of `T2IAdapterLoader`. There is one value and one name for it.
	const names = mapping.flatMap((entry) =>
		'from' in entry && !inputs.some(({ name, widgetName }) => name === entry.from && widgetName === undefined) ? [entry.from] : [],
	);
	const isCertain = list.length === 1 && names.length === 1;
	return Object.fromEntries(list.map((value, position) => [isCertain ? String(names[0]) : nameAt(position), value]));
}
