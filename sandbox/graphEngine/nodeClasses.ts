/** All node classes, and what `object_info` says about each, in ComfyUI's shape. */
import { LosslessNumber } from '../json';
import type { InputSpec, NodeClass } from './nodeClass';
import { imageNodes } from './classes/images';
import { primitives } from './classes/primitives';
import { sandboxNodes } from './classes/sandboxNodes';
import { makers, savers } from './classes/savers';
import { textToImage } from './classes/textToImage';

/** All classes by name. Names that do not start with `Sandbox` are ComfyUI's own. */
export const nodeClasses: ReadonlyMap<string, NodeClass> = new Map(
	Object.entries({ ...imageNodes, ...makers, ...primitives, ...textToImage, ...savers, ...sandboxNodes }),
);

/** A type or a list of options, then what an editor needs to show the input. */
type InputDefinition = [string | readonly string[]] | [string | readonly string[], Record<string, unknown>];

/** Default numbers by input name. Other inputs start at their minimum. */
const DEFAULTS: Readonly<Record<string, number>> = {
	width: 512,
	height: 512,
	steps: 20,
	step_ms: 20,
	scale_by: 1,
	fps: 24,
};

/** @param files the choices of file inputs. @returns undefined if the class does not exist. */
export function nodeDefinition(name: string, files: readonly string[]) {
	const nodeClass = nodeClasses.get(name);
	return nodeClass && describe(name, nodeClass, files);
}

/** Class name → definition, of every class. */
export const nodeDefinitions = (files: readonly string[]) =>
	Object.fromEntries([...nodeClasses].map(([name, nodeClass]) => [name, describe(name, nodeClass, files)]));

function describe(name: string, { required, optional, outputs, isOutput = false, shown }: NodeClass, files: readonly string[]) {
	const inputs = (specs: Record<string, InputSpec>): Record<string, InputDefinition> =>
		Object.fromEntries(Object.entries(specs).map(([input, spec]) => [input, describeInput(input, spec, files)]));
	return {
		input: { required: inputs(required), ...(optional && { optional: inputs(optional) }) },
		input_order: { required: Object.keys(required), ...(optional && { optional: Object.keys(optional) }) },
		output: [...outputs],
		output_is_list: outputs.map(() => false),
		output_name: [...outputs],
		name,
		display_name: shown?.displayName ?? name.replace(/([a-z])([A-Z])/g, '$1 $2'),
		description: '',
		python_module: shown?.module ?? 'nodes',
		category: shown?.category ?? 'image',
		output_node: isOutput,
	};
}

function describeInput(name: string, spec: InputSpec, files: readonly string[]): InputDefinition {
	switch (spec.type) {
		case 'INT':
		case 'FLOAT': {
			const limits = { min: toJsonNumber(spec.min), max: toJsonNumber(spec.max) };
			if (spec.withDetails) return [spec.type, { ...limits, ...spec.withDetails }];
			const start = Math.min(Math.max(DEFAULTS[name] ?? 0, Number(spec.min)), Number(spec.max));
			return [spec.type, { default: start, ...limits, ...(spec.type === 'FLOAT' && { step: 0.01 }) }];
		}
		case 'COMBO':
			return spec.isNamed
				? ['COMBO', { multiselect: false, options: spec.options, ...spec.withDetails }]
				: [spec.options, { ...spec.withDetails }];
		case 'FILE':
			return [files, { image_upload: true }];
		case 'STRING':
			return ['STRING', spec.withDetails ?? { default: '', multiline: name === 'text' }];
		case 'BOOLEAN':
			return ['BOOLEAN', spec.withDetails ?? { default: false }];
		default:
			return spec.withDetails ? [spec.type, spec.withDetails] : [spec.type];
	}
}

const toJsonNumber = (limit: number | bigint): number | LosslessNumber =>
	typeof limit === 'bigint' ? new LosslessNumber(String(limit)) : limit;

/** The key of a node's results under which engines report each kind of file. */
const KEYS: Readonly<Record<string, string>> = {
	image: 'images',
	video: 'video',
	audio: 'audio',
	text: 'text',
	latent: 'latents',
	gif: 'gifs',
	'3d': '3d',
};

export function resultKey(kind: string, contentType: string): string {
	if (contentType.startsWith('model/')) return '3d';
	return KEYS[kind] ?? 'files';
}
