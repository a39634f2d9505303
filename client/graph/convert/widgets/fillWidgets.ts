import { isRecord, type JsonRecord } from '../../../json/decode';
import { isOffered } from '../../inputs/definitions';
import type { EditorNode } from '../editorGraph';
import { findMismatch, isConvertibleToNumber } from '../valueTypes';
import { type InputSpec, listUnsortedSpecs } from './inputSpecs';
import { Layout } from './layout';
import { findScriptWidgets, isPackClass } from './scriptWidgets';
import type { Widget } from './widgetTypes';

/** How the values of a file were assigned to widgets. */
export type FilledLayout =
	/** As the editor does it: by position, or by name if the file has an object. `rest`: the values after those of the widgets. */
	| { reading: 'editor'; layout: Layout; rest: unknown[] }
	/** By the names in `widgets_values_named`, or by a guess, because `editorLayout` puts values into wrong widgets. */
	| { reading: 'byName' | 'guessed'; layout: Layout; editorLayout: Layout };

/**
 * Assigns the values of a file to the widgets of a node.
 *
 * The editor reads a list by position only. If a class has since gained or lost a control or a socket, values end up in wrong
 * widgets, for example a name in a number. If another reading certainly explains the list, it counts.
 */
export function fillWidgets(node: EditorNode, definition: JsonRecord): FilledLayout {
	const { specs, alternatives } = findScriptWidgets(node, definition);
	const filled = withoutImages(node, definition, specs);
	if (filled.reading !== 'editor' || !Array.isArray(node.values) || node.values.length === 0) return filled;
	const { length } = node.values;
	const layouts = alternatives.map((more) => withoutImages(node, definition, more).layout);
	const [best] = [...layouts, filled.layout]
		.map((layout) => ({ layout, faults: countFaults(layout, length) }))
		.sort((one, other) => compareFaults(one.faults, other.faults));
	if (best === undefined || best.layout === filled.layout) return filled;
	return { reading: 'guessed', layout: best.layout, editorLayout: filled.layout };
}

/** Scripts of packs append the images that a node shows. Their widgets are no inputs, so no value after them counts. */
function withoutImages(node: EditorNode, definition: JsonRecord, specs: InputSpec[]): FilledLayout {
	const filled = fillSpecs(node, definition, specs);
	if (!Array.isArray(node.values) || !isPackClass(definition)) return filled;
	const end = node.values.findLastIndex((value) => value !== null && !isImageFile(value)) + 1;
	if (!node.values.slice(end).some(isImageFile)) return filled;
	const { layout } = fillSpecs({ ...node, values: node.values.slice(0, end) }, definition, specs);
	return { reading: 'guessed', layout, editorLayout: filled.layout };
}

/** A file on the server, as ComfyUI reports its outputs. */
export const isImageFile = (value: unknown): boolean =>
	isRecord(value) && typeof value.filename === 'string' && typeof value.type === 'string';

/** How badly a list explains the widgets of a layout, the most important number first. */
function countFaults({ widgets }: Layout, length: number): number[] {
	const saved = widgets.filter(({ isSaved }) => isSaved);
	const read = saved.slice(0, length);
	return [
		read.filter((widget) => !fitsWidget(widget)).length,
		read.filter(({ kind, choices, value }) => kind === 'choice' && choices.length > 0 && !isOffered(choices, value)).length,
		Math.abs(saved.length - length),
	];
}

