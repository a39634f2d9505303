import { into, type Json, out } from './sockets';

export const picture = (id: unknown, more: Json = {}): Json => ({
	id,
	type: 'EmptyImage',
	mode: 0,
	outputs: [out('IMAGE')],
	widgets_values: [64, 64, 1, 0],
	...more,
});
export const preview = (id: unknown, link: unknown = 1): Json => ({ id, type: 'PreviewImage', inputs: [into('images', 'IMAGE', link)] });
export const reroute = (id: unknown, link: unknown): Json => ({ id, type: 'Reroute', inputs: [into('', '*', link)], outputs: [out('*')] });
export const invert = (id: unknown, link: unknown, more: Json = {}): Json => ({
	id,
	type: 'ImageInvert',
	inputs: [into('image', 'IMAGE', link)],
	outputs: [out('IMAGE')],
	...more,
});
export const setter = (id: unknown, name: unknown, link: unknown, more: Json = {}): Json => ({
	id,
	type: 'SetNode',
	inputs: [into('IMAGE', 'IMAGE', link)],
	outputs: [out('*')],
	widgets_values: [name],
	...more,
});
export const getter = (id: unknown, name: unknown, more: Json = {}): Json => ({
	id,
	type: 'GetNode',
	outputs: [out('IMAGE')],
	widgets_values: [name],
	...more,
});
export const primitive = (id: unknown, widgets_values: unknown, type = 'INT', links = [1]): Json => ({
	id,
	type: 'PrimitiveNode',
	outputs: [out(type, ...links)],
	widgets_values,
});
export const sampler = (id: unknown, widgets_values: unknown, more: Json = {}): Json => ({ id, type: 'KSampler', widgets_values, ...more });
