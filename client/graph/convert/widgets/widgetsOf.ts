import { isRecord, type JsonRecord } from '../../../decode';
import type { EditorNode } from '../model';
import { ofPack } from '../packs';
import { placeOf } from '../place';
import type { ConversionNote } from '../types';
import type { ConversionRefusal } from '../../../graphFaults';
import { fits } from './fit';
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

/** What a 3D viewer tells of itself where no model was loaded into it; its camera as the file keeps it. */
function viewed({ properties }: EditorNode, type: string): JsonRecord {
	const camera = properties['Camera Config'];
	const told = { camera_info: (isRecord(camera) ? camera.state : undefined) ?? null, model_3d_info: [] };
	return type === 'LOAD_3D_ADVANCED' ? told : { image: '', mask: '', normal: '', recording: '', ...told };
}

/**
 * Which widgets the editor makes of a class's inputs, and what a file's values mean for them.
 * @param isLinked whether an input gets its value from another node: nothing is said of such a one.
 */
export function widgetsOf(saved: EditorNode, definition: JsonRecord, isLinked: (input: string) => boolean = () => false): NodeWidgets {
	const pack = ofPack(saved, definition);
	const node = pack === undefined ? saved : { ...saved, values: pack.values };
	const specs = specsOfClass(node.className, definition);
	const { layout, editors } = filled(node, definition);
	const differs = (widget: Widget): boolean =>
		editors !== undefined && editors.all.find(({ name }) => name === widget.name)?.value !== widget.value;
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
	};
	const place = (input: string) => placeOf(node, definition, input);
	for (const widget of layout.all) {
		const value = sentValue(widget);
		if (!widget.isSent || widget.name === '' || value === undefined) continue;
		found.values.set(widget.name, value);
		if (isLinked(widget.name)) continue;
		if (!fits(widget, value)) found.notes.push({ note: 'value_does_not_fit', value, ...place(widget.name) });
		else if (differs(widget)) found.notes.push({ note: 'widget_guessed', value, ...place(widget.name) });
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
		const value = viewed(node, type);
		found.values.set(name, value);
		found.notes.push({ note: 'widget_guessed', value, ...place(name) });
	}
	for (const [name, value] of pack?.more ?? []) found.values.set(name, node.given.get(name) ?? value);
	if (pack?.isUnknown === true) found.refusals.push({ refusal: 'unknown_widgets', ...placeOf(node, definition) });
	const live = LIVE.get(node.className);
	if (live !== undefined && !isLinked(live)) found.refusals.push({ refusal: 'unknown_widgets', ...place(live) });
	return found;
}
