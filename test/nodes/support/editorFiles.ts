import type { ApiGraph } from '../../../client';

/** A workflow as the editor saves it: a picture of one color. */
export const editorFile = (color: number, more: object = {}): Record<string, unknown> => ({
	id: '6a3f0c1e-5d2b-4c8e-9f10-7b1f0f3a2c11',
	last_node_id: 3,
	last_link_id: 1,
	nodes: [
		{
			id: 1,
			type: 'EmptyImage',
			pos: [0, 0],
			mode: 0,
			inputs: [],
			outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }],
			properties: { 'Node name for S&R': 'EmptyImage' },
			title: 'Canvas',
			widgets_values: [16, 8, 1, color],
		},
		{ ...drawnNode(2, 'SaveImage', { images: 1 }, ['from-editor'], 'Save'), inputs: [{ name: 'images', type: 'IMAGE', link: 1 }] },
		{
			id: 3,
			type: 'Note',
			pos: [0, 300],
			mode: 0,
			inputs: [],
			outputs: [],
			properties: {},
			widgets_values: ['For the person who opens it'],
		},
	],
	links: [[1, 1, 0, 2, 0, 'IMAGE']],
	groups: [],
	config: {},
	extra: {},
	version: 0.4,
	...more,
});

/** What ComfyUI's own export makes of it. */
export const exportedFile = (color: number): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 8, batch_size: 1, color }, _meta: { title: 'Canvas' } },
	'2': { class_type: 'SaveImage', inputs: { filename_prefix: 'from-editor', images: ['1', 0] }, _meta: { title: 'Save' } },
});

/** @param links the link that leads to each input. */
const drawnNode = (id: number, type: string, links: Record<string, number>, values: unknown[], title?: string) => ({
	id,
	type,
	pos: [0, 0],
	mode: 0,
	inputs: Object.entries(links).map(([name, link]) => ({ name, type: name.toUpperCase(), link })),
	outputs: [],
	properties: {},
	widgets_values: values,
	...(title !== undefined && { title }),
});

/** A picture made from a text, in which one of several texts may be meant: node 2. */
export const promptFile = (text: string): Record<string, unknown> => ({
	last_node_id: 7,
	last_link_id: 9,
	nodes: [
		drawnNode(1, 'CheckpointLoaderSimple', {}, ['v1-5-pruned-emaonly-fp16.safetensors']),
		drawnNode(2, 'CLIPTextEncode', { clip: 2 }, [text], 'What To Paint'),
		drawnNode(3, 'CLIPTextEncode', { clip: 3 }, ['blurry']),
		drawnNode(4, 'EmptyLatentImage', {}, [64, 64, 1]),
		drawnNode(5, 'KSampler', { model: 1, positive: 5, negative: 6, latent_image: 7 }, [42, 'randomize', 1, 6.5, 'euler', 'normal', 1]),
		drawnNode(6, 'VAEDecode', { samples: 8, vae: 4 }, []),
		drawnNode(7, 'SaveImage', { images: 9 }, ['painted']),
	],
	links: [
		[1, 1, 0, 5, 0, 'MODEL'],
		[2, 1, 1, 2, 0, 'CLIP'],
		[3, 1, 1, 3, 0, 'CLIP'],
		[4, 1, 2, 6, 1, 'VAE'],
		[5, 2, 0, 5, 1, 'CONDITIONING'],
		[6, 3, 0, 5, 2, 'CONDITIONING'],
		[7, 4, 0, 5, 3, 'LATENT'],
		[8, 5, 0, 6, 0, 'LATENT'],
		[9, 6, 0, 7, 0, 'IMAGE'],
	],
	version: 0.4,
});