function compareFaults(one: number[], other: number[]): number {
	const index = one.findIndex((count, at) => count !== other[at]);
	return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

function fillSpecs({ className, values, named }: EditorNode, definition: JsonRecord, specs: InputSpec[]): FilledLayout {
	const layout = new Layout(className, specs);
	if (!Array.isArray(values)) {
		if (isRecord(values)) fillByName(layout, values);
		return { reading: 'editor', layout, rest: [] };
	}
	const rest = fillInOrder(layout, withoutSockets(values, listUnsortedSpecs(className, definition), layout));
	if (named !== undefined) {
		const byName = new Layout(className, specs);
		fillByName(byName, named);
		if (countMismatches(byName) < countMismatches(layout)) return { reading: 'byName', layout: byName, editorLayout: layout };
	}
	if (!hasTextInNumber(layout)) return { reading: 'editor', layout, rest };
	const guesses: Array<{ values: unknown[]; skipControls: boolean }> = [
		// The list has no positions of sockets.
		{ values, skipControls: false },
		// It was saved before seeds had a control.
		{ values, skipControls: true },
		// It has controls that the class no longer has.
		{ values: values.filter((value) => typeof value === 'boolean' || !isControlValue(value)), skipControls: true },
	];
	for (const guess of guesses) {
		const guessed = new Layout(className, specs);
		fillInOrder(guessed, guess.values, guess.skipControls);
		if (fitsAllWidgets(guessed)) return { reading: 'guessed', layout: guessed, editorLayout: layout };
	}
	return { reading: 'editor', layout, rest };
}

const isSocket = ({ settings }: InputSpec): boolean => Boolean(settings.forceInput);

/** Older files have a position for inputs that are only sockets. The editor skips it if the list has exactly this length. */
function withoutSockets(values: unknown[], specs: InputSpec[], layout: Layout): unknown[] {
	const names = new Set(layout.widgets.map(({ name }) => name));
	const isSocketAt = specs
		.filter((spec) => names.has(spec.name) || isSocket(spec))
		.flatMap((spec) => (spec.settings.control_after_generate ? [isSocket(spec), false] : [isSocket(spec)]));
	return isSocketAt.length === values.length ? values.filter((_, position) => isSocketAt[position] !== true) : values;
}

/**
 * Setting a dynamic choice changes the widgets after it, so the layout is read again at each position.
 * @returns the values for which the layout has no widget.
 */
function fillInOrder(layout: Layout, values: unknown[], skipControls = false): unknown[] {
	let position = 0;
	for (let index = 0; position < values.length; index++) {
		const widget = layout.widgets[index];
		if (widget === undefined) break;
		if (widget.isSaved && !(skipControls && widget.kind === 'control')) layout.set(widget, values[position++]);
	}
	return values.slice(position);
}

function fillByName(layout: Layout, values: JsonRecord): void {
	for (let index = 0; index < layout.widgets.length; index++) {
		const widget = layout.widgets[index];
		if (widget?.isSaved === true && Object.hasOwn(values, widget.name)) layout.set(widget, values[widget.name]);
	}
}

const CONTROL_VALUES: ReadonlySet<unknown> = new Set(['fixed', 'increment', 'decrement', 'randomize', true, false]);

const isControlValue = (value: unknown): boolean => CONTROL_VALUES.has(value);

/** Whether the list was certainly saved for other widgets: ComfyUI would reject this text in a number. */
const hasTextInNumber = ({ widgets }: Layout): boolean =>
	widgets.some(({ kind, isSent, value }) => isSent && kind === 'number' && typeof value === 'string' && !isConvertibleToNumber(value));

/** @returns how many widgets have a value of a wrong type. An empty one takes its first choice, or is reported later. */
const countMismatches = ({ widgets }: Layout): number =>
	widgets.filter(({ isSent, spec, value }) => isSent && spec !== undefined && value != null && findMismatch(spec, value) !== undefined)
		.length;

const fitsAllWidgets = ({ widgets }: Layout): boolean => widgets.filter(({ isSaved }) => isSaved).every(fitsWidget);

/** Whether a value looks as if it was saved for this widget. */
function fitsWidget({ kind, choices, value, spec }: Widget): boolean {
	switch (kind) {
		case 'number':
			return isConvertibleToNumber(value);
		case 'switch':
			return typeof value === 'boolean';
		case 'choice':
			return choices.length === 0 || choices.some((choice) => typeof choice === typeof value);
		case 'control':
			return isControlValue(value);
		case 'text':
		case 'textarea':
			return typeof value === 'string';
		default:
			// Buttons after the widgets of a class are saved as null. No script saves it as a value.
			return !(spec?.hasScriptWidget === true && value === null);
	}
}
