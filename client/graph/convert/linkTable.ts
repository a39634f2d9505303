import type { EditorEnd, EditorInput, EditorLink, EditorNode, EditorOutput } from './editorGraph';

/** An input whose link may be wrong. */
export interface LinkNote {
	/**
	 * `link_contested`: its own entry and the table of links contradict each other. `link_by_extension`: an extension of the editor
	 * adds the link.
	 */
	note: 'link_contested' | 'link_by_extension';
	node: EditorNode;
	input: string;
	/** What is used; undefined for no link. */
	source: EditorEnd | undefined;
}

/** The links of one graph, and what is uncertain about them. */
export interface LinkTable {
	links: Map<string, EditorLink>;
	notes: LinkNote[];
}

/**
 * Reads the table of links as the frontend does since 2026: the table decides where a link leads, and not the entry of the input.
 * Earlier versions followed the entry. If both agree, nothing changes. The links of inputs and outputs are corrected in `nodes`.
 */
export function readLinkTable(nodes: ReadonlyMap<string, EditorNode>, entries: EditorLink[]): LinkTable {
	const byEntry = new Map(entries.map((link) => [link.id, link]));
	const { links, survivors } = dropCompetingLinks(nodes, entries);
	const ofNode = new Map<string, EditorLink[]>([...nodes.keys()].map((id) => [id, []]));
	for (const link of links.values()) ofNode.get(link.to.nodeId)?.push(link);
	listOutgoingLinks(nodes, links);
	const notes: LinkNote[] = [];
	for (const node of nodes.values()) {
		const claimed = assignInputs(node, ofNode.get(node.id) ?? [], survivors);
		for (const [slot, input] of node.inputs.entries()) {
			const before = byEntry.get(input.linkId ?? '');
			// The end of such a link cannot be read, or the table does not have it. The entry of the input is all there is.
			const isOnlyInEntry = input.linkId !== undefined && (before === undefined || before.to.nodeId === '');
			const link = claimed.get(slot);
			if (link === undefined && isOnlyInEntry) continue;
			if (before?.from.nodeId !== link?.from.nodeId || before?.from.slot !== link?.from.slot)
				notes.push({ note: 'link_contested', node, input: input.name, source: link?.from });
			setLink(input, link);
		}
	}
	return { links, notes };
}

/** The order in which an output lists its links stays. */
function listOutgoingLinks(nodes: ReadonlyMap<string, EditorNode>, links: ReadonlyMap<string, EditorLink>): void {
	const ofOutput = new Map<EditorOutput, Set<string>>();
	for (const { id, from } of links.values()) {
		const output = nodes.get(from.nodeId)?.outputs[from.slot];
		if (output !== undefined) ofOutput.set(output, (ofOutput.get(output) ?? new Set()).add(id));
	}
	for (const [output, ids] of ofOutput) output.linkIds = [...new Set([...output.linkIds.filter((id) => ids.has(id)), ...ids])];
}

function setLink(input: EditorInput, link: EditorLink | undefined): void {
	if (link === undefined) delete input.linkId;
	else input.linkId = link.id;
}

/** Of two links with one id, the first counts. Of two links to one input, the first counts, unless an input names only the second. */
function dropCompetingLinks(
	nodes: ReadonlyMap<string, EditorNode>,
	entries: EditorLink[],
): { links: Map<string, EditorLink>; survivors: ReadonlyMap<string, string> } {
	const named = new Set([...nodes.values()].flatMap(({ inputs }) => inputs.flatMap(({ linkId }) => linkId ?? [])));
	const links = new Map<string, EditorLink>();
	const byTarget = new Map<string, EditorLink>();
	/** By the id of a dropped link, the link that counts in its place. */
	const survivors = new Map<string, string>();
	for (const link of entries) {
		if (links.has(link.id) || survivors.has(link.id)) continue;
		const target = `${link.to.nodeId}\n${link.to.slot}`;
		const earlier = nodes.has(link.to.nodeId) ? byTarget.get(target) : undefined;
		if (earlier !== undefined && (named.has(earlier.id) || !named.has(link.id))) {
			survivors.set(link.id, earlier.id);
			continue;
		}
		if (earlier !== undefined) {
			links.delete(earlier.id);
			survivors.set(earlier.id, link.id);
		}
		links.set(link.id, link);
		byTarget.set(target, link);
	}
	return { links, survivors };
}

/** @returns by slot, the link into an input. A link goes to the input that names it, or else to the slot in the table. */
function assignInputs({ inputs }: EditorNode, links: EditorLink[], survivors: ReadonlyMap<string, string>): Map<number, EditorLink> {
	const slotsOf = new Map<string, number[]>();
	for (const [slot, { linkId }] of inputs.entries()) {
		if (linkId === undefined) continue;
		let id = linkId;
		for (let next = survivors.get(id); next !== undefined; next = survivors.get(id)) id = next;
		slotsOf.set(id, [...(slotsOf.get(id) ?? []), slot]);
	}
	const claimed = new Map<number, EditorLink>();
	const claim = (link: EditorLink, slot: number): void => {
		if (slot >= 0 && slot < inputs.length && !claimed.has(slot)) claimed.set(slot, link);
	};
	for (const link of links) {
		const slots = slotsOf.get(link.id) ?? [];
		const [first] = slots;
		if (first !== undefined) claim(link, slots.includes(link.to.slot) ? link.to.slot : first);
	}
	for (const link of links) if (!slotsOf.has(link.id)) claim(link, link.to.slot);
	return claimed;
}
