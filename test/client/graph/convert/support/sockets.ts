export type Json = Record<string, unknown>;

/**
 * Links, numbered in this order.
 * @param text `'1>2 1.1>3.2'`: from slot 0 of node 1 to slot 0 of node 2, then from slot 1 of node 1 to slot 2 of node 3.
 */
export const linked = (text: string, type = 'IMAGE', first = 1): Array<[number, number, number, number, number, string]> =>
	text.split(' ').map((one, at) => {
		const [from = [], to = []] = one.split('>').map((end) => end.split('.').map(Number));
		return [first + at, from[0] ?? 0, from[1] ?? 0, to[0] ?? 0, to[1] ?? 0, type];
	});

/** The same, as subgraphs hold them; node -10 is the border of inputs, node -20 the one of outputs. */
export const linkedInside = (text: string, type = 'IMAGE', first = 1): Json[] =>
	linked(text, type, first).map(([id, origin_id, origin_slot, target_id, target_slot]) => ({
		id,
		origin_id,
		origin_slot,
		target_id,
		target_slot,
		type,
	}));

/** An output socket. Only of a primitive its own list of links counts; else the links of the file do. */
export const out = (type: string, ...links: number[]): Json => ({ name: type, type, links });

/** An input socket, of a widget where one is named. */
export const into = (name: string, type: string, link: unknown, widget?: string): Json => ({
	...{ name, type, link },
	...(widget !== undefined && { widget: { name: widget } }),
});

export const file = (nodes: unknown, links: unknown = [], more: Json = {}): Json => ({ version: 0.4, nodes, links, ...more });

/** A subgraph, whose links and sockets may be left out. */
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
/** What makes a file one with these subgraphs. */
export const withSubgraphs = (...subgraphs: unknown[]): Json => ({ definitions: { subgraphs } });
