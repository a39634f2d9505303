import { ItemFault } from './itemFault';

/** A date, with or without a time, that leaves open in which zone. */
const WALL_CLOCK = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?$/;

/** `2026-11-22 10:30:00`, as clocks of the zone show it. */
export const shownIn = (zone: string, milliseconds: number): string => new Date(milliseconds).toLocaleString('sv-SE', { timeZone: zone });

/** What clocks of the zone show, as epoch milliseconds. */
function ofWallClock(day: string, time: string, zone: string): number {
	const asUtc = Date.parse(`${day}T${time}Z`);
	if (Number.isNaN(asUtc)) return NaN;
	const shown = Date.parse(`${shownIn(zone, asUtc).replace(' ', 'T')}Z`);
	return asUtc - (shown - Math.floor(asUtc / 1000) * 1000);
}

/**
 * Epoch milliseconds of a date field: n8n's picker gives the workflow's own time without a zone, expressions give moments.
 * @returns undefined for an empty field.
 * @throws ItemFault naming the field when it holds no moment.
 */
export function momentOfField(value: unknown, label: string, zone: string): number | undefined {
	const text = value instanceof Date ? value.toISOString() : String(value ?? '').trim();
	if (text === '') return undefined;
	const [, day, time = '00:00:00'] = WALL_CLOCK.exec(text) ?? [];
	const moment = day === undefined ? Date.parse(text) : ofWallClock(day, time, zone);
	if (!Number.isNaN(moment)) return moment;
	throw new ItemFault(`${label} is no date`, `Choose a date under ${label}, or check that its expression finds one.`);
}
