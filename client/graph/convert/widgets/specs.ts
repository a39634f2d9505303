import { isRecord, type JsonRecord, listOf } from '../../../decode';
import { decodedInput } from '../../form/definition';

/** One input of a class, as its definition tells it. */
export interface InputSpec {
	name: string;
	/** `COMBO` for both shapes of plain choices; other words as they stand. */
	type: string;
	settings: JsonRecord;
	choices: unknown[];
	isOptional: boolean;
}

type Entries = Array<[string, unknown]>;

const entriesOf = (group: unknown): Entries => (isRecord(group) ? Object.entries(group) : []);

function specOf(name: string, entry: unknown, isOptional: boolean): InputSpec {
	const [word] = listOf(entry);
	const input = decodedInput(entry);
	return input === undefined
		? { name, type: '', settings: {}, choices: [], isOptional }
		: { ...input, type: typeof word === 'string' ? word : input.type, name, isOptional };
}

/** A group of inputs inside a definition: required ones first. */
export const specsIn = (inputs: unknown): InputSpec[] =>
	isRecord(inputs)
		? [
				...entriesOf(inputs.required).map(([name, entry]) => specOf(name, entry, false)),
				...entriesOf(inputs.optional).map(([name, entry]) => specOf(name, entry, true)),
			]
		: [];

const AUDIO_PLAYERS: ReadonlySet<string> = new Set([
	'LoadAudio',
	'SaveAudio',
	'PreviewAudio',
	'SaveAudioMP3',
	'SaveAudioOpus',
	'SaveAudioAdvanced',
]);
const MODEL_VIEWERS: ReadonlySet<string> = new Set(['SaveGLB', 'Preview3D']);

const UPLOADS_OF_PICTURES = ['image_upload', 'video_upload', 'animated_image_upload'];

const isPictureUpload = ({ type, settings }: InputSpec): boolean =>
	type === 'COMBO' && UPLOADS_OF_PICTURES.some((upload) => settings[upload] === true);

/** What the editor adds to a class's required inputs: players, viewers, upload buttons. */
function additionsTo(className: string, required: InputSpec[]): InputSpec[] {
	const added = (name: string, type: string): InputSpec => ({ name, type, settings: {}, choices: [], isOptional: false });
	const isAudioUpload = required.some(({ name, settings }) => name === 'audio' && settings.audio_upload === true);
	return [
		...(AUDIO_PLAYERS.has(className) ? [added('audioUI', 'AUDIO_UI')] : []),
		...(isAudioUpload || required.some(isPictureUpload) ? [added('upload', 'UPLOAD')] : []),
		...(MODEL_VIEWERS.has(className) ? [added('image', 'PREVIEW_3D')] : []),
		...(className === 'Load3DAdvanced' ? [added('viewport_state', 'LOAD_3D_ADVANCED')] : []),
	];
}

/** The names of `input_order`, each where it belongs; what it does not name comes last. */
function inOrder(specs: InputSpec[], order: unknown): InputSpec[] {
	if (!isRecord(order)) return specs;
	const named = [false, true].flatMap((isOptional) =>
		listOf(isOptional ? order.optional : order.required).flatMap((name) =>
			specs.filter((spec) => spec.name === name && spec.isOptional === isOptional),
		),
	);
	return [...new Set([...named, ...specs])];
}

/** An optional input that is to be a socket at first is one for good. */
const asSocket = (spec: InputSpec): InputSpec =>
	spec.settings.defaultInput ? { ...spec, settings: { ...spec.settings, forceInput: true } } : spec;

/** The inputs of a class, and what the editor adds to them, as its definition orders them. */
export function definedSpecs(className: string, definition: JsonRecord): InputSpec[] {
	const inputs = isRecord(definition.input) ? definition.input : {};
	const required = specsIn({ required: inputs.required });
	const additions = isRecord(inputs.required) ? additionsTo(className, required) : [];
	const specs = new Map<string, InputSpec>();
	for (const spec of [...required, ...additions, ...specsIn({ optional: inputs.optional }).map(asSocket)]) specs.set(spec.name, spec);
	return [...specs.values()];
}

const LAID_OUT = new WeakMap<JsonRecord, InputSpec[]>();

/** The inputs of a class as the editor lays them out. */
export function specsOfClass(className: string, definition: JsonRecord): InputSpec[] {
	const known = LAID_OUT.get(definition) ?? inOrder(definedSpecs(className, definition), definition.input_order);
	LAID_OUT.set(definition, known);
	return known;
}
