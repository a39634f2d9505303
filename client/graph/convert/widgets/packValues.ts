import { isRecord, type JsonRecord, listOf, recordOf } from '../../../json/decode';
import type { EditorNode } from '../editorGraph';

/** What the scripts of a pack make of a node's values, beyond its definition. */
export interface PackValues {
	/** `widgets_values` as the scripts of the pack read them. */
	values: EditorNode['values'];
	/** Inputs that are sent and that the definition does not have. */
	extraInputs: Map<string, unknown>;
	/** The file does not say which widgets the node has. */
	isUnknown?: boolean;
}

/** Neither the definition nor the file says what the widgets of these classes are. */
const UNKNOWN_CLASSES: ReadonlySet<string> = new Set(['Power Conductor (rgthree)', 'Power Primitive (rgthree)', 'Power Puter (rgthree)']);

/**
 * Reads the values of a node as the scripts of its pack do. Sources: VideoHelperSuite at 4ee72c0, rgthree-comfy at 13b4399,
 * ComfyUI-Custom-Scripts at 609f3af, and Impact Pack at 727295b. `virtualNodes.ts` has the nodes of packs that exist only in the editor.
 * @returns undefined if the definition is enough.
 */
export function readPackValues(node: EditorNode, definition: JsonRecord): PackValues | undefined {
	const { className, values } = node;
	if (UNKNOWN_CLASSES.has(className)) return { values, extraInputs: new Map(), isUnknown: true };
	if (className === 'Power Lora Loader (rgthree)') return readLoraRows(node);
	if (className.startsWith(VIDEO_HELPER_PREFIX)) return readVideoHelper(node, definition);
	if (!Array.isArray(values)) return undefined;
	if (className.endsWith('|pysssss')) {
		const names = values.map((value) => (isRecord(value) && typeof value.content === 'string' ? value.content : value));
		return { values: names, extraInputs: new Map() };
	}
	// It sends its saved image only while the editor shows it.
	if (className === 'ImageReceiver')
		return { values: values.map((value) => (value === '[IMAGE DATA]' ? '' : value)), extraInputs: new Map() };
	return undefined;
}

const VIDEO_HELPER_PREFIX = 'VHS_';
const VIDEO_COMBINE = 'VHS_VideoCombine';
/** Files of its first months have lists. Later files have values by name. An empty name is a position without a widget. */
const VIDEO_LISTS: ReadonlyMap<string, string[]> = new Map([
	['VHS_LoadImagesPath', ['directory', 'image_load_cap', 'skip_first_images', 'select_every_nth']],
	['VHS_LoadImages', ['directory', '', 'image_load_cap', 'skip_first_images', 'select_every_nth']],
	[VIDEO_COMBINE, ['frame_rate', 'loop_count', 'filename_prefix', 'format', 'pingpong', 'save_image']],
	['VHS_LoadVideo', ['video', 'force_rate', 'force_size', 'frame_load_cap', 'skip_first_frames', 'select_every_nth']],
	['VHS_LoadVideoPath', ['video', 'force_rate', 'force_size', 'frame_load_cap', 'skip_first_frames', 'select_every_nth']],
]);

function toNamedValues({ className, values }: EditorNode): JsonRecord | undefined {
	if (!Array.isArray(values)) return values;
	const names = VIDEO_LISTS.get(className);
	return names === undefined || values.length < names.length
		? undefined
		: Object.fromEntries(names.flatMap((name, index) => (name === '' ? [] : [[name, values[index]]])));
}

/** Older files have a size such as `512x?`, `Disabled` or `Custom Height` in place of two numbers. */
function readForcedSize(force: string): JsonRecord {
	const [width = '', height] = force.split('x');
	if (height !== undefined && /^(\d+|\?)$/.test(width) && /^(\d+|\?)$/.test(height))
		return { custom_width: Number.parseInt(width) || 0, custom_height: Number.parseInt(height) || 0 };
	return {
		...(force === 'Disabled' || force === 'Custom Height' ? { custom_width: 0 } : {}),
		...(force === 'Disabled' || force === 'Custom Width' ? { custom_height: 0 } : {}),
	};
}

const EMPTY_VALUES: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
	['BOOLEAN', false],
	['INT', 0],
	['FLOAT', 0],
	['STRING', ''],
]);

/** A video format has further inputs. Its definition lists them as `[name, type or choices, {default}]`. */
function readFormatInputs(values: JsonRecord, definition: JsonRecord): Map<string, unknown> {
	const required = recordOf(recordOf(definition.input).required);
	const [choices, settings] = listOf(required.format);
	const formats = recordOf(recordOf(settings).formats);
	const format = String(values.format ?? listOf(choices)[0]);
	const inputs = new Map<string, unknown>();
	for (const entry of listOf(Object.hasOwn(formats, format) ? formats[format] : undefined)) {
		const [name, type, inputSettings] = listOf(entry);
		if (typeof name !== 'string') continue;
		inputs.set(name, Object.hasOwn(values, name) ? values[name] : findInitialValue(type, inputSettings));
	}
	return inputs;
}

function findInitialValue(type: unknown, settings: unknown): unknown {
	if (isRecord(settings) && settings.default !== undefined) return settings.default;
	return Array.isArray(type) ? (type[0] as unknown) : EMPTY_VALUES.get(type);
}

function readVideoHelper(node: EditorNode, definition: JsonRecord): PackValues | undefined {
	const saved = toNamedValues(node);
	if (saved === undefined) return undefined;
	const { force_size: force, save_image: save, ...values } = saved;
	if (typeof force === 'string') Object.assign(values, readForcedSize(force));
	if (node.className !== VIDEO_COMBINE)
		return { values: { ...values, ...(save === undefined ? {} : { save_image: save }) }, extraInputs: new Map() };
	if (save !== undefined && values.save_output === undefined) values.save_output = save;
	return { values, extraInputs: readFormatInputs(values, definition) };
}

/** There is a row for each LoRA. The second strength is sent only if the node shows it. */
function readLoraRows({ values, properties }: EditorNode): PackValues {
	const rows = listOf(values).filter((value): value is JsonRecord => isRecord(value) && value.lora !== undefined);
	const isSeparate = properties['Show Strengths'] === 'Separate Model & Clip';
	const extraInputs = rows.map(({ strengthTwo, ...row }, index): [string, unknown] => [
		`lora_${index + 1}`,
		isSeparate ? { ...row, strengthTwo: strengthTwo ?? 1 } : row,
	]);
	return { values: [], extraInputs: new Map(extraInputs) };
}
