import { isExactNumber } from '../../../json/numbers';
import { misfitOf } from '../literals';
import type { Widget } from './kinds';
import type { Layout } from './layout';

const NUMERIC = /^\s*[-+]?(\d+(_\d+)*(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i;

/** What ComfyUI makes a number of: numbers, texts that name one, and switches. */
const isNumeric = (value: unknown): boolean =>
	typeof value === 'number' || isExactNumber(value) || typeof value === 'boolean' || (typeof value === 'string' && NUMERIC.test(value));

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
	layout.all.some(({ kind, isSent, value }) => isSent && kind === 'number' && typeof value === 'string' && !isNumeric(value));

/** How many widgets hold a value of another type than their input takes. An empty one takes its first choice, or is reported later. */
export const countMisfits = (layout: Layout): number =>
	layout.all.filter(({ isSent, spec, value }) => isSent && spec !== undefined && value != null && misfitOf(spec, value) !== undefined)
		.length;

export const looksRight = (layout: Layout): boolean => layout.all.filter(({ isSaved }) => isSaved).every(looksMeant);
