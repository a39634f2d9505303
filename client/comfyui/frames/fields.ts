/** Readers for what stands in frames. */
import { numberOr } from '../../decode';
import { ShapeError } from '../../errors';

/** No id comes near; it keeps a mad service from filling the memory of whoever counts by id. */
const LONGEST_ID = 512;

/** Ids are text; a number is taken for its text. Null where there is none. */
export function idOr(value: unknown): string | null {
	const id = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
	return typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null;
}

/** @throws ShapeError when there is none. */
export function requireId(value: unknown, what: string): string {
	const id = idOr(value);
	if (id === null) throw new ShapeError(`${what} is missing`);
	return id;
}

/** Steps and counts: finite, and never below 0. */
export const countOr = <T>(value: unknown, otherwise: T): number | T => {
	const count = numberOr(value, null);
	return count === null ? otherwise : Math.max(0, count);
};
