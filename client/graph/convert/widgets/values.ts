import { isRecord, type JsonRecord } from '../../../decode';
import type { EditorNode } from '../model';
import { countMisfits, isAmiss, isControl, looksRight } from './fit';
import { Layout } from './layout';
import { definedSpecs, type InputSpec } from './specs';

const isSocket = ({ settings }: InputSpec): boolean => Boolean(settings.forceInput);

/** Older files keep a place for inputs that are sockets only: where the list is just that long, the editor leaves those places out. */
function withoutSockets(values: unknown[], specs: InputSpec[], layout: Layout): unknown[] {
	const names = new Set(layout.all.map(({ name }) => name));
	const places = specs
		.filter((spec) => names.has(spec.name) || isSocket(spec))
		.flatMap((spec) => (spec.settings.control_after_generate ? [isSocket(spec), false] : [isSocket(spec)]));
	return places.length === values.length ? values.filter((_, place) => places[place] !== true) : values;
}

/** The layout changes while it is filled: what stands behind a choice comes after it. */
function fillInOrder(layout: Layout, values: unknown[], isTaken = (kind: string): boolean => kind !== ''): void {
	let place = 0;
	for (let position = 0; place < values.length; position++) {
		const widget = layout.at(position);
		if (widget === undefined) return;
		if (widget.isSaved && isTaken(widget.kind)) layout.set(widget, values[place++]);
	}
}

function fillByName(layout: Layout, values: JsonRecord): void {
	for (let position = 0; layout.at(position) !== undefined; position++) {
		const widget = layout.at(position);
		if (widget?.isSaved === true && Object.hasOwn(values, widget.name)) layout.set(widget, values[widget.name]);
	}
}

/** A node with its file's values. */
export interface Filled {
	layout: Layout;
	/** How the editor itself reads the file, where that is certainly amiss and another reading is right. */
	editors?: Layout;
	/** Whether that other reading is by the names of the widgets. */
	isByName?: boolean;
}

/**
 * Lists are read by their order alone, so the editor misreads those of a class that has gained or lost the value after its
 * seed, or a socket: a name lands in a number. Where just that explains the list, it is read so.
 */
export function filled({ className, values, named }: EditorNode, definition: JsonRecord): Filled {
	const layout = new Layout(className, definition);
	if (!Array.isArray(values)) {
		if (isRecord(values)) fillByName(layout, values);
		return { layout };
	}
	fillInOrder(layout, withoutSockets(values, definedSpecs(className, definition), layout));
	if (named !== undefined) {
		const byName = new Layout(className, definition);
		fillByName(byName, named);
		if (countMisfits(byName) < countMisfits(layout)) return { layout: byName, editors: layout, isByName: true };
	}
	if (!isAmiss(layout)) return { layout };
	const readings: Array<(other: Layout) => void> = [
		(other) => fillInOrder(other, values),
		(other) => fillInOrder(other, values, (kind) => kind !== 'control'),
		(other) =>
			fillInOrder(
				other,
				values.filter((value) => typeof value === 'boolean' || !isControl(value)),
				(kind) => kind !== 'control',
			),
	];
	for (const read of readings) {
		const other = new Layout(className, definition);
		read(other);
		if (looksRight(other)) return { layout: other, editors: layout };
	}
	return { layout };
}
