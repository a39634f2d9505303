import { isDeepStrictEqual } from 'node:util';

import { isRecord, type JsonRecord } from '../../json/decode';
import type { EditorNode, ValueSlot } from '../convert/editorGraph';
import type { Network } from '../convert/network';
import { escapeDynamicPrompt } from '../convert/widgets/dynamicPrompts';
import type { Layout } from '../convert/widgets/layout';
import { readLayout, toSentValue } from '../convert/widgets/readWidgets';

/** Writes a value that another node holds: a primitive node, a group node or a subgraph node. @returns whether the file has a place. */
export function writeSlot({ holder, position, valuesBefore = [] }: ValueSlot, value: unknown, network: Network): boolean {
	const { saved, values } = holder;
	if (saved === undefined) return false;
	if (typeof position === 'string') saved.widgets_values = { ...(isRecord(values) && values), [position]: value };
	else {
		const list: unknown[] = Array.isArray(saved.widgets_values) ? saved.widgets_values : [];
		for (let index = list.length; index < position; index++) {
			const before = valuesBefore[index];
			list.push((before && network.resolvePromoted(before)) ?? null);
		}
		list[position] = value;
		saved.widgets_values = list;
	}
	return true;
}

/**
 * Writes values into the widgets of a node itself, as the editor saves them.
 * @param changes the inputs with other values than the file has.
 * @param literals the values of all inputs without a link.
 */
export function writeWidgets(
	{ saved, ...node }: EditorNode,
	definition: JsonRecord,
	changes: ReadonlyMap<string, unknown>,
	literals: ReadonlyMap<string, unknown>,
): void {
	if (saved === undefined) return;
	const { node: read, filled } = readLayout(node, definition);
	const { layout } = filled;
	const dependsOnChange = (input: string): boolean => [...changes.keys()].some((choice) => input.startsWith(`${choice}.`));
	const written = [...literals].filter(([input]) => changes.has(input) || dependsOnChange(input));
	// The choices come before the inputs that depend on them.
	for (const [input, value] of written.sort(([one], [other]) => one.length - other.length)) setWidget(layout, input, value);
	const savedWidgets = layout.widgets.filter(({ isSaved }) => isSaved);
	if (isRecord(read.values)) {
		const byName = new Map(savedWidgets.map((widget) => [widget.name, widget.value]));
		const entries = written.map(([input, value]) => [input, byName.has(input) ? byName.get(input) : value]);
		saved.widgets_values = { ...read.values, ...Object.fromEntries(entries) };
	} else saved.widgets_values = [...savedWidgets.map(({ value }) => value ?? null), ...('rest' in filled ? filled.rest : [])];
	if (isRecord(saved.widgets_values_named)) {
		const names = Object.fromEntries(savedWidgets.map(({ name, value }) => [name, value ?? null]));
		saved.widgets_values_named = { ...saved.widgets_values_named, ...names };
	}
}

function setWidget(layout: Layout, input: string, value: unknown): void {
	const widget = layout.widgets.find(({ name }) => name === input);
	if (widget !== undefined && !isDeepStrictEqual(toSentValue(widget), value)) layout.set(widget, escapeFor(layout, input, value));
}

/** @returns the value as a widget has to have it, so that its wildcards are not resolved once more. */
export function escapeFor({ widgets }: Layout, input: string, value: unknown): unknown {
	const hasDynamicPrompts = widgets.find(({ name }) => name === input)?.hasDynamicPrompts === true;
	return hasDynamicPrompts && typeof value === 'string' ? escapeDynamicPrompt(value) : value;
}
