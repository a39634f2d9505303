import { recordOf } from '../../../json/decode';
import { GROWING } from '../../inputs/definitions';
import { type InputSpec, MATCHING, readAllowedTypes, readSpecs } from './inputSpecs';
import { makeWidget, makeWidgets, type Widget } from './widgetTypes';

/** Dynamic choices can nest. A definition that nests deeper is broken. */
const DEEPEST = 16;
/** A new node has at most so many inputs of a growing group. */
const MOST_GROWN = 100;

const toGrownCount = (value: unknown, otherwise: number): number =>
	typeof value === 'number' && value >= 0 ? Math.min(value, MOST_GROWN) : otherwise;

/**
 * @param extent `initial`: the inputs that a new node has, which are one more than it needs. `all`: every input that it can have.
 * @returns the inputs of a growing group.
 */
function listGrownSpecs({ name, settings }: InputSpec, extent: 'initial' | 'all'): InputSpec[] {
	const template = recordOf(settings.template);
	const names = Array.isArray(template.names) ? template.names.map(String) : undefined;
	const columns = readSpecs(template.input);
	const prefix = typeof template.prefix === 'string' ? template.prefix : '';
	const limit = names?.length ?? toGrownCount(template.max, MOST_GROWN);
	const count = extent === 'all' ? limit : Math.min(toGrownCount(template.min, 1) + 1, limit);
	const nameAt = (column: InputSpec, row: number): string =>
		`${name}.${names?.[row] ?? `${columns.length === 1 ? prefix : column.name}${row}`}`;
	return Array.from({ length: count }, (_, row) => columns.map((column) => ({ ...column, name: nameAt(column, row) }))).flat();
}

/** Whether `input` is the input of this spec, or one of the inputs that it adds. */
const includesInput = (spec: InputSpec, input: string): boolean =>
	input === spec.name ||
	(spec.type === GROWING ? listGrownSpecs(spec, 'all').some(({ name }) => name === input) : input.startsWith(`${spec.name}.`));

/** The editor treats growing groups and matching types as sockets, so their widgets come first. */
function makeSocketWidgets(spec: InputSpec, depth: number): Widget[] {
	if (depth >= DEEPEST) return [];
	if (spec.type === MATCHING) return makeAllWidgets({ ...spec, type: readAllowedTypes(spec) }, depth + 1);
	return spec.type === GROWING ? listGrownSpecs(spec, 'initial').flatMap((grown) => makeAllWidgets(grown, depth + 1)) : [];
}

const makeOwnWidgets = (spec: InputSpec, depth: number): Widget[] =>
	makeWidgets(spec).flatMap((widget) => [widget, ...makeOptionWidgets(widget, depth)]);

const makeAllWidgets = (spec: InputSpec, depth: number): Widget[] => [...makeSocketWidgets(spec, depth), ...makeOwnWidgets(spec, depth)];

/** @returns the inputs that the chosen option of a dynamic choice adds. */
const listOptionSpecs = ({ name, value, optionInputs }: Widget): InputSpec[] =>
	optionInputs === undefined || !value
		? []
		: readSpecs(optionInputs.get(String(value))).map((spec) => ({ ...spec, name: `${name}.${spec.name}` }));

const makeOptionWidgets = (choice: Widget, depth: number): Widget[] =>
	depth >= DEEPEST ? [] : listOptionSpecs(choice).flatMap((spec) => makeAllWidgets(spec, depth + 1));

/** Adds buttons and viewers that the editor gives to single classes, and that their definitions do not contain. */
function addClassWidgets(className: string, widgets: Widget[]): Widget[] {
	const makeButton = (name: string): Widget => makeWidget(name, 'other', '', { isSent: false });
	const imageAt = widgets.findIndex(({ name }) => name === 'image');
	if (className === 'Load3D' && imageAt >= 0) {
		const buttons = ['upload 3d model', 'upload extra resources', 'clear'].map(makeButton);
		return [...widgets.slice(0, imageAt), ...buttons, ...widgets.slice(imageAt)];
	}
	if (className === 'CustomCombo') return [...widgets, makeWidget('index', 'other', undefined), makeWidget('option1', 'text', '')];
	return widgets;
}

/** The widgets of one node, in the order in which the file has their values. The order changes while values are set. */
export class Layout {
	private currentWidgets: Widget[];

	/** @param specs the inputs of the class, in the order in which the editor shows them. */
	constructor(
		private readonly className: string,
		specs: InputSpec[],
	) {
		const widgets = [...specs.flatMap((spec) => makeSocketWidgets(spec, 0)), ...specs.flatMap((spec) => makeOwnWidgets(spec, 0))];
		this.currentWidgets = addClassWidgets(className, widgets);
	}

	get widgets(): readonly Widget[] {
		return this.currentWidgets;
	}

	/** Sets a value. A dynamic choice replaces the widgets behind it by those of the chosen option, with their default values. */
	set(widget: Widget, value: unknown): void {
		widget.value = value;
		if (widget.optionInputs === undefined) return this.growOptions(widget, value);
		const others = this.currentWidgets.filter(({ name }) => !name.startsWith(`${widget.name}.`));
		// The editor resolves wildcards only in the widgets that a new node has.
		const added = makeOptionWidgets(widget, 0).map((option) => ({ ...option, hasDynamicPrompts: false }));
		others.splice(others.indexOf(widget) + 1, 0, ...added);
		this.currentWidgets = others;
	}

	/** @returns the dynamic choices that an input depends on: its name begins with theirs. */
	findParentChoices(input: string): Widget[] {
		return this.currentWidgets.filter(({ name, optionInputs }) => optionInputs !== undefined && input.startsWith(`${name}.`));
	}

	/** Whether the chosen options have this input. True for an input that depends on no choice. */
	hasInput(input: string): boolean {
		return this.findParentChoices(input).every((choice) => listOptionSpecs(choice).some((spec) => includesInput(spec, input)));
	}

	/** The last option of *CustomCombo* is always empty: when it gets a value, the editor adds another one. */
	private growOptions(widget: Widget, value: unknown): void {
		if (this.className === 'CustomCombo' && widget === this.currentWidgets.at(-1) && value)
			this.currentWidgets.push(makeWidget(`option${this.currentWidgets.length - 1}`, 'text', ''));
	}
}
