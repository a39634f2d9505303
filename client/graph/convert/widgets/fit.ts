import { isExactNumber } from '../../../json/numbers';
import type { Widget } from './kinds';
import type { Layout } from './layout';

const NUMERIC = /^\s*[-+]?(\d+(_\d+)*(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i;

/** What ComfyUI makes a number of: numbers, texts that name one, and switches. */
const isNumeric = (value: unknown): boolean =>
	typeof value === 'number' || isExactNumber(value) || typeof value === 'boolean' || (typeof value === 'string' && NUMERIC.test(value));

/** Whether ComfyUI takes a value there, as far as can be told without knowing its files. */
export const fits = ({ kind }: Widget, value: unknown): boolean => kind !== 'number' || isNumeric(value);

/** Whether a value looks as if it had been saved for this widget. */
function looksMeant({ kind, choices, value }: Widget): boolean {
	switch (kind) {
		case 'number':
			return isNumeric(value) && typeof value !== 'boolean';
		case 'switch':
			return typeof value === 'boolean';
		case 'choice':
			return choices.length === 0 || choices.some((choice) => typeof choice === typeof value);
		case 'control':
			return isControl(value);
		case 'text':
		case 'area':
			return typeof value === 'string';
		default:
			return true;
	}
}

const CONTROLS: ReadonlySet<unknown> = new Set(['fixed', 'increment', 'decrement', 'randomize', true, false]);

export const isControl = (value: unknown): boolean => CONTROLS.has(value);

/** Whether a whole list was certainly saved for other widgets: ComfyUI would refuse what it puts into numbers. */
export const isAmiss = (layout: Layout): boolean =>
	layout.all.some((widget) => widget.isSent && typeof widget.value === 'string' && !fits(widget, widget.value));

export const looksRight = (layout: Layout): boolean => layout.all.filter(({ isSaved }) => isSaved).every(looksMeant);
