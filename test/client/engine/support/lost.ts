import { derivedId } from '../../../../client';
import type { Fault } from '../../../../sandbox';

export const newKey = (): string => derivedId(crypto.randomUUID());

/** Before dispatch no job is made; after it there is one, whose answer never comes. */
export const LOST: Array<[name: string, fault: Fault]> = [
	['dropped before dispatch', { kind: 'drop_before' }],
	['dropped after dispatch', { kind: 'drop_after' }],
	['cut in the middle', { kind: 'truncate', afterBytes: 20 }],
	['stalled after dispatch', { kind: 'stall' }],
];
