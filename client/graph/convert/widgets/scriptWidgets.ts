import { isRecord, type JsonRecord } from '../../../json/decode';
import { GROWING } from '../../inputs/definitions';
import type { EditorNode } from '../editorGraph';
import { type InputSpec, listInputSpecs, MATCHING } from './inputSpecs';
import { makeWidgets } from './widgetTypes';

/** Types that are sockets in ComfyUI itself. No script of a pack makes a widget for them. */
const SOCKET_TYPES: ReadonlySet<string> = new Set([
	'AUDIO',
	'AUDIO_ENCODER',
	'AUDIO_ENCODER_OUTPUT',
	'CLIP',
	'CLIP_VISION',
	'CLIP_VISION_OUTPUT',
	'CONDITIONING',
	'CONTROL_NET',
	'GLIGEN',
	'GUIDER',
	'HOOKS',
	'HOOK_KEYFRAMES',
	'IMAGE',
	'LATENT',
	'LATENT_UPSCALE_MODEL',
	'LORA_MODEL',
	'MASK',
	'MESH',
	'MODEL',
	'MODEL_PATCH',
	'NOISE',
	'PHOTOMAKER',
	'SAMPLER',
	'SIGMAS',
	'STYLE_MODEL',
	'TIMESTEPS_RANGE',
	'UPSCALE_MODEL',
	'VAE',
	'VIDEO',
	'VOXEL',
	GROWING,
	MATCHING,
]);

/** A hostile definition can have thousands of such inputs. */
const MOST_TRIED = 8;

const hasOwn = (values: unknown, name: string): boolean => isRecord(values) && Object.hasOwn(values, name);

/** Whether the editor itself makes no widget of an input, and its type may have one from the script of a pack. */
const canHaveScriptWidget = (spec: InputSpec): boolean =>
	!spec.settings.forceInput && !/^$|[*,]/.test(spec.type) && !SOCKET_TYPES.has(spec.type) && makeWidgets(spec).length === 0;

/** Files since March 2025 name the widget of every input. Older files do so only for widgets that were made to sockets. */
const namesEveryWidget = ({ inputs, named }: EditorNode): boolean =>
	named !== undefined || inputs.some(({ widgetName, linkId }) => widgetName !== undefined && linkId === undefined);

/** The inputs of a node after its file is considered. */
export interface NodeSpecs {
	/** The inputs of the class. Those for which the file names a widget have `hasScriptWidget`. */
	specs: InputSpec[];
	/** Other readings of an older file: inputs that it does not list as sockets have widgets as well. The most likely one is first. */
	alternatives: InputSpec[][];
}

export const isPackClass = ({ python_module: from }: JsonRecord): boolean => typeof from === 'string' && from.startsWith('custom_nodes.');

/** Finds the inputs whose widget is made by the script of a pack. The definition does not say so: their types look like sockets. */
export function findScriptWidgets(node: EditorNode, definition: JsonRecord): NodeSpecs {
	const specs = listInputSpecs(node.className, definition);
	const candidates = specs.filter(canHaveScriptWidget);
	if (candidates.length === 0) return { specs, alternatives: [] };
	const entries = new Map(node.inputs.map((input) => [input.name, input]));
	const isNamed = ({ name }: InputSpec): boolean =>
		entries.get(name)?.widgetName === name || hasOwn(node.values, name) || hasOwn(node.named, name);
	const certain = markSpecs(specs, new Set(candidates.filter(isNamed)));
	const canGuess = isPackClass(definition) && !namesEveryWidget(node);
	const possible = !canGuess ? [] : candidates.filter((spec) => !isNamed(spec) && !entries.has(spec.name)).slice(0, MOST_TRIED);
	const groups = possible.length > 1 ? [possible, ...possible.map((spec) => [spec])] : possible.map((spec) => [spec]);
	const names = groups.map((group) => new Set(group.map(({ name }) => name)));
	return { specs: certain, alternatives: names.map((group) => markSpecs(certain, new Set(certain.filter(({ name }) => group.has(name))))) };
}

const markSpecs = (specs: InputSpec[], marked: ReadonlySet<InputSpec>): InputSpec[] =>
	marked.size === 0 ? specs : specs.map((spec) => (marked.has(spec) ? { ...spec, hasScriptWidget: true } : spec));
