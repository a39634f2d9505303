import { type JsonRecord, recordOf } from '../../json/decode';
import { BORDER_OUT, type EditorLink, type EditorNode, type SubgraphSocket } from './editorGraph';
import type { LinkTable } from './linkTable';

/** At each export, the extension Use Everywhere links what comes into these nodes to every input that matches. */
const isEverywhereNode = (className: string): boolean => className.startsWith('Anything Everywhere') || className === 'Prompts Everywhere';

/** Whether the extension links a node to others at each export. The table of links does not have these links. */
export const isBroadcasting = ({ className, properties }: EditorNode): boolean =>
	className === 'Seed Everywhere' || properties.ue_convert === true || isEverywhereNode(className);

/** Whether the extension links the outputs of a node itself, and not what comes into it. */
export const broadcastsOutputs = ({ className, properties }: EditorNode): boolean =>
	className === 'Seed Everywhere' || properties.ue_convert === true;

/** A link that the extension saved. */
export interface SavedLink extends Pick<EditorLink, 'from' | 'to' | 'type'> {
	/** The node that the extension made the link for. */
	controller: EditorNode;
}

/**
 * Adds the links that Use Everywhere saved. Such a link counts only into an input of its type that has no other link, because the
 * list can be older than the graph.
 * @param outputs of the subgraph; empty for the workflow itself.
 */
export function addSavedLinks(
	saved: SavedLink[],
	nodes: ReadonlyMap<string, EditorNode>,
	{ links, notes }: LinkTable,
	outputs: SubgraphSocket[],
): void {
	for (const { controller, ...link } of saved) {
		const { nodeId, slot } = link.to;
		const id = `everywhere ${nodeId}.${slot}`;
		const output = nodeId === BORDER_OUT ? outputs[slot] : undefined;
		const node = nodes.get(nodeId);
		const input = node?.inputs[slot];
		if (output?.linkIds.length === 0) output.linkIds.push(id);
		else if (node !== undefined && input !== undefined && input.linkId === undefined && isSameType(link.type, input.type)) {
			input.linkId = id;
			notes.push({ note: 'link_by_extension', node, input: input.name, source: link.from });
		} else continue;
		links.set(id, { ...link, id });
		controller.hasSavedLinks = true;
	}
}

const isSameType = (one: string, other: string): boolean => one === other || [one, other].includes('*');

/** What decides whether the extension may link an input. Each version writes other properties. */
interface Properties {
	connectable: JsonRecord;
	rejected: JsonRecord;
	isRejected: boolean;
	/** Before version 7, any input can be linked that is not a widget. */
	isOlder: boolean;
}

function readProperties({ properties }: EditorNode): Properties {
	const own = recordOf(properties.ue_properties);
	return {
		connectable: { ...recordOf(properties.widget_ue_connectable), ...recordOf(own.widget_ue_connectable) },
		rejected: recordOf(own.input_ue_unconnectable),
		isRejected: properties.rejects_ue_links === true,
		isOlder: own.version === undefined,
	};
}

/**
 * Whether a node has an input without a link that the extension may link to one of these types. The title, the group and the colour
 * of a node may forbid it as well, so this can be true although no link follows.
 */
export function hasOpenInput(node: EditorNode, types: ReadonlySet<string>): boolean {
	const { connectable, rejected, isRejected, isOlder } = readProperties(node);
	return (
		!isRejected &&
		node.inputs.some(({ name, type, linkId, widgetName }) => {
			const canConnect = widgetName === undefined ? rejected[name] !== true : isOlder || connectable[name] === true;
			return linkId === undefined && canConnect && (types.has(type) || type === '*' || (type === 'COMBO' && types.has('STRING')));
		})
	);
}
