import { isDeepStrictEqual } from 'node:util';

import { isRecord, type JsonRecord } from '../../../json/decode';
import type { ConversionPlace, ConversionRefusal } from '../../../errors/graphFaults';
import { type EditorNode, locateNode } from '../editorGraph';
import type { ConversionNote } from '../report';
import { findMismatch } from '../valueTypes';
import { type FilledLayout, fillWidgets, isImageFile } from './fillWidgets';
import { type InputSpec, listInputSpecs } from './inputSpecs';
import type { Layout } from './layout';
import { type PackValues, readPackValues } from './packValues';
import { isPackClass } from './scriptWidgets';
import type { Widget } from './widgetTypes';
import { resolveWithoutChoice } from './dynamicPrompts';

export interface NodeWidgets {
	/** By input, the values that the editor would send for the node itself. Lists are not wrapped. A link overrides a value. */
	values: Map<string, unknown>;
	/** The values of all widgets as the file has them, also of widgets that are not sent. */
	allValues: Map<string, unknown>;
	/** By widget, what the class says about its input. */
	specs: Map<string, InputSpec>;
	/** Whether the chosen options of dynamic choices have an input. */
	hasInput: (input: string) => boolean;
	notes: ConversionNote[];
	refusals: ConversionRefusal[];
	/** The inputs whose text has wildcards. */
	dynamicPrompts: string[];
	/** The inputs whose number the editor changes after each run. */
	changedByEditor: string[];
}

/**
 * Reads the widgets of a node: which ones the editor makes for its class, and which values the file has for them.
 * @param isLinked whether the value of an input comes from another node. There are no notes about such an input.
 */
export function readWidgets(saved: EditorNode, definition: JsonRecord, isLinked: (input: string) => boolean = () => false): NodeWidgets {
	const { pack, node, filled } = readLayout(saved, definition);
	const { layout } = filled;
	applyOverrides(layout, node);
	const result: NodeWidgets = {
		values: new Map(),
		allValues: new Map(layout.widgets.map((widget) => [widget.name, toSentValue(widget)])),
		specs: new Map(layout.widgets.flatMap(({ name, spec }) => (spec === undefined ? [] : [[name, spec]]))),
		hasInput: (input) => layout.hasInput(input),
		notes: [],
		refusals: [],
		dynamicPrompts: [],
		changedByEditor: listChangedByEditor(layout, saved).filter((input) => !isLinked(input)),
	};
	for (const widget of layout.widgets) addWidget(result, widget, filled, isLinked, (input) => locateNode(node, definition, input));
	for (const { name } of node.inputs) {
		// The editor loses a link to an input behind two choices when it loads its own file.
		if (isLinked(name) && layout.findParentChoices(name).length > 1)
			result.notes.push({ note: 'widget_guessed', value: result.values.get(name), ...locateNode(node, definition, name) });
	}
	addViewports(result, node, definition, isLinked);
	for (const [name, value] of pack?.extraInputs ?? [])
		result.values.set(name, node.overrides.has(name) ? node.overrides.get(name)?.value : value);
	if (pack?.isUnknown === true || (isPackClass(definition) && hasUnknownObjects(node, layout)))
		result.refusals.push({ refusal: 'unknown_widgets', ...locateNode(node, definition) });
	const placeholder = layout.widgets.find(({ value }) => value === IMAGE_PLACEHOLDER)?.name;
	const recorded = RECORDED_INPUTS.get(node.className) ?? placeholder;
	if (recorded !== undefined && !isLinked(recorded))
		result.refusals.push({ refusal: 'unknown_widgets', ...locateNode(node, definition, recorded) });
	return result;
}

interface SavedLayout {
	pack: PackValues | undefined;
	/** With the values as the scripts of its pack read them. */
	node: EditorNode;
	filled: FilledLayout;
}

/** Assigns the values of the file to the widgets of a node, as the editor does after loading. */
export function readLayout(saved: EditorNode, definition: JsonRecord): SavedLayout {
	const pack = readPackValues(saved, definition);
	const node = pack === undefined ? saved : { ...saved, values: pack.values };
	const filled = fillWidgets(node, definition);
	fixValues(filled.layout, node.className);
	return { pack, node, filled };
}

const PLAIN_KINDS: ReadonlySet<Widget['kind']> = new Set(['choice', 'number', 'text', 'textarea', 'switch', 'control']);

/** Whether a list of values has an object that no widget of the definition explains. A script may send it as a further input. */
function hasUnknownObjects({ values }: EditorNode, { widgets }: Layout): boolean {
	const isPlain = ({ kind }: Widget): boolean => PLAIN_KINDS.has(kind);
	if (!Array.isArray(values)) return false;
	if (widgets.some((widget) => isPlain(widget) && isRecord(widget.value))) return true;
	const explained = new Set(widgets.filter((widget) => !isPlain(widget)).map(({ value }) => value));
	return values.some((value) => isRecord(value) && !isImageFile(value) && !explained.has(value));
}

/** Samplers had names with this prefix in 2022. */
const OLD_SAMPLER_PREFIX = 'sample_';
const SAMPLER_CLASSES: ReadonlySet<string> = new Set(['KSampler', 'KSamplerAdvanced']);

