import { isRecord, type JsonRecord, listOf, recordOf } from '../../../json/decode';
import { decodeInput } from '../../inputs/definitions';

/** One input of a class, as its definition describes it. */
export interface InputSpec {
	name: string;
	/** `COMBO` for both forms of plain choices. Other types are as the definition has them. */
	type: string;
	settings: JsonRecord;
	choices: unknown[];
	isOptional: boolean;
	/** The script of a pack makes its widget. The file shows this, and not the definition. */
	hasScriptWidget?: boolean;
}

/** The type of an input that takes the type of what is linked to it. Its template limits the types. */
export const MATCHING = 'COMFY_MATCHTYPE_V3';

/** @returns the types that the template of an input allows, with commas between them; `*` for any. */
export const readAllowedTypes = ({ settings }: InputSpec): string =>
	isRecord(settings.template) && typeof settings.template.allowed_types === 'string' ? settings.template.allowed_types : '*';

function readSpec(name: string, entry: unknown, isOptional: boolean): InputSpec {
	const [type] = listOf(entry);
	const input = decodeInput(entry);
	return input === undefined
		? { name, type: '', settings: {}, choices: [], isOptional }
		: { ...input, type: typeof type === 'string' ? type : input.type, name, isOptional };
}

/** Reads a group of inputs inside a definition, the required ones first. */
export function readSpecs(inputs: unknown): InputSpec[] {
	if (!isRecord(inputs)) return [];
	const readGroup = (group: unknown, isOptional: boolean): InputSpec[] =>
		isRecord(group) ? Object.entries(group).map(([name, entry]) => readSpec(name, entry, isOptional)) : [];
	return [...readGroup(inputs.required, false), ...readGroup(inputs.optional, true)];
}

const AUDIO_PLAYER_CLASSES: ReadonlySet<string> = new Set([
	'LoadAudio',
	'SaveAudio',
	'PreviewAudio',
	'SaveAudioMP3',
	'SaveAudioOpus',
	'SaveAudioAdvanced',
]);
const MODEL_VIEWER_CLASSES: ReadonlySet<string> = new Set(['SaveGLB', 'Preview3D']);

const IMAGE_UPLOAD_SETTINGS = ['image_upload', 'video_upload', 'animated_image_upload'];

const hasImageUpload = ({ type, settings }: InputSpec): boolean =>
	type === 'COMBO' && IMAGE_UPLOAD_SETTINGS.some((upload) => settings[upload] === true);

/** @returns what the editor adds to the required inputs of a class: players, viewers and upload buttons. */
function listEditorAdditions(className: string, required: InputSpec[]): InputSpec[] {
	const toSpec = (name: string, type: string): InputSpec => ({ name, type, settings: {}, choices: [], isOptional: false });
	const hasAudioUpload = required.some(({ name, settings }) => name === 'audio' && settings.audio_upload === true);
	return [
		...(AUDIO_PLAYER_CLASSES.has(className) ? [toSpec('audioUI', 'AUDIO_UI')] : []),
		...(hasAudioUpload || required.some(hasImageUpload) ? [toSpec('upload', 'UPLOAD')] : []),
		...(MODEL_VIEWER_CLASSES.has(className) ? [toSpec('image', 'PREVIEW_3D')] : []),
		...(className === 'Load3DAdvanced' ? [toSpec('viewport_state', 'LOAD_3D_ADVANCED')] : []),
	];
}

/** An optional input that is a socket by default never becomes a widget. */
const markAsSocket = (spec: InputSpec): InputSpec =>
	spec.settings.defaultInput ? { ...spec, settings: { ...spec.settings, forceInput: true } } : spec;

/** @returns the inputs of a class and the editor's additions, in the order of the definition without `input_order`. */
export function listUnsortedSpecs(className: string, definition: JsonRecord): InputSpec[] {
	const inputs = recordOf(definition.input);
	const required = readSpecs({ required: inputs.required });
	const additions = isRecord(inputs.required) ? listEditorAdditions(className, required) : [];
	const optional = readSpecs({ optional: inputs.optional }).map(markAsSocket);
	const byName = new Map<string, InputSpec>();
	for (const spec of [...required, ...additions, ...optional]) byName.set(spec.name, spec);
	return [...byName.values()];
}

/** Sorts by `input_order`. Inputs that it does not name come last. */
function sortSpecs(specs: InputSpec[], order: unknown): InputSpec[] {
	if (!isRecord(order)) return specs;
	const pick = (names: unknown, isOptional: boolean): InputSpec[] =>
		listOf(names).flatMap((name) => specs.filter((spec) => spec.name === name && spec.isOptional === isOptional));
	return [...new Set([...pick(order.required, false), ...pick(order.optional, true), ...specs])];
}

const sortedSpecs = new WeakMap<JsonRecord, InputSpec[]>();

/** @returns the inputs of a class and the editor's additions, in the order in which the editor shows them. */
export function listInputSpecs(className: string, definition: JsonRecord): InputSpec[] {
	const specs = sortedSpecs.get(definition) ?? sortSpecs(listUnsortedSpecs(className, definition), definition.input_order);
	sortedSpecs.set(definition, specs);
	return specs;
}
