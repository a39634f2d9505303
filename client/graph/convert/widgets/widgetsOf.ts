import { isDeepStrictEqual } from 'node:util';

import { isRecord, type JsonRecord } from '../../../decode';
import type { EditorNode } from '../model';
import { ofPack } from '../packs';
import { placeOf } from '../place';
import type { ConversionNote } from '../types';
import type { ConversionRefusal } from '../../../graphFaults';
import { misfitOf } from '../literals';
import type { Widget } from './kinds';
import type { Layout } from './layout';
import { certainPrompt } from './prompts';
import { type InputSpec, specsOfClass } from './specs';
import { filled } from './values';

export interface NodeWidgets {
	/** What the editor would send of the node itself, by input, lists as they are. A link stands above it. */
	values: Map<string, unknown>;
	/** What every widget holds, those that are not sent among them, as the file has it. */
	held: Map<string, unknown>;
	/** What the class says of each widget. */
	specs: Map<string, InputSpec>;
	/** Whether an input stands there: of those behind a choice, only what belongs to the chosen one. */
	hasInput: (input: string) => boolean;
	notes: ConversionNote[];
	refusals: ConversionRefusal[];
	/** The inputs whose text leaves something to be drawn. */
	dynamicPrompts: string[];
	/** The inputs whose control says that the editor changes their number after each run. */
	changedByEditor: string[];
}

/** Names of samplers of 2022 began so. */
const OLD_SAMPLER = 'sample_';
const SAMPLERS: ReadonlySet<string> = new Set(['KSampler', 'KSamplerAdvanced']);

/** What the editor mends after loading: choices that hold nothing take their first. */
function mend(layout: Layout, className: string): void {
	for (let position = 0; ; position++) {
		const widget = layout.at(position);
		if (widget === undefined) return;
		if (
			SAMPLERS.has(className) &&
			widget.name === 'sampler_name' &&
			typeof widget.value === 'string' &&
			widget.value.startsWith(OLD_SAMPLER)
		)
			widget.value = widget.value.slice(OLD_SAMPLER.length);
		if (widget.kind === 'choice' && (widget.value === null || widget.value === undefined) && widget.choices.length > 0)
			layout.set(widget, widget.choices[0]);
	}
}

const CHANGES: ReadonlySet<unknown> = new Set(['randomize', 'increment', 'decrement']);

/** A control stands behind its number. Only the value in the file counts: a default may never have been shown. */
const changedAfterRuns = ({ all }: Layout, { values }: EditorNode): string[] =>
	all.flatMap((widget, index) => {
		const control = all[index + 1];
		const isChanged = widget.kind === 'number' && control?.kind === 'control' && CHANGES.has(control.value);
		return isChanged && Array.isArray(values) && values.includes(control.value) ? [widget.name] : [];
	});

/** A text area shows nothing for nothing; what was recorded is not kept; a curve of the older kind is a list of points. */
function sentValue({ kind, value }: Widget): unknown {
	if (kind === 'live') return '';
	if ((kind === 'area' || kind === 'list' || kind === 'markdown') && (value === null || value === undefined)) return '';
	if (kind === 'markdown' && typeof value === 'number') return String(value);
	if (kind === 'curve' && Array.isArray(value)) return { __type__: 'CURVE', __value__: value };
	return value;
}

/** Pictures and sounds that only an open editor takes: a camera's, a scene's. */
const LIVE: ReadonlyMap<string, string> = new Map([
	['WebcamCapture', 'image'],
	['Load3D', 'image'],
]);

const VIEWERS: ReadonlySet<string> = new Set(['LOAD_3D', 'LOAD_3D_ADVANCED']);

