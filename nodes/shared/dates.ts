import { ItemFault } from './itemFault';
import { messages } from './messages/catalogue';

/** A date, with or without a time, but without a time zone. */
const WITHOUT_ZONE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?$/;

/** Returns `2026-11-22 10:30:00`, the local time in that time zone. */
export const formatInZone = (zone: string, milliseconds: number): string =>
	new Date(milliseconds).toLocaleString('sv-SE', { timeZone: zone });

/** Returns the epoch milliseconds of a local time in that time zone. */
function parseInZone(day: string, time: string, zone: string): number {
	const asUtc = Date.parse(`${day}T${time}Z`);
	if (Number.isNaN(asUtc)) return NaN;
	const localTime = Date.parse(`${formatInZone(zone, asUtc).replace(' ', 'T')}Z`);
	return asUtc - (localTime - Math.floor(asUtc / 1000) * 1000);
}

/**
 * Returns the epoch milliseconds of a date field, or undefined if it is empty. n8n's date picker gives a local time of the
 * workflow without a time zone, and expressions often give a time with one.
 * @throws ItemFault that names the field if it holds no date.
 */
export function parseDateField(value: unknown, label: string, zone: string): number | undefined {
	const text = value instanceof Date ? value.toISOString() : String(value ?? '').trim();
	if (text === '') return undefined;
	const [, day, time = '00:00:00'] = WITHOUT_ZONE.exec(text) ?? [];
	const milliseconds = day === undefined ? Date.parse(text) : parseInZone(day, time, zone);
	if (!Number.isNaN(milliseconds)) return milliseconds;
	throw new ItemFault(messages.FIELD_NOT_A_DATE(label));
}
