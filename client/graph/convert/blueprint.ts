import { GraphError } from '../../errors/errors';
import { isRecord, type JsonRecord, listOf, numberOr, recordOf, recordsOf, textOr } from '../../json/decode';
import { readId } from './editorFile';
import type { ConversionNote } from './report';

export interface RunnableBlueprint {
	/** A workflow in editor format, with the added nodes. */
	file: JsonRecord;
	/** `input_node_added` or `output_node_added` for each added node. */
	notes: ConversionNote[];
}

/** A node of ComfyUI itself, with the input or output that is linked. */
interface AddedClass {
	className: string;
	title: string;
	socket: string;
	socketType?: string;
	/** As a new node of the editor has them. */
	values: unknown[];
}

/** By type of an output, the node that saves or shows it. */
const SAVERS: Readonly<Record<string, AddedClass>> = {
	IMAGE: { className: 'SaveImage', title: 'Save Image', socket: 'images', values: ['ComfyUI'] },
	VIDEO: { className: 'SaveVideo', title: 'Save Video', socket: 'video', values: ['video/ComfyUI', 'auto', 'auto'] },
	AUDIO: { className: 'SaveAudio', title: 'Save Audio', socket: 'audio', values: ['audio/ComfyUI'] },
	STRING: { className: 'PreviewAny', title: 'Preview as Text', socket: 'source', socketType: '*', values: [] },
};

/** No file has this name, so ComfyUI rejects the node until another value is entered. */
const NO_FILE = 'no file chosen';

/** By type of an input, the node that loads a file for it. Its first output is linked. */
const LOADERS: Readonly<Record<string, AddedClass>> = {
	IMAGE: { className: 'LoadImage', title: 'Load Image', socket: 'IMAGE', values: [NO_FILE, 'image'] },
	VIDEO: { className: 'LoadVideo', title: 'Load Video', socket: 'VIDEO', values: [NO_FILE, 'image'] },
	AUDIO: { className: 'LoadAudio', title: 'Load Audio', socket: 'AUDIO', values: [NO_FILE] },
};

/**
 * Returns a blueprint as a workflow that can run. Each output that ComfyUI can save or show gets a node for that. Each required input
 * for a file gets a node that loads one. Like the editor, it accepts only a file with one node, which is a subgraph node.
 * @throws GraphError `not_a_blueprint`.
 */
export function toRunnable(name: string, file: JsonRecord): RunnableBlueprint {
	const { node, optional } = readOnlyNode(name, file);
	const additions = new Additions(file, node);
	const inputs = listOf(node.inputs)
		.map((one) => recordOf(one))
		.map((input, slot) => (optional[slot] === true ? input : additions.addLoader(input, slot)));
	const outputs = listOf(node.outputs)
		.map((one) => recordOf(one))
		.map((output, slot) => additions.addSaver(output, slot));
	return { file: additions.extend(file, { ...node, inputs, outputs }), notes: additions.notes };
}

/** The form of a socket that need not be linked. */
const OPTIONAL_SHAPE = 7;

/** @returns the node, and by position of its inputs whether they are optional. */
function readOnlyNode(name: string, file: JsonRecord): { node: JsonRecord; optional: boolean[] } {
	const fail = (detail: string): GraphError => new GraphError({ fault: 'not_a_blueprint', name, detail });
	if (!Array.isArray(file.nodes)) throw fail('the file has no list of nodes');
	const [node, ...others] = file.nodes as unknown[];
	if (!isRecord(node)) throw fail('the file contains no node');
	if (others.length > 0) throw fail(`the file has ${file.nodes.length} nodes outside of its subgraphs, and a blueprint has only one`);
	const id = readId(node.type);
	const subgraph = recordsOf(recordOf(file.definitions).subgraphs).find((one) => readId(one.id) === id);
	if (id === undefined || subgraph === undefined) throw fail('its node is not a node of a subgraph that the file contains');
	const shapes = new Map(recordsOf(subgraph.inputs).map((input) => [input.name, input.shape]));
	const optional = listOf(node.inputs)
		.map((one) => recordOf(one))
		.map((input) => [input.shape, shapes.get(input.name)].includes(OPTIONAL_SHAPE));
	return { node, optional };
}

const ROW_HEIGHT = 320;
const COLUMN_WIDTH = 400;

type LinkEnd = readonly [nodeId: unknown, slot: number];

