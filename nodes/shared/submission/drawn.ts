import { createHash } from 'node:crypto';

/**
 * A whole number from 0 up to `range` (not included). Every name has a draw of its own; drawn again from the same key it is
 * the same, so that nothing drawn for an item has to be remembered: its key is the same in every try and every retry.
 */
export function drawn(key: string, name: string, range: bigint): bigint {
	const bits = createHash('sha256').update(`${key}:${name}`).digest().readBigUInt64BE();
	return bits % range;
}
