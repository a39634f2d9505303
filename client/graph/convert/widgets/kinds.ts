import { isRecord, type JsonRecord, listOf } from '../../../decode';
import type { InputSpec } from './specs';

/** One widget of a node: a field that the editor shows, with a value. */
export interface Widget {
	name: string;
	kind: 'choice' | 'number' | 'text' | 'area' | 'switch' | 'markdown' | 'list' | 'curve' | 'control' | 'live' | 'other';
	value: unknown;
	/** Whether it takes a place in `widgets_values`. */
	isSaved: boolean;
	/** Whether its value is sent. */
	isSent: boolean;
	/** Of a choice. */
	choices: unknown[];
	/** Of a choice that decides which inputs stand behind it. */
	behind?: ReadonlyMap<string, unknown>;
	drawsPrompts: boolean;
	/** The input that it stands for; none for buttons and controls beside it. */
	spec?: InputSpec;
}

export const widget = (name: string, kind: Widget['kind'], value: unknown, more: Partial<Widget> = {}): Widget => ({
	name,
	kind,
	value,
	isSaved: true,
	isSent: true,
	choices: [],
	drawsPrompts: false,
	...more,
});

const unsent = (name: string, value: unknown): Widget => widget(name, 'other', value, { isSent: false });

const SEEDS: ReadonlySet<string> = new Set(['seed', 'noise_seed']);

/** After a seed stands how it changes from run to run. */
const control = (): Widget => widget('control_after_generate', 'control', 'randomize', { isSent: false });

const whole = ({ name, settings }: InputSpec): Widget[] => [
	widget(name, 'number', settings.default ?? 0),
	...((settings.control_after_generate ?? SEEDS.has(name)) ? [control()] : []),
];

const decimal = ({ name, settings }: InputSpec): Widget[] => [
	widget(name, 'number', settings.default ?? 0),
	...(settings.control_after_generate ? [control()] : []),
];

const textOf = (value: unknown): unknown => (isRecord(value) || Array.isArray(value) ? value : String(value ?? ''));

const text = ({ name, settings }: InputSpec): Widget[] => [
	widget(name, settings.multiline ? 'area' : 'text', textOf(settings.default), { drawsPrompts: settings.dynamicPrompts === true }),
];

/** A choice that follows what lies in a folder of the server has buttons of its own. */
const remote = (settings: JsonRecord): Widget[] =>
	isRecord(settings.remote)
		? [unsent('Auto-refresh after generation', false), ...(settings.remote.refresh_button ? [unsent('refresh', 'refresh')] : [])]
		: [];

function choice({ name, settings, choices }: InputSpec): Widget[] {
	const controls = settings.control_after_generate ? [control()] : [];
	if (settings.multi_select) return [widget(name, 'list', []), ...controls];
	const first = settings.default || (choices.length > 0 ? choices[0] : isRecord(settings.remote) ? 'Loading...' : undefined);
	return [
		widget(name, 'choice', first, { choices }),
		...remote(settings),
		...controls,
		...controls.map(() => unsent('control_filter_list', '')),
	];
}

function dynamicChoice({ name, settings }: InputSpec): Widget[] {
	const options = listOf(settings.options).filter(isRecord);
	// As keys of an object: numbers come first.
	const keys = Object.keys(Object.fromEntries(options.map(({ key }) => [String(key), true])));
	return [widget(name, 'choice', keys[0], { choices: keys, behind: new Map(options.map(({ key, inputs }) => [String(key), inputs])) })];
}

const optionsOf = ({ settings }: InputSpec): JsonRecord => (isRecord(settings.options) ? settings.options : {});

const one =
	(byDefault: (spec: InputSpec) => unknown, more: Partial<Widget> = {}) =>
	(spec: InputSpec): Widget[] => [widget(spec.name, 'other', byDefault(spec), more)];

const defaultOr =
	(otherwise: unknown) =>
	({ settings }: InputSpec): unknown =>
		settings.default ?? otherwise;

const STRAIGHT_CURVE = {
	points: [
		[0, 0],
		[1, 1],
	],
	interpolation: 'monotone_cubic',
};
const WHOLE_BOX = { x: 0, y: 0, width: 512, height: 512 };
const SIDES = ['x', 'y', 'width', 'height'];

function box(spec: InputSpec): Widget[] {
	const value = defaultOr(WHOLE_BOX)(spec);
	return [widget(spec.name, 'other', value), ...SIDES.map((side) => unsent(side, isRecord(value) ? value[side] : undefined))];
}

function edited({ settings }: InputSpec): unknown {
	const features = settings.features === undefined ? ['trim', 'crop'] : listOf(settings.features);
	return {
		...(features.includes('trim') ? { trim: { start_time: 0, duration: 0 } } : {}),
		...(features.includes('crop') ? { crop: { x: 0, y: 0, width: 0, height: 0 } } : {}),
	};
}

/** The widgets that the editor makes of each type; a type that is not among them is a socket. */
const KINDS: Record<string, (spec: InputSpec) => Widget[]> = {
	INT: whole,
	FLOAT: decimal,
	STRING: text,
	BOOLEAN: ({ name, settings }) => [widget(name, 'switch', settings.default ?? false)],
	COMBO: choice,
	COMFY_DYNAMICCOMBO_V3: dynamicChoice,
	MARKDOWN: ({ name }) => [widget(name, 'markdown', '')],
	TEXTAREA: one((spec) => optionsOf(spec).default || ''),
	COLOR: one((spec) => spec.settings.default ?? optionsOf(spec).default ?? '#000000'),
	COLORS: one(defaultOr([])),
	BOUNDING_BOX: box,
	BOUNDING_BOXES: one(defaultOr([])),
	CURVE: ({ name, settings }) => [widget(name, 'curve', settings.default || STRAIGHT_CURVE)],
	RANGE: one(defaultOr({ min: 0, max: 1 })),
	PAINTER: one(defaultOr('')),
	COMPOSITOR: one(({ settings }) => (isRecord(settings.default) ? settings.default : {})),
	VIDEO_EDIT: one((spec) => spec.settings.default ?? edited(spec)),
	CHART: one((spec) => optionsOf(spec).data || {}),
	GALLERIA: one((spec) => optionsOf(spec).images || []),
	IMAGECOMPARE: one(() => ['', ''], { isSaved: false }),
	UPLOAD: ({ name }) => [unsent(name, '')],
	AUDIO_UI: one(() => '', { isSaved: false, isSent: false }),
	AUDIO_RECORD: ({ name }) => [widget(name, 'live', ''), unsent(name, '')],
	WEBCAM: one(() => ''),
	PREVIEW_3D: () => [widget('image', 'other', '')],
	LOAD_3D_ADVANCED: () => [widget('viewport_state', 'other', '')],
	LOAD_3D: one(() => ''),
};

const typeOf = ({ type, settings }: InputSpec): string =>
	typeof settings.widgetType === 'string' && settings.widgetType !== '' ? settings.widgetType : type;

/** @returns none for a socket. */
export function widgetsFor(spec: InputSpec): Widget[] {
	const type = typeOf(spec);
	const [first, ...others] = Object.hasOwn(KINDS, type) && !spec.settings.forceInput ? (KINDS[type]?.({ ...spec, type }) ?? []) : [];
	return first === undefined ? [] : [{ ...first, spec }, ...others];
}
