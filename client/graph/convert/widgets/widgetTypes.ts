import { isRecord, type JsonRecord, listOf, recordOf } from '../../../json/decode';
import { DYNAMIC_CHOICE } from '../../inputs/definitions';
import type { InputSpec } from './inputSpecs';

/** One widget of a node: a field that the editor shows, with a value. */
export interface Widget {
	name: string;
	kind: 'choice' | 'number' | 'text' | 'textarea' | 'switch' | 'markdown' | 'list' | 'curve' | 'control' | 'recording' | 'other';
	value: unknown;
	/** Whether it has a position in `widgets_values`. */
	isSaved: boolean;
	/** Whether its value is sent. */
	isSent: boolean;
	/** Of a choice; empty for other kinds. */
	choices: unknown[];
	/** Of a dynamic choice: by option, the inputs that the option adds. */
	optionInputs?: ReadonlyMap<string, unknown>;
	/** Whether wildcards (`{a|b}`) in its text are resolved. */
	hasDynamicPrompts: boolean;
	/** The input that it sets; undefined for buttons and controls. */
	spec?: InputSpec;
}

export const makeWidget = (name: string, kind: Widget['kind'], value: unknown, more: Partial<Widget> = {}): Widget => ({
	name,
	kind,
	value,
	isSaved: true,
	isSent: true,
	choices: [],
	hasDynamicPrompts: false,
	...more,
});

const makeUnsent = (name: string, value: unknown): Widget => makeWidget(name, 'other', value, { isSent: false });

/** The control after a seed says how the editor changes it after each run. */
const makeControl = (): Widget => makeWidget('control_after_generate', 'control', 'randomize', { isSent: false });

const SEED_NAMES: ReadonlySet<string> = new Set(['seed', 'noise_seed']);

const makeInteger = ({ name, settings }: InputSpec): Widget[] => [
	makeWidget(name, 'number', settings.default ?? 0),
	...((settings.control_after_generate ?? SEED_NAMES.has(name)) ? [makeControl()] : []),
];

const makeDecimal = ({ name, settings }: InputSpec): Widget[] => [
	makeWidget(name, 'number', settings.default ?? 0),
	...(settings.control_after_generate ? [makeControl()] : []),
];

function makeText({ name, settings }: InputSpec): Widget[] {
	const value = settings.default;
	const text = isRecord(value) || Array.isArray(value) ? value : String(value ?? '');
	return [makeWidget(name, settings.multiline ? 'textarea' : 'text', text, { hasDynamicPrompts: settings.dynamicPrompts === true })];
}

function makeChoice({ name, settings, choices }: InputSpec): Widget[] {
	const controls = settings.control_after_generate ? [makeControl()] : [];
	if (settings.multi_select) return [makeWidget(name, 'list', []), ...controls];
	const remoteText = isRecord(settings.remote) ? 'Loading...' : undefined;
	const first = choices.length > 0 ? choices[0] : remoteText;
	return [
		makeWidget(name, 'choice', settings.default || first, { choices }),
		...makeRemoteButtons(settings),
		...controls,
		...controls.map(() => makeUnsent('control_filter_list', '')),
	];
}

/** A choice whose list comes from another address has buttons of its own. */
const makeRemoteButtons = ({ remote }: JsonRecord): Widget[] =>
	isRecord(remote)
		? [makeUnsent('Auto-refresh after generation', false), ...(remote.refresh_button ? [makeUnsent('refresh', 'refresh')] : [])]
		: [];

function makeDynamicChoice({ name, settings }: InputSpec): Widget[] {
	const options = listOf(settings.options).filter(isRecord);
	// The editor has the keys as those of an object, where numbers come first.
	const choices = Object.keys(Object.fromEntries(options.map(({ key }) => [String(key), true])));
	const optionInputs = new Map(options.map(({ key, inputs }) => [String(key), inputs]));
	return [makeWidget(name, 'choice', choices[0], { choices, optionInputs })];
}

const FULL_BOX = { x: 0, y: 0, width: 512, height: 512 };