/** Where the camera of a new 3D viewer stands. */
const FIRST_CAMERA = {
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

/** What a 3D viewer sends before a model was loaded into it: the camera as the file keeps it, else that of a new viewer. */
function viewportOf({ properties }: EditorNode, type: string, { values }: NodeWidgets): { value: JsonRecord; isKept: boolean } {
	const [width, height] = [values.get('width'), values.get('height')];
	const aspect = isPositive(width) && isPositive(height) ? width / height : 1;
	const camera = properties['Camera Config'];
	const kept = isRecord(camera) && isRecord(camera.state) ? camera.state : undefined;
	const value = { camera_info: kept ?? { ...FIRST_CAMERA, aspect }, model_3d_info: [] };
	return {
		value: type === 'LOAD_3D_ADVANCED' ? value : { image: '', mask: '', normal: '', recording: '', ...value },
		isKept: kept !== undefined,
	};
}

/**
 * Which widgets the editor makes of a class's inputs, and what a file's values mean for them.
 * @param isLinked whether an input gets its value from another node: nothing is said of such a one.
 */
export function widgetsOf(saved: EditorNode, definition: JsonRecord, isLinked: (input: string) => boolean = () => false): NodeWidgets {
	const pack = ofPack(saved, definition);
	const node = pack === undefined ? saved : { ...saved, values: pack.values };
	const specs = specsOfClass(node.className, definition);
	const { layout, editors, isByName = false } = filled(node, definition);
	const editorsValue = (widget: Widget): unknown => editors?.all.find(({ name }) => name === widget.name)?.value;
	const differs = (widget: Widget): boolean => editors !== undefined && !isDeepStrictEqual(editorsValue(widget), widget.value);
	mend(layout, node.className);
	for (const [name, value] of node.given) {
		const widget = layout.all.find((one) => one.name === name);
		if (widget !== undefined) layout.set(widget, value);
	}
	const found: NodeWidgets = {
		values: new Map(),
		held: new Map(layout.all.map((widget) => [widget.name, sentValue(widget)])),
		specs: new Map(layout.all.flatMap(({ name, spec }) => (spec === undefined ? [] : [[name, spec]]))),
		hasInput: (input) => layout.hasInput(input),
		notes: [],
		refusals: [],
		dynamicPrompts: [],
		changedByEditor: changedAfterRuns(layout, saved).filter((input) => !isLinked(input)),
	};
	const place = (input: string) => placeOf(node, definition, input);
	for (const widget of layout.all) {
		const value = sentValue(widget);
		if (!widget.isSent || widget.name === '' || value === undefined) continue;
		found.values.set(widget.name, value);
		if (isLinked(widget.name)) continue;
		const isMisfit = widget.spec !== undefined && misfitOf(widget.spec, value) !== undefined;
		if (!isMisfit && differs(widget))
			found.notes.push({
				...place(widget.name),
				value,
				...(isByName ? { note: 'value_by_name', instead: editorsValue(widget) } : { note: 'widget_guessed' }),
			});
		if (!widget.drawsPrompts || typeof value !== 'string') continue;
		const said = certainPrompt(value);
		if (said === undefined) found.dynamicPrompts.push(widget.name);
		else found.values.set(widget.name, said);
	}
	for (const { name } of node.inputs) {
		// The editor loses such a link when it loads its own file.
		if (isLinked(name) && layout.choicesBefore(name).length > 1)
			found.notes.push({ note: 'widget_guessed', value: found.values.get(name), ...place(name) });
	}
	for (const { name, type } of specs) {
		if (!VIEWERS.has(type) || isLinked(name) || LIVE.has(node.className)) continue;
		const { value, isKept } = viewportOf(node, type, found);
		found.values.set(name, value);
		if (isKept) found.notes.push({ note: 'widget_guessed', value, ...place(name) });
	}
	for (const [name, value] of pack?.more ?? []) found.values.set(name, node.given.get(name) ?? value);
	if (pack?.isUnknown === true) found.refusals.push({ refusal: 'unknown_widgets', ...placeOf(node, definition) });
	const live = LIVE.get(node.className);
	if (live !== undefined && !isLinked(live)) found.refusals.push({ refusal: 'unknown_widgets', ...place(live) });
	return found;
}
