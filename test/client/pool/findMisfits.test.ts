import { type Definitions, listClassNames } from '../../../client/graph/inputs/definitions';
import { findMisfits, hasPartnerNodes, listModels } from '../../../client/pool/findMisfits';
import type { ApiGraph } from '../../../client';

const A = 'http://a:8188';
const B = 'http://b:8188';
const C = 'http://c:8188';

const graph: ApiGraph = {
	1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'sdxl.safetensors' } },
	2: { class_type: 'KSampler', inputs: { model: ['1', 0], sampler_name: 'euler', steps: 20 } },
	3: { class_type: 'LoadImage', inputs: { image: 'cat.png' } },
};
const COMPLETE = { isComplete: true, hasFilesToPlace: false };

interface Choices {
	checkpoints?: string[];
	samplers?: string[];
	images?: string[];
}
const definitions = ({ checkpoints = ['sdxl.safetensors'], samplers = ['euler'], images = ['cat.png'] }: Choices = {}): Definitions => ({
	CheckpointLoaderSimple: { input: { required: { ckpt_name: [checkpoints, {}] } } },
	KSampler: { input: { required: { model: ['MODEL'], sampler_name: ['COMBO', { options: samplers }], steps: ['INT', { min: 1 }] } } },
	LoadImage: { input: { required: { image: [images, { image_upload: true }] } } },
});
const without = (name: string): Definitions => Object.fromEntries(Object.entries(definitions()).filter(([key]) => key !== name));
const misfits = (all: Definitions[], options = COMPLETE) =>
	Object.fromEntries(
		findMisfits(
			graph,
			all.map((one, index) => ({ address: [A, B, C][index] ?? '', definitions: one })),
			options,
		),
	);

const MODEL = { classType: 'CheckpointLoaderSimple', input: 'ckpt_name', value: 'sdxl.safetensors' };
const SAMPLER = { classType: 'KSampler', input: 'sampler_name', value: 'euler' };
const IMAGE = { classType: 'LoadImage', input: 'image', value: 'cat.png' };

const CLASS = { classType: 'KSampler' };
const NO_CLASS = without('KSampler');
const NO_MODEL = definitions({ checkpoints: [] });
const NO_SAMPLERS = definitions({ samplers: [] });
const SILENT = { isComplete: false, hasFilesToPlace: false };
const of = (server: string, ...misfits: object[]) => ({ [server]: misfits.map((misfit) => ({ server, ...misfit })) });

describe('findMisfits', () => {
	test.each<[string, Definitions[], unknown, typeof COMPLETE?]>([
		['no server if all have everything', [definitions(), definitions()], {}],
		['the server that lacks a class', [definitions(), NO_CLASS], of(B, CLASS)],
		['the server that lacks a model', [NO_MODEL, definitions()], of(A, MODEL)],
		['the server that lacks a value of a list', [definitions({ samplers: ['ddim'] }), definitions()], of(A, SAMPLER)],
		['the server that lacks an image', [definitions(), definitions({ images: ['dog.png'] })], of(B, IMAGE)],
		[
			'each server with each missing part',
			[definitions(), definitions({ checkpoints: [], samplers: [] }), without('LoadImage')],
			{ ...of(B, MODEL, SAMPLER), ...of(C, { classType: 'LoadImage' }) },
		],
		['a missing class once, without its values', [definitions(), without(MODEL.classType)], of(B, { classType: MODEL.classType })],
		['no server for a class that all lack', [NO_CLASS, NO_CLASS], {}],
		['no server for a model that all lack', [NO_MODEL, NO_MODEL], {}],
		['no server for a value that all lack', [NO_SAMPLERS, NO_SAMPLERS], {}],
		['no server of a pool of one', [NO_MODEL], {}],
		['a class that all but a silent server lack', [NO_CLASS, NO_CLASS], { ...of(A, CLASS), ...of(B, CLASS) }, SILENT],
		['a model that all but a silent server lack', [NO_MODEL, NO_MODEL], { ...of(A, MODEL), ...of(B, MODEL) }, SILENT],
		['no other value that all but a silent server lack', [NO_SAMPLERS, NO_SAMPLERS], {}, SILENT],
		[
			'a model, but no image that is uploaded to the chosen server',
			[definitions(), definitions({ images: [], checkpoints: [] })],
			of(B, MODEL),
			{ isComplete: true, hasFilesToPlace: true },
		],
	])('names %s', (_name, all, expected, options = COMPLETE) => {
		expect(misfits(all, options)).toEqual(expected);
	});

	test.each([['image_upload'], ['audio_upload'], ['file_upload']])('an input with %s takes an uploaded file', (name) => {
		const fileInput = (files: string[], value: unknown): Definitions => ({
			X: { input: { required: { file: [files, { [name]: value }] } } },
		});
		const find = (value: unknown) =>
			findMisfits(
				{ 1: { class_type: 'X', inputs: { file: 'a.wav' } } },
				[
					{ address: A, definitions: fileInput([], value) },
					{ address: B, definitions: fileInput(['a.wav'], value) },
				],
				{ isComplete: true, hasFilesToPlace: true },
			);
		expect([find(true).size, find(false).size]).toEqual([0, 1]);
	});

	test('inputs that are unknown, linked, or of another type do not count', () => {
		const odd: ApiGraph = { 1: { class_type: 'KSampler', inputs: { sampler_name: ['4', 0], steps: '20', seed: 'x', model: 'y' } } };
		const all = [definitions(), definitions({ samplers: [] })].map((one, index) => ({ address: [A, B][index] ?? '', definitions: one }));
		expect(findMisfits(odd, all, COMPLETE).size).toBe(0);
	});
});

test('lists each class and each model of a graph once', () => {
	const twice: ApiGraph = {
		...graph,
		4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'sdxl.safetensors', other: 'b.gguf' } },
	};
	expect(listClassNames(twice)).toEqual(['CheckpointLoaderSimple', 'KSampler', 'LoadImage']);
	expect(listModels(twice)).toEqual(['sdxl.safetensors', 'b.gguf']);
});

describe('hasPartnerNodes', () => {
	test.each<[Record<string, unknown>, boolean]>([
		[{ api_node: true }, true],
		[{ category: 'api node/image/BFL' }, true],
		[{ api_node: false, category: 'image' }, false],
		[{ api_node: 'true' }, false],
		[{ category: 'my api node' }, false],
		[{ category: null }, false],
		[{}, false],
	])('the definition %j: %s', (definition, expected) => {
		expect(hasPartnerNodes(graph, { ...definitions(), KSampler: definition })).toBe(expected);
	});

	test('classes that the graph does not use, or the server does not have, are not partner nodes', () => {
		expect(hasPartnerNodes(graph, { FluxPro: { api_node: true } })).toBe(false);
	});
});
