import type { JsonRecord } from '../../decode';
import type { Bounds } from './types';

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `num_images` → `Num Images`. */
const spelledOut = (name: string): string =>
	name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.split(/[\s_-]+/)
		.filter((word) => word !== '')
		.map(capital)
		.join(' ');

/** A field is known by its title, or by its name. */
export const fieldLabel = (name: string, schema: JsonRecord): string => text(schema.title) || spelledOut(name) || name;

export const descriptionOf = (schema: JsonRecord): string => text(schema.description);

/** e.g. `1 to 50`, `at least 1`, `above 0 and below 1`; empty where anything goes. */
export function boundsText({ minimum, maximum, aboveMinimum, belowMaximum }: Bounds): string {
	if (minimum !== undefined && maximum !== undefined && !aboveMinimum && !belowMaximum) return `${String(minimum)} to ${String(maximum)}`;
	const lower = minimum === undefined ? '' : `${aboveMinimum ? 'above' : 'at least'} ${String(minimum)}`;
	const upper = maximum === undefined ? '' : `${belowMaximum ? 'below' : 'at most'} ${String(maximum)}`;
	return [lower, upper].filter(Boolean).join(' and ');
}

/** How long a text may be. */
export function lengthText({ shortest, longest }: { shortest?: number; longest?: number }): string {
	const range = boundsText({ minimum: shortest, maximum: longest, aboveMinimum: false, belowMaximum: false });
	return range === '' ? '' : `${range} characters`;
}
