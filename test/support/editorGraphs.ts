/** Workflows as ComfyUI's editor saves them, by a person who drew them: titles, two prompts, a seed that changes after each run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface SavedWorkflow extends Record<string, unknown> {
	nodes: Array<{ id: number; widgets_values: unknown[] }>;
}

/** @param values by node id, those of its widgets that differ from the saved ones. */
function saved(name: string, values: Record<number, unknown[]>): SavedWorkflow {
	const workflow = JSON.parse(readFileSync(join(__dirname, 'saved', `${name}.json`), 'utf8')) as SavedWorkflow;
	for (const node of workflow.nodes) node.widgets_values = values[node.id] ?? node.widgets_values;
	return workflow;
}

/** A picture from words, whose prompt node is titled *Motif*; `prompt` and `width` as they were saved. */
export const savedTextToImage = ({ prompt = 'a lighthouse at sunset', width = 512, height = 512 } = {}): SavedWorkflow =>
	saved('textToImage', { 5: [width, height, 1], 6: [prompt] });

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
export const savedColor = ({ width = 256, height = 256, color = 16711680, prefix = 'saved', extra = {} } = {}): SavedWorkflow => ({
	...saved('color', { 1: [width, height, 1, color], 2: [prefix] }),
	extra,
});
