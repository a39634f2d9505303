import { derivedId } from '../../../../client';
import type { Fault, FaultRule } from '../../../../sandbox';

export const newKey = (): string => derivedId(crypto.randomUUID());

/** There is a job, whose answer never comes. */
export const LOST: Array<[name: string, fault: Fault]> = [
	['dropped after dispatch', { kind: 'drop_after' }],
	['cut in the middle', { kind: 'truncate', afterBytes: 20 }],
	['stalled after dispatch', { kind: 'stall' }],
];

/** The client's clock runs so many times as fast where these are met; times below are on it. */
export const TIMES = 5;

type Loss = Pick<FaultRule, 'answer' | 'fault'>;

const LATE_BY_MS = 700;
export const LATE: Fault = { kind: 'late_delivery', ms: LATE_BY_MS / TIMES };
/** Until what comes late has come, in real milliseconds. */
export const LATE_HAS_COME_MS = (LATE_BY_MS + 300) / TIMES;

/** What stands in between gives up, and delivers the prompt all the same. */
export const LATE_DELIVERIES: Array<[name: string, loss: Loss]> = [
	['a reset', { fault: LATE }],
	['a 502', { fault: LATE, answer: { status: 502, html: true } }],
	['a 503', { fault: LATE, answer: { status: 503, html: true } }],
];

/** The prompt never arrives, which nobody can know. */
export const NEVER_DELIVERED: Array<[name: string, loss: Loss]> = [
	['a reset', { fault: { kind: 'drop_before' } }],
	['a 502', { answer: { status: 502, html: true } }],
	['a 500 in words', { answer: { status: 500, body: 'Server got itself in trouble' } }],
];
