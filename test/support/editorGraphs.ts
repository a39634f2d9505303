/** Workflows as ComfyUI's editor saves them, by a person who drew them: titles, two prompts, a seed that changes after each run. */

const link = (id: number, from: number, slot: number, to: number, at: number, type: string): unknown[] => [id, from, slot, to, at, type];

interface Drawn {
	id: number;
	type: string;
	title?: string;
	in?: Array<[name: string, type: string, link: number]>;
	out?: Array<[type: string, ...links: number[]]>;
	values?: unknown[];
}

const node = ({ id, type, title, in: inputs = [], out = [], values = [] }: Drawn): object => ({
	id,
	type,
	pos: [id * 120, 80],
	size: [315, 120],
	flags: {},
	order: id,
	mode: 0,
	...(title !== undefined && { title }),
	inputs: inputs.map(([name, of, from]) => ({ name, type: of, link: from })),
	outputs: out.map(([of, ...links], slot) => ({ name: of, type: of, links, slot_index: slot })),
	properties: { 'Node name for S&R': type },
	widgets_values: values,
});

/** A picture from words, whose prompt node is titled *Motif*; `prompt` and `width` as they were saved. */
export const savedTextToImage = ({ prompt = 'a lighthouse at sunset', width = 512, height = 512 } = {}): { nodes: object[] } & Record<
	string,
	unknown
> => ({
	last_node_id: 9,
	last_link_id: 9,
	nodes: [
		node({
			id: 4,
			type: 'CheckpointLoaderSimple',
			out: [
				['MODEL', 1],
				['CLIP', 3, 5],
				['VAE', 8],
			],
			values: ['v1-5-pruned-emaonly-fp16.safetensors'],
		}),
		node({ id: 5, type: 'EmptyLatentImage', out: [['LATENT', 2]], values: [width, height, 1] }),
		node({ id: 6, type: 'CLIPTextEncode', title: 'Motif', in: [['clip', 'CLIP', 3]], out: [['CONDITIONING', 4]], values: [prompt] }),
		node({
			id: 7,
			type: 'CLIPTextEncode',
			title: 'Without',
			in: [['clip', 'CLIP', 5]],
			out: [['CONDITIONING', 6]],
			values: ['text, watermark'],
		}),
		node({
			id: 3,
			type: 'KSampler',
			in: [
				['model', 'MODEL', 1],
				['positive', 'CONDITIONING', 4],
				['negative', 'CONDITIONING', 6],
				['latent_image', 'LATENT', 2],
			],
			out: [['LATENT', 7]],
			values: [156680208700286, 'randomize', 20, 8, 'euler', 'normal', 1],
		}),
		node({
			id: 8,
			type: 'VAEDecode',
			in: [
				['samples', 'LATENT', 7],
				['vae', 'VAE', 8],
			],
			out: [['IMAGE', 9]],
		}),
		node({ id: 9, type: 'SaveImage', in: [['images', 'IMAGE', 9]], values: ['saved'] }),
	],
	links: [
		link(1, 4, 0, 3, 0, 'MODEL'),
		link(2, 5, 0, 3, 3, 'LATENT'),
		link(3, 4, 1, 6, 0, 'CLIP'),
		link(4, 6, 0, 3, 1, 'CONDITIONING'),
		link(5, 4, 1, 7, 0, 'CLIP'),
		link(6, 7, 0, 3, 2, 'CONDITIONING'),
		link(7, 3, 0, 8, 0, 'LATENT'),
		link(8, 4, 2, 8, 1, 'VAE'),
		link(9, 8, 0, 9, 0, 'IMAGE'),
	],
	groups: [],
	config: {},
	extra: {},
	version: 0.4,
});

/** The same as an app: its author lets one change the motif, and the size of the picture. */
export const savedApp = (drawn = savedTextToImage()): object => ({
	...drawn,
	extra: {
		linearMode: true,
		linearData: {
			inputs: [
				[6, 'text'],
				[5, 'width'],
				[3, 'seed'],
			],
			outputs: [9],
		},
	},
});

/** A workflow that needs no model, as ComfyUI exports it: one color, which the node titled *Canvas* has. */
export const oneColor = {
	'1': { class_type: 'EmptyImage', _meta: { title: 'Canvas' }, inputs: { width: 256, height: 256, batch_size: 1, color: 16711680 } },
	'2': { class_type: 'SaveImage', _meta: { title: 'Save Image' }, inputs: { filename_prefix: 'saved', images: ['1', 0] } },
};

/** The same, as its editor saves it. */
export const savedColor = (): object => ({
	last_node_id: 2,
	last_link_id: 1,
	nodes: [
		node({ id: 1, type: 'EmptyImage', title: 'Canvas', out: [['IMAGE', 1]], values: [256, 256, 1, 16711680] }),
		node({ id: 2, type: 'SaveImage', in: [['images', 'IMAGE', 1]], values: ['saved'] }),
	],
	links: [link(1, 1, 0, 2, 0, 'IMAGE')],
	groups: [],
	config: {},
	extra: {},
	version: 0.4,
});
