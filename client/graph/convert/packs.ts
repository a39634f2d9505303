import { isRecord, type JsonRecord, listOf } from '../../decode';
import type { EditorNode } from './model';

/**
 * What the frontends of well-known packs make of a node's values beyond its definition. Each rule was read in the pack's own
 * scripts: VideoHelperSuite at 4ee72c0, rgthree-comfy at 13b4399, ComfyUI-Custom-Scripts at 609f3af. Nodes of packs that the
 * editor alone knows are in `virtual.ts`.
 */
export interface OfPack {
	/** `widgets_values` as the pack's scripts read them. */
	values: EditorNode['values'];
	/** Sent beside what the definition tells. */
	more: Map<string, unknown>;
	/** Its widgets cannot be told from the file. */
	isUnknown?: boolean;
}

const VIDEO_HELPER = 'VHS_';
const VIDEO_COMBINE = 'VHS_VideoCombine';
/** Lists are of its first months: later files hold values by name. */
const VIDEO_LISTS: ReadonlyMap<string, string[]> = new Map([
	['VHS_LoadImagesPath', ['directory', 'image_load_cap', 'skip_first_images', 'select_every_nth']],
	['VHS_LoadImages', ['directory', '', 'image_load_cap', 'skip_first_images', 'select_every_nth']],
	[VIDEO_COMBINE, ['frame_rate', 'loop_count', 'filename_prefix', 'format', 'pingpong', 'save_image']],
	['VHS_LoadVideo', ['video', 'force_rate', 'force_size', 'frame_load_cap', 'skip_first_frames', 'select_every_nth']],
	['VHS_LoadVideoPath', ['video', 'force_rate', 'force_size', 'frame_load_cap', 'skip_first_frames', 'select_every_nth']],
]);

function byName({ className, values }: EditorNode): JsonRecord | undefined {
	if (!Array.isArray(values)) return values;
	const names = VIDEO_LISTS.get(className);
	return names === undefined || values.length < names.length
		? undefined
		: Object.fromEntries(names.flatMap((name, at) => (name === '' ? [] : [[name, values[at]]])));
}

/** `512x?`, `Disabled`, `Custom Height`: what is now two numbers. */
function sizeOf(force: string): JsonRecord {
	const [width = '', height] = force.split('x');
	if (height !== undefined && /^(\d+|\?)$/.test(width) && /^(\d+|\?)$/.test(height))
		return { custom_width: Number.parseInt(width) || 0, custom_height: Number.parseInt(height) || 0 };
	return {
		...(force === 'Disabled' || force === 'Custom Height' ? { custom_width: 0 } : {}),
		...(force === 'Disabled' || force === 'Custom Width' ? { custom_height: 0 } : {}),
	};
}

const NOTHING: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
	['BOOLEAN', false],
	['INT', 0],
	['FLOAT', 0],
	['STRING', ''],
]);

/** A format of a video brings inputs of its own: its definition lists them, `[name, type or choices, {default}]`. */
function ofFormat(values: JsonRecord, definition: JsonRecord): Map<string, unknown> {
	const required = isRecord(definition.input) && isRecord(definition.input.required) ? definition.input.required : {};
	const [choices, settings] = listOf(required.format);
	const formats = isRecord(settings) && isRecord(settings.formats) ? settings.formats : {};
	const format = String(values.format ?? listOf(choices)[0]);
	return new Map(
		listOf(Object.hasOwn(formats, format) ? formats[format] : undefined).flatMap((entry) => {
			const [name, type, more] = listOf(entry);
			if (typeof name !== 'string') return [];
			const initial =
				isRecord(more) && more.default !== undefined ? more.default : Array.isArray(type) ? (type[0] as unknown) : NOTHING.get(type);
			return [[name, Object.hasOwn(values, name) ? values[name] : initial]];
		}),
	);
}

function ofVideoHelper(node: EditorNode, definition: JsonRecord): OfPack | undefined {
	const saved = byName(node);
	if (saved === undefined) return undefined;
	const { force_size: force, save_image: save, ...values } = saved;
	if (typeof force === 'string') Object.assign(values, sizeOf(force));
	if (node.className !== VIDEO_COMBINE)
		return { values: { ...values, ...(save === undefined ? {} : { save_image: save }) }, more: new Map() };
	if (save !== undefined && values.save_output === undefined) values.save_output = save;
	return { values, more: ofFormat(values, definition) };
}

/** A row for each LoRA, numbered in their order; the second strength only where it is shown. */
function ofLoraRows({ values, properties }: EditorNode): OfPack {
	const rows = listOf(values).filter((value): value is JsonRecord => isRecord(value) && value.lora !== undefined);
	const isSeparate = properties['Show Strengths'] === 'Separate Model & Clip';
	const more = rows.map(({ strengthTwo, ...row }, at): [string, unknown] => [
		`lora_${at + 1}`,
		isSeparate ? { ...row, strengthTwo: strengthTwo ?? 1 } : row,
	]);
	return { values: [], more: new Map(more) };
}

/** Their widgets tell neither in the definition nor in the file what they are. */
const OWN_WIDGETS: ReadonlySet<string> = new Set(['Power Conductor (rgthree)', 'Power Primitive (rgthree)', 'Power Puter (rgthree)']);

const isOfAnyPack = ({ python_module: from }: JsonRecord): boolean => typeof from === 'string' && from.startsWith('custom_nodes.');

/** @returns undefined where the definition tells all. */
export function ofPack(node: EditorNode, definition: JsonRecord): OfPack | undefined {
	const { className, values } = node;
	if (OWN_WIDGETS.has(className)) return { values, more: new Map(), isUnknown: true };
	if (className === 'Power Lora Loader (rgthree)') return ofLoraRows(node);
	if (className.startsWith(VIDEO_HELPER)) return ofVideoHelper(node, definition);
	if (className.endsWith('|pysssss') && Array.isArray(values))
		return {
			values: values.map((value) => (isRecord(value) && typeof value.content === 'string' ? value.content : value)),
			more: new Map(),
		};
	// Nothing that a definition tells is saved as an object in the list.
	return isOfAnyPack(definition) && Array.isArray(values) && values.some(isRecord)
		? { values, more: new Map(), isUnknown: true }
		: undefined;
}
