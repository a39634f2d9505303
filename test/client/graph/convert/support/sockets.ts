export type Json = Record<string, unknown>;

/**
 * Makes links, numbered in this order.
 * @param text `'1>2 1.1>3.2'`: from slot 0 of node 1 to slot 0 of node 2, then from slot 1 of node 1 to slot 2 of node 3.
 */
export const linked = (text: string, type = 'IMAGE', first = 1): Array<[number, number, number, number, number, string]> =>
	text.split(' ').map((one, at) => {
		const [from = [], to = []] = one.split('>').map((end) => end.split('.').map(Number));
		return [first + at, from[0] ?? 0, from[1] ?? 0, to[0] ?? 0, to[1] ?? 0, type];
	});

/** Makes links inside a subgraph. Node -10 is its input border, and node -20 its output border. */
export const linkedInside = (text: string, type = 'IMAGE', first = 1): Json[] =>
	linked(text, type, first).map(([id, origin_id, origin_slot, target_id, target_slot]) => ({
		id,
		origin_id,
		origin_slot,
		target_id,
		target_slot,
		type,
	}));

/** An output socket. Its own list of links counts only for a primitive node. For other nodes, the links of the file count. */
export const out = (type: string, ...links: number[]): Json => ({ name: type, type, links });

/** An input socket. `widget`: the name of its widget, if it has one. */
export const into = (name: string, type: string, link: unknown, widget?: string): Json => ({
	...{ name, type, link },
	...(widget !== undefined && { widget: { name: widget } }),
});

export const file = (nodes: unknown, links: unknown = [], more: Json = {}): Json => ({ version: 0.4, nodes, links, ...more });

/** A subgraph. Its links and sockets can be left out. */
export const subgraph = (id: string, nodes: unknown, more: Json = {}): Json => ({
	version: 1,
	id,
	name: `Subgraph ${id}`,
	nodes,
	links: [],
	inputs: [],
	outputs: [],
	...more,
});
/** The part of a file that defines these subgraphs. */
export const withSubgraphs = (...subgraphs: unknown[]): Json => ({ definitions: { subgraphs } });
