import { clock } from '../clock';

/** A server that says 0 would otherwise be asked in a hot loop. */
const FLOOR_MS = 1_000;
/** Every wait has a budget of its own, which may be shorter. */
const CAP_MS = 3_600_000;

/**
 * Reads a `Retry-After` header: seconds (decimals too) or an HTTP date.
 * @returns milliseconds to wait, 1,000 to 3,600,000; undefined when the header is absent or unreadable.
 */
export function parseRetryAfter(header: string | undefined, now = clock.wallNow()): number | undefined {
	const text = header?.trim();
	if (!text) return undefined;
	const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : untilDate(text, now);
	if (milliseconds === undefined) return undefined;
	return Math.min(Math.max(milliseconds, FLOOR_MS), CAP_MS);
}

/** `Date.parse` takes a bare signed number for a year: a date starts with a weekday's letter. */
function untilDate(text: string, now: number): number | undefined {
	const date = /^[a-z]/i.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : date - now;
}
