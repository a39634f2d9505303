/** Workflows as ComfyUI's editor saves them, by a person who drew them: titles, two prompts, a seed that changes after each run. */

/** Numbered from 1: `'4>3 MODEL'` leads from slot 0 of node 4 to slot 0 of node 3, `'5>3.3 LATENT'` to its slot 3. */
const linked = (...links: string[]): unknown[] =>
	links.map((text, at) => {
		const [ends = '', type] = text.split(' ');
		const [from = [], to = []] = ends.split('>').map((end) => end.split('.').map(Number));
		return [at + 1, from[0], from[1] ?? 0, to[0], to[1] ?? 0, type];
	});

interface Drawn {
	id: number;
	type: string;
	title?: string;
	/** Name, type and link of each input. */
	in?: string[];
	/** Type and links of each output. */
	out?: string[];
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
	inputs: inputs.map((text) => text.split(' ')).map(([name, of, from]) => ({ name, type: of, link: Number(from) })),
	outputs: out
		.map((text) => text.split(' '))
		.map(([of, ...links], slot) => ({ name: of, type: of, links: links.map(Number), slot_index: slot })),
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
			out: ['MODEL 1', 'CLIP 3 5', 'VAE 8'],
			values: ['v1-5-pruned-emaonly-fp16.safetensors'],
		}),
		node({ id: 5, type: 'EmptyLatentImage', out: ['LATENT 2'], values: [width, height, 1] }),
		node({ id: 6, type: 'CLIPTextEncode', title: 'Motif', in: ['clip CLIP 3'], out: ['CONDITIONING 4'], values: [prompt] }),
		node({ id: 7, type: 'CLIPTextEncode', title: 'Without', in: ['clip CLIP 5'], out: ['CONDITIONING 6'], values: ['text, watermark'] }),
		node({
			id: 3,
			type: 'KSampler',
			in: ['model MODEL 1', 'positive CONDITIONING 4', 'negative CONDITIONING 6', 'latent_image LATENT 2'],
			out: ['LATENT 7'],
			values: [156680208700286, 'randomize', 20, 8, 'euler', 'normal', 1],
		}),
		node({ id: 8, type: 'VAEDecode', in: ['samples LATENT 7', 'vae VAE 8'], out: ['IMAGE 9'] }),
		node({ id: 9, type: 'SaveImage', in: ['images IMAGE 9'], values: ['saved'] }),
	],
	links: linked(
		'4>3 MODEL',
		'5>3.3 LATENT',
		'4.1>6 CLIP',
		'6>3.1 CONDITIONING',
		'4.1>7 CLIP',
		'7>3.2 CONDITIONING',
		'3>8 LATENT',
		'4.2>8.1 VAE',
		'8>9 IMAGE',
	),
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
export const savedColor = ({ width = 256, height = 256, color = 16711680, prefix = 'saved', extra = {} } = {}): Record<
	string,
	unknown
> => ({
	last_node_id: 2,
	last_link_id: 1,
	nodes: [
		node({ id: 1, type: 'EmptyImage', title: 'Canvas', out: ['IMAGE 1'], values: [width, height, 1, color] }),
		node({ id: 2, type: 'SaveImage', in: ['images IMAGE 1'], values: [prefix] }),
	],
	links: linked('1>2 IMAGE'),
	groups: [],
	config: {},
	extra,
	version: 0.4,
});