function makeBox({ name, settings }: InputSpec): Widget[] {
	const value = settings.default ?? FULL_BOX;
	const sides = ['x', 'y', 'width', 'height'].map((side) => makeUnsent(side, isRecord(value) ? value[side] : undefined));
	return [makeWidget(name, 'other', value), ...sides];
}

const STRAIGHT_CURVE = {
	points: [
		[0, 0],
		[1, 1],
	],
	interpolation: 'monotone_cubic',
};

function defaultVideoEdit({ features: defined }: JsonRecord): JsonRecord {
	const features = defined === undefined ? ['trim', 'crop'] : listOf(defined);
	return {
		...(features.includes('trim') ? { trim: { start_time: 0, duration: 0 } } : {}),
		...(features.includes('crop') ? { crop: { x: 0, y: 0, width: 0, height: 0 } } : {}),
	};
}

const readOptions = ({ options }: JsonRecord): JsonRecord => recordOf(options);

/** Types that have one widget and no kind of their own, with the default value. */
const DEFAULT_VALUES: Record<string, (settings: JsonRecord) => unknown> = {
	TEXTAREA: (settings) => readOptions(settings).default || '',
	COLOR: (settings) => settings.default ?? readOptions(settings).default ?? '#000000',
	COLORS: (settings) => settings.default ?? [],
	BOUNDING_BOXES: (settings) => settings.default ?? [],
	RANGE: (settings) => settings.default ?? { min: 0, max: 1 },
	PAINTER: (settings) => settings.default ?? '',
	COMPOSITOR: (settings) => recordOf(settings.default),
	VIDEO_EDIT: (settings) => settings.default ?? defaultVideoEdit(settings),
	CHART: (settings) => readOptions(settings).data || {},
	GALLERIA: (settings) => readOptions(settings).images || [],
	WEBCAM: () => '',
	LOAD_3D: () => '',
};

const WIDGETS_OF_TYPE: Record<string, (spec: InputSpec) => Widget[]> = {
	INT: makeInteger,
	FLOAT: makeDecimal,
	STRING: makeText,
	BOOLEAN: ({ name, settings }) => [makeWidget(name, 'switch', settings.default ?? false)],
	COMBO: makeChoice,
	[DYNAMIC_CHOICE]: makeDynamicChoice,
	MARKDOWN: ({ name }) => [makeWidget(name, 'markdown', '')],
	BOUNDING_BOX: makeBox,
	CURVE: ({ name, settings }) => [makeWidget(name, 'curve', settings.default || STRAIGHT_CURVE)],
	IMAGECOMPARE: ({ name }) => [makeWidget(name, 'other', ['', ''], { isSaved: false })],
	UPLOAD: ({ name }) => [makeUnsent(name, '')],
	AUDIO_UI: ({ name }) => [makeWidget(name, 'other', '', { isSaved: false, isSent: false })],
	AUDIO_RECORD: ({ name }) => [makeWidget(name, 'recording', ''), makeUnsent(name, '')],
	PREVIEW_3D: () => [makeWidget('image', 'other', '')],
	LOAD_3D_ADVANCED: () => [makeWidget('viewport_state', 'other', '')],
	...Object.fromEntries(
		Object.entries(DEFAULT_VALUES).map(([type, defaultValue]) => [
			type,
			({ name, settings }: InputSpec) => [makeWidget(name, 'other', defaultValue(settings))],
		]),
	),
};

/** @returns the widgets that the editor makes of an input; none for a socket. */
export function makeWidgets(spec: InputSpec): Widget[] {
	if (spec.hasScriptWidget === true) return [makeWidget(spec.name, 'other', spec.settings.default, { spec })];
	const { widgetType, forceInput } = spec.settings;
	const type = typeof widgetType === 'string' && widgetType !== '' ? widgetType : spec.type;
	if (forceInput || !Object.hasOwn(WIDGETS_OF_TYPE, type)) return [];
	const [first, ...others] = WIDGETS_OF_TYPE[type]?.({ ...spec, type }) ?? [];
	return first === undefined ? [] : [{ ...first, spec }, ...others];
}
