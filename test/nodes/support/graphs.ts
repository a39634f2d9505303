import type { ApiGraph } from '../../../client';
import type { InputItem } from './testWorkflow';

/** A picture of one color; different colors are different jobs. */
export const colorGraph = (color: number): ApiGraph => ({
	'1': { class_type: 'EmptyImage', _meta: { title: 'Canvas' }, inputs: { width: 8, height: 8, batch_size: 1, color } },
	'2': { class_type: 'SaveImage', _meta: { title: 'Save' }, inputs: { images: ['1', 0], filename_prefix: 'color' } },
});

/** Items that have a color each, from `first` on. */
export const colorItems = (count: number, first = 0): InputItem[] =>
	Array.from({ length: count }, (_, index) => ({ json: { color: first + index } }));

let nextColor = 0x100000;
/** Items whose colors no other item has. */
export const newColorItems = (count: number): InputItem[] => colorItems(count, (nextColor += count) - count);

/** Gives each job of `colorGraph` the color of its item. */
export const COLOR_OF_ITEM = { inputValues: '={{ { Canvas: { color: $json.color } } }}' };

/** Items that have a workflow each, for the field *Workflow* with `GRAPH_OF_ITEM`. */
export const graphItems = (graphs: ApiGraph[]): InputItem[] => graphs.map((graph) => ({ json: { graph: JSON.stringify(graph) } }));

export const GRAPH_OF_ITEM = '={{ $json.graph }}';

/** The given picture, inverted. */
export const invertGraph = (image: unknown = 'picture.png'): ApiGraph => ({
	'1': { class_type: 'LoadImage', _meta: { title: 'Picture' }, inputs: { image } },
	'2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'inverted' } },
});

/** Takes `steps` × `stepMs`, reporting each step, then saves. */
export const slowGraph = (steps: number, stepMs: number, seed = 1): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: seed } },
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps, step_ms: stepMs, seed } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'slow' } },
});

/** Runs for as long as the sandbox's gate is closed (`gateOpen`), then saves. */
export const gatedGraph = (seed = 1): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: seed } },
	'2': { class_type: 'SandboxGate', inputs: { image: ['1', 0], seed } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'gated' } },
});

/** Takes `steps` × `stepMs`, reporting each step, then waits at the sandbox's gate, and saves. */
export const slowGatedGraph = (steps: number, stepMs: number, seed = 1): ApiGraph => ({
	...slowGraph(steps, stepMs, seed),
	'3': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'slow' } },
	'4': { class_type: 'SandboxGate', inputs: { image: ['2', 0] } },
});

export const failingGraph = (message = 'CUDA out of memory'): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 3 } },
	'7': { class_type: 'SandboxFail', inputs: { image: ['1', 0], message, exception_type: 'OOMError' } },
	'9': { class_type: 'SaveImage', inputs: { images: ['7', 0], filename_prefix: 'never' } },
});