/** Fixes what the editor fixes after loading: old names of samplers, and choices without a value, which get the first one. */
function fixValues(layout: Layout, className: string): void {
	for (let index = 0; index < layout.widgets.length; index++) {
		const widget = layout.widgets[index] as Widget;
		const { name, kind, value, choices } = widget;
		const isSampler = SAMPLER_CLASSES.has(className) && name === 'sampler_name';
		if (isSampler && typeof value === 'string' && value.startsWith(OLD_SAMPLER_PREFIX))
			widget.value = value.slice(OLD_SAMPLER_PREFIX.length);
		if (kind === 'choice' && (value === null || value === undefined) && choices.length > 0) layout.set(widget, choices[0]);
	}
}

function applyOverrides(layout: Layout, { overrides }: EditorNode): void {
	for (const [name, { value }] of overrides) {
		const widget = layout.widgets.find((one) => one.name === name);
		if (widget !== undefined) layout.set(widget, value);
	}
}

const CHANGING_CONTROLS: ReadonlySet<unknown> = new Set(['randomize', 'increment', 'decrement']);

/** A control stands after its number. It counts only if the file has it, because the author may never have seen the default. */
const listChangedByEditor = ({ widgets }: Layout, { values }: EditorNode): string[] =>
	widgets.flatMap((widget, index) => {
		const control = widgets[index + 1];
		const isChanging = widget.kind === 'number' && control?.kind === 'control' && CHANGING_CONTROLS.has(control.value);
		return isChanging && Array.isArray(values) && values.includes(control.value) ? [widget.name] : [];
	});

/** The editor sends an empty text for an empty text area, and does not keep recordings. A curve of older files is a list of points. */
export function toSentValue({ kind, value }: Widget): unknown {
	const isEmpty = value === null || value === undefined;
	if (kind === 'recording') return '';
	if ((kind === 'textarea' || kind === 'list' || kind === 'markdown') && isEmpty) return '';
	if (kind === 'markdown' && typeof value === 'number') return String(value);
	if (kind === 'curve' && Array.isArray(value)) return { __type__: 'CURVE', __value__: value };
	return value;
}

/** Adds the value of one widget to the result, and a note if the editor would read another value. */
function addWidget(
	result: NodeWidgets,
	widget: Widget,
	filled: FilledLayout,
	isLinked: (input: string) => boolean,
	toPlace: (input: string) => ConversionPlace,
): void {
	const { name, spec } = widget;
	const value = toSentValue(widget);
	if (!widget.isSent || name === '' || value === undefined) return;
	result.values.set(name, value);
	if (isLinked(name)) return;
	const isMismatch = spec !== undefined && findMismatch(spec, value) !== undefined;
	if (!isMismatch && filled.reading !== 'editor') {
		const editorValue = filled.editorLayout.widgets.find((one) => one.name === name)?.value;
		if (!isDeepStrictEqual(editorValue, widget.value))
			result.notes.push({
				...toPlace(name),
				value,
				...(filled.reading === 'byName' ? { note: 'value_by_name', instead: editorValue } : { note: 'widget_guessed' }),
			});
	}
	if (!widget.hasDynamicPrompts || typeof value !== 'string') return;
	const resolved = resolveWithoutChoice(value);
	if (resolved === undefined) result.dynamicPrompts.push(name);
	else result.values.set(name, resolved);
}

/** Inputs that only an open editor can fill: an image of a camera or of a 3D scene. */
const RECORDED_INPUTS: ReadonlyMap<string, string> = new Map([
	['WebcamCapture', 'image'],
	['Load3D', 'image'],
]);

/** *LoadImage //Inspire* sends the image that it shows, and saves this text in its place. */
const IMAGE_PLACEHOLDER = '[IMAGE DATA]';

const VIEWER_TYPES: ReadonlySet<string> = new Set(['LOAD_3D', 'LOAD_3D_ADVANCED']);

function addViewports(result: NodeWidgets, node: EditorNode, definition: JsonRecord, isLinked: (input: string) => boolean): void {
	for (const { name, type } of listInputSpecs(node.className, definition)) {
		if (!VIEWER_TYPES.has(type) || isLinked(name) || RECORDED_INPUTS.has(node.className)) continue;
		const { value, isSaved } = readViewport(node, type, result);
		result.values.set(name, value);
		if (isSaved) result.notes.push({ note: 'widget_guessed', value, ...locateNode(node, definition, name) });
	}
}

/** The camera of a new 3D viewer. */
const NEW_CAMERA = {
	position: { x: 10, y: 10, z: 10.000000000000002 },
	target: { x: 0, y: 0, z: 0 },
	zoom: 1,
	cameraType: 'perspective',
	quaternion: { x: -0.2798481423331213, y: 0.3647051996310008, z: 0.11591689595929511, w: 0.8804762392171493 },
	fov: 35,
	near: 0.01,
	far: 10000,
	frustum: { left: -5, right: 5, top: 5, bottom: -5 },
};

const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** @returns what a 3D viewer sends before a model is loaded: the camera in the file (`isSaved`), or that of a new viewer. */
function readViewport({ properties }: EditorNode, type: string, { values }: NodeWidgets): { value: JsonRecord; isSaved: boolean } {
	const [width, height] = [values.get('width'), values.get('height')];
	const aspect = isPositive(width) && isPositive(height) ? width / height : 1;
	const camera = properties['Camera Config'];
	const saved = isRecord(camera) && isRecord(camera.state) ? camera.state : undefined;
	const value = { camera_info: saved ?? { ...NEW_CAMERA, aspect }, model_3d_info: [] };
	return {
		value: type === 'LOAD_3D_ADVANCED' ? value : { image: '', mask: '', normal: '', recording: '', ...value },
		isSaved: saved !== undefined,
	};
}
