type Json = Record<string, unknown>;

export const picture = (id: unknown, more: Json = {}): Json => ({
	id,
	type: 'EmptyImage',
	mode: 0,
	outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
	widgets_values: [64, 64, 1, 0],
	...more,
});
export const preview = (id: unknown, link: unknown = 1): Json => ({
	id,
	type: 'PreviewImage',
	mode: 0,
	inputs: [{ name: 'images', type: 'IMAGE', link }],
});
export const reroute = (id: unknown, link: unknown, links: unknown[], more: Json = {}): Json => ({
	id,
	type: 'Reroute',
	inputs: [{ name: '', type: '*', link }],
	outputs: [{ name: '', type: '*', links }],
	...more,
});
export const file = (nodes: unknown, links: unknown = [], more: Json = {}): Json => ({ version: 0.4, nodes, links, ...more });
