import type { EditorFile, EditorGraph, EditorNode, EditorSubgraph } from '../model';
import { placeOf } from '../place';
import type { ConversionRefusal } from '../../../graphFaults';

const DEEPEST = 100;
/** Nodes, and the sockets of instances, which are work as well: far above what anybody draws. */
const MOST_PARTS = 20_000;

interface Frame {
	id?: string;
	left: EditorNode[];
	/** Its nodes and sockets, and those of what it contains. */
	parts: number;
}

/**
 * Which subgraphs a workflow contains, innermost first: each after those that it contains itself.
 * A subgraph that is 30 levels of two instances each is as many nodes as it says, without counting them one by one.
 */
export function nestingOf(file: EditorFile): { innermostFirst: string[]; refusals: ConversionRefusal[] } {
	const sizes = new Map<string, number>();
	const open = new Set<string>();
	const refusals: ConversionRefusal[] = [];
	const frameOf = (graph: EditorGraph & Partial<EditorSubgraph>, id?: string): Frame => {
		const hosts = [...graph.nodes.values()].filter(({ className }) => file.subgraphs.has(className));
		const sockets = [graph, ...hosts].flatMap(({ inputs, outputs }) => [inputs?.length ?? 0, outputs?.length ?? 0]);
		return {
			left: hosts,
			parts: sockets.reduce((sum, count) => sum + count, graph.nodes.size),
			...(id === undefined ? {} : { id }),
		};
	};
	const stack = [frameOf(file)];
	for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
		const node = frame.left.at(-1);
		if (node === undefined) {
			stack.pop();
			if (frame.parts > MOST_PARTS)
				return {
					innermostFirst: [],
					refusals: [
						...refusals,
						{ refusal: 'too_large', detail: `its subgraphs hold more than ${MOST_PARTS} nodes and sockets altogether` },
					],
				};
			if (frame.id !== undefined) {
				open.delete(frame.id);
				sizes.set(frame.id, frame.parts);
			}
			continue;
		}
		const subgraph = file.subgraphs.get(node.className);
		const size = sizes.get(node.className);
		if (size !== undefined || subgraph === undefined || open.has(node.className)) {
			frame.left.pop();
			frame.parts += size ?? 0;
			if (subgraph !== undefined && size === undefined)
				refusals.push({ refusal: 'cyclic_subgraph', ...placeOf(node, { display_name: subgraph.name }) });
		} else {
			if (stack.length > DEEPEST)
				return {
					innermostFirst: [],
					refusals: [...refusals, { refusal: 'too_large', detail: `its subgraphs stand in each other more than ${DEEPEST} deep` }],
				};
			open.add(node.className);
			stack.push(frameOf(subgraph, node.className));
		}
	}
	return { innermostFirst: [...sizes.keys()], refusals };
}
