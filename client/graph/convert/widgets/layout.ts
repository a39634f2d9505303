import { isRecord, type JsonRecord } from '../../../decode';
import { GROWING } from '../../form/definition';
import { widget, widgetsFor, type Widget } from './kinds';
import { specsIn, specsOfClass, type InputSpec } from './specs';

/** Choices behind choices; a definition that goes deeper is broken. */
const DEPTH = 16;
/** Of inputs that grow, so many stand there from the beginning at most. */
const GROWN = 100;

const grownCount = (value: unknown, otherwise: number): number =>
	typeof value === 'number' && value >= 0 ? Math.min(value, GROWN) : otherwise;

/** The inputs of a growing group: as many as stand there from the beginning, which is one more than it needs, or all that it may have. */
function grownSpecs({ name, settings }: InputSpec, most: 'at first' | 'ever' = 'at first'): InputSpec[] {
	const template = isRecord(settings.template) ? settings.template : {};
	const names = Array.isArray(template.names) ? template.names.map(String) : undefined;
	const columns = specsIn(template.input);
	const prefix = typeof template.prefix === 'string' ? template.prefix : '';
	const limit = names?.length ?? grownCount(template.max, GROWN);
	const count = most === 'ever' ? limit : Math.min(grownCount(template.min, 1) + 1, limit);
	const nameAt = (column: InputSpec, row: number): string =>
		`${name}.${names?.[row] ?? `${columns.length === 1 ? prefix : column.name}${row}`}`;
	return Array.from({ length: count }, (_, row) => columns.map((column) => ({ ...column, name: nameAt(column, row) }))).flat();
}

/** Whether an input's name stands for what a definition tells, or for one of the inputs that grow there. */
const tellsOf = (spec: InputSpec, input: string): boolean =>
	input === spec.name ||
	(spec.type === GROWING ? grownSpecs(spec, 'ever').some(({ name }) => name === input) : input.startsWith(`${spec.name}.`));

/** Its type is that of what it is linked to, or one of those that its template allows. */
export const MATCHING = 'COMFY_MATCHTYPE_V3';

export const allowedTypes = ({ settings }: InputSpec): string =>
	isRecord(settings.template) && typeof settings.template.allowed_types === 'string' ? settings.template.allowed_types : '*';

/** Growing groups and matching types stand with the sockets, so their widgets come first. */
function withSockets(spec: InputSpec, depth: number): Widget[] {
	if (depth >= DEPTH) return [];
	if (spec.type === MATCHING) return added({ ...spec, type: allowedTypes(spec) }, depth + 1);
	return spec.type === GROWING ? grownSpecs(spec).flatMap((grown) => added(grown, depth + 1)) : [];
}

const withWidgets = (spec: InputSpec, depth: number): Widget[] => widgetsFor(spec).flatMap((made) => [made, ...behind(made, depth)]);

const added = (spec: InputSpec, depth: number): Widget[] => [...withSockets(spec, depth), ...withWidgets(spec, depth)];

const specsBehind = (made: Widget): InputSpec[] =>
	made.behind === undefined || !made.value
		? []
		: specsIn(made.behind.get(String(made.value))).map((spec) => ({ ...spec, name: `${made.name}.${spec.name}` }));

const behind = (made: Widget, depth: number): Widget[] =>
	depth >= DEPTH ? [] : specsBehind(made).flatMap((spec) => added(spec, depth + 1));

/** Buttons and viewers that the editor gives to single classes, beside what their definitions tell. */
function ofClass(className: string, widgets: Widget[]): Widget[] {
	const button = (name: string, more: Partial<Widget> = {}): Widget => widget(name, 'other', '', { isSent: false, ...more });
	const at = widgets.findIndex(({ name }) => name === 'image');
	if (className === 'Load3D' && at >= 0)
		return [...widgets.slice(0, at), button('upload 3d model'), button('upload extra resources'), button('clear'), ...widgets.slice(at)];
	if (className === 'CustomCombo') return [...widgets, widget('index', 'other', undefined), widget('option1', 'text', '')];
	return widgets;
}

/** The widgets of one node, in the order in which their values are saved. */
export class Layout {
	private widgets: Widget[];

	constructor(
		private readonly className: string,
		definition: JsonRecord,
	) {
		const specs = specsOfClass(className, definition);
		this.widgets = ofClass(className, [...specs.flatMap((spec) => withSockets(spec, 0)), ...specs.flatMap((spec) => withWidgets(spec, 0))]);
	}

	get all(): readonly Widget[] {
		return this.widgets;
	}

	at(position: number): Widget | undefined {
		return this.widgets[position];
	}

	/** A choice that decides puts its inputs behind itself, with values of their own. */
	set(one: Widget, value: unknown): void {
		one.value = value;
		if (one.behind === undefined) return this.grow(one, value);
		const rest = this.widgets.filter(({ name }) => !name.startsWith(`${one.name}.`));
		// Only what stands there from the beginning draws prompts.
		rest.splice(rest.indexOf(one) + 1, 0, ...behind(one, 0).map((made) => ({ ...made, drawsPrompts: false })));
		this.widgets = rest;
	}

	/** The choices that an input stands behind: the name of one that is behind two begins with both. */
	choicesBefore(input: string): Widget[] {
		return this.widgets.filter(({ name, behind }) => behind !== undefined && input.startsWith(`${name}.`));
	}

	/** Whether a name that stands behind a choice belongs to what is chosen: links to what stood behind another are gone. */
	hasInput(input: string): boolean {
		return this.choicesBefore(input).every((choice) => specsBehind(choice).some((spec) => tellsOf(spec, input)));
	}

	/** Its last option is always empty: one more comes with each that is filled. */
	private grow(one: Widget, value: unknown): void {
		if (this.className === 'CustomCombo' && one === this.widgets.at(-1) && value)
			this.widgets.push(widget(`option${this.widgets.length - 1}`, 'text', ''));
	}
}
