import { GraphError } from '../../errors/errors';
import { isRecord, type JsonRecord, listOf, recordOf, recordsOf, textOr } from '../../json/decode';
import { readId } from './editorFile';
import type { ConversionNote } from './report';

export interface RunnableBlueprint {
	/** A workflow in editor format, with the added nodes. */
	file: JsonRecord;
	/** `output_node_added` for each added node. */
	notes: ConversionNote[];
}

interface Saver {
	className: string;
	title: string;
	input: string;
	/** As a new node of the editor has them. */
	values: unknown[];
}

/** By type of an output, the node of ComfyUI itself that saves or shows it. */
const SAVERS: Readonly<Record<string, Saver>> = {
	IMAGE: { className: 'SaveImage', title: 'Save Image', input: 'images', values: ['ComfyUI'] },
	VIDEO: { className: 'SaveVideo', title: 'Save Video', input: 'video', values: ['video/ComfyUI', 'auto', 'auto'] },
	AUDIO: { className: 'SaveAudio', title: 'Save Audio', input: 'audio', values: ['audio/ComfyUI'] },
	STRING: { className: 'PreviewAny', title: 'Preview as Text', input: 'source', values: [] },
};

const ROW_HEIGHT = 320;
const FAR_RIGHT = 400;

/**
 * Returns a blueprint as a workflow that can run: each output that a node of ComfyUI saves or shows gets this node. Like the editor, it
 * accepts only a file with one node, which is a subgraph node.
 * @throws GraphError `not_a_blueprint`.
 */
export function toRunnable(name: string, file: JsonRecord): RunnableBlueprint {
	const node = readOnlyNode(name, file);
	const outputs = listOf(node.outputs).map((output) => recordOf(output));
	let nodeId = nextId(node.id, file.last_node_id, recordOf(file.state).lastNodeId);
	let linkId = nextId(file.last_link_id, recordOf(file.state).lastLinkId);
	const notes: ConversionNote[] = [];
	const nodes: JsonRecord[] = [];
	const links: unknown[] = [];
	const linkedOutputs = outputs.map((output, slot) => {
		const type = textOr(output.type, '');
		const saver = Object.hasOwn(SAVERS, type) ? SAVERS[type] : undefined;
		if (saver === undefined) return output;
		const { className, title, input, values } = saver;
		const link = { id: linkId++, origin_id: node.id, origin_slot: slot, target_id: nodeId, target_slot: 0, type };
		nodes.push({
			id: nodeId,
			type: className,
			pos: positionBeside(node, nodes.length),
			size: [320, 270],
			flags: {},
			order: nodes.length + 1,
			mode: 0,
			inputs: [{ name: input, type: saver.className === 'PreviewAny' ? '*' : type, link: link.id }],
			outputs: [],
			properties: { 'Node name for S&R': className },
			widgets_values: [...values],
		});
		links.push(isListFormat(file) ? Object.values(link) : link);
		notes.push({
			note: 'output_node_added',
			nodeId: String(nodeId),
			title,
			className,
			value: textOr(output.label, textOr(output.name, type)),
		});
		nodeId++;
		return { ...output, links: [link.id] };
	});
	if (nodes.length === 0) return { file, notes };
	const runnable = {
		...file,
		...('last_node_id' in file && { last_node_id: nodeId - 1 }),
		...('last_link_id' in file && { last_link_id: linkId - 1 }),
		...(isRecord(file.state) && { state: { ...file.state, lastNodeId: nodeId - 1, lastLinkId: linkId - 1 } }),
		nodes: [{ ...node, outputs: linkedOutputs }, ...nodes],
		links: [...listOf(file.links), ...links],
	};
	return { file: runnable, notes };
}

function readOnlyNode(name: string, file: JsonRecord): JsonRecord {
	const fail = (detail: string): GraphError => new GraphError({ fault: 'not_a_blueprint', name, detail });
	if (!Array.isArray(file.nodes)) throw fail('the file has no list of nodes');
	const [node, ...others] = file.nodes as unknown[];
	if (!isRecord(node)) throw fail('the file contains no node');
	if (others.length > 0) throw fail(`the file has ${file.nodes.length} nodes outside of its subgraphs, and a blueprint has only one`);
	const ids = recordsOf(recordOf(file.definitions).subgraphs).map(({ id }) => readId(id));
	if (!ids.includes(readId(node.type))) throw fail('its node is not a node of a subgraph that the file contains');
	return node;
}

/** Version 0.4 has links as lists, and version 1 as objects. */
const isListFormat = ({ version }: JsonRecord): boolean => version !== 1;

/** Returns an ID that is higher than each of these. */
const nextId = (...used: unknown[]): number => Math.max(0, ...used.map(Number).filter(Number.isSafeInteger)) + 1;

/** The editor writes positions as lists, or as objects with the keys 0 and 1. */
function positionBeside(node: JsonRecord, row: number): [number, number] {
	const [x = 0, y = 0] = [0, 1].map((axis) => Number((node.pos as Record<number, unknown> | undefined)?.[axis])).filter(Number.isFinite);
	return [x + FAR_RIGHT, y + row * ROW_HEIGHT];
}