/** The nodes and links that are added to a file. */
class Additions {
	readonly notes: ConversionNote[] = [];
	private readonly nodes: JsonRecord[] = [];
	private readonly links: unknown[] = [];
	private nodeId: number;
	private linkId: number;

	constructor(
		private readonly file: JsonRecord,
		private readonly node: JsonRecord,
	) {
		const { lastNodeId, lastLinkId } = recordOf(file.state);
		this.nodeId = highest(node.id, file.last_node_id, lastNodeId);
		this.linkId = highest(file.last_link_id, lastLinkId);
	}

	/** @returns the input of the blueprint, linked to a new node if it needs one. */
	addLoader(input: JsonRecord, slot: number): JsonRecord {
		const added = isRecord(input.widget) || typeof input.link === 'number' ? undefined : findClass(LOADERS, input.type);
		if (added === undefined) return input;
		const nodeId = this.addNode(added, 'input_node_added', input, -COLUMN_WIDTH);
		const link = this.addLink([nodeId, 0], [this.node.id, slot], input.type);
		Object.assign(this.nodes.at(-1) ?? {}, { outputs: [{ name: added.socket, type: input.type, links: [link] }] });
		return { ...input, link };
	}

	/** @returns the output of the blueprint, linked to a new node if there is one for it. */
	addSaver(output: JsonRecord, slot: number): JsonRecord {
		const added = findClass(SAVERS, output.type);
		if (added === undefined) return output;
		const nodeId = this.addNode(added, 'output_node_added', output, COLUMN_WIDTH);
		const link = this.addLink([this.node.id, slot], [nodeId, 0], output.type);
		const { socket: name, socketType: type = output.type } = added;
		Object.assign(this.nodes.at(-1) ?? {}, { inputs: [{ name, type, link }] });
		return { ...output, links: [link] };
	}

	/** @returns the file with this node, and with what was added. */
	extend(file: JsonRecord, node: JsonRecord): JsonRecord {
		if (this.nodes.length === 0) return file;
		const { nodeId, linkId } = this;
		return {
			...file,
			last_node_id: nodeId,
			last_link_id: linkId,
			...(isRecord(file.state) && { state: { ...file.state, lastNodeId: nodeId, lastLinkId: linkId } }),
			nodes: [node, ...this.nodes],
			links: [...listOf(file.links), ...this.links],
		};
	}

	private addNode(
		{ className, title, values }: AddedClass,
		note: 'input_node_added' | 'output_node_added',
		{ label, name, type }: JsonRecord,
		toRight: number,
	): number {
		const socketName = textOr(label, textOr(name, String(type)));
		const node = {
			id: ++this.nodeId,
			type: className,
			title: `${title} (${socketName})`,
			pos: positionBeside(this.node, toRight, this.nodes.length),
			size: [320, 270],
			flags: {},
			order: this.nodes.length + 1,
			mode: 0,
			inputs: [],
			outputs: [],
			properties: { 'Node name for S&R': className },
			widgets_values: [...values],
		};
		this.nodes.push(node);
		this.notes.push({ note, nodeId: String(node.id), title: node.title, className, value: socketName });
		return node.id;
	}

	/** Version 0.4 has links as lists, and version 1 as objects. */
	private addLink([fromNode, fromSlot]: LinkEnd, [toNode, toSlot]: LinkEnd, type: unknown): number {
		const id = ++this.linkId;
		const link = { id, origin_id: fromNode, origin_slot: fromSlot, target_id: toNode, target_slot: toSlot, type };
		this.links.push(this.file.version === 1 ? link : Object.values(link));
		return id;
	}
}

const findClass = (classes: Readonly<Record<string, AddedClass>>, type: unknown): AddedClass | undefined =>
	typeof type === 'string' && Object.hasOwn(classes, type) ? classes[type] : undefined;

const highest = (...used: unknown[]): number => Math.max(0, ...used.map(Number).filter(Number.isSafeInteger));

/** The editor writes positions as lists, or as objects with the keys 0 and 1. */
function positionBeside({ pos }: JsonRecord, toRight: number, row: number): [number, number] {
	const [x, y] = [0, 1].map((axis) => numberOr(Array.isArray(pos) ? (pos as unknown[])[axis] : recordOf(pos)[String(axis)], 0));
	return [(x ?? 0) + toRight, (y ?? 0) + row * ROW_HEIGHT];
}
