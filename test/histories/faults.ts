import type { FaultRule } from '../../sandbox';

/** Of a request that is delivered after its caller was told that it is lost. Real milliseconds. */
export const LATE_MS = 40;
const STALL_MS = 30;

type Done = Omit<FaultRule, 'on'>;

/** What can be done to one request, by the name under which a history tells of it. */
export const FAULTS = {
	'lost on its way': { fault: { kind: 'drop_before' } },
	'answer lost': { fault: { kind: 'drop_after' } },
	'answer cut': { fault: { kind: 'truncate', afterBytes: 10 } },
	'answer held': { fault: { kind: 'stall', ms: STALL_MS } },
	'delivered late, connection lost': { fault: { kind: 'late_delivery', ms: LATE_MS } },
	'delivered late, 502': { fault: { kind: 'late_delivery', ms: LATE_MS }, answer: { status: 502, html: true } },
	'delivered late, 504': { fault: { kind: 'late_delivery', ms: LATE_MS }, answer: { status: 504, html: true } },
	'delivered twice': { fault: { kind: 'duplicate' } },
	'500 after the work': { late: true, answer: { status: 500, code: 'internal_error' } },
	'504 after the work': { late: true, answer: { status: 504, html: true } },
	'half a JSON after the work': { late: true, answer: { status: 200, badJson: true } },
	'429': { answer: { status: 429, code: 'rate_limited', retryAfter: 1 } },
	'502': { answer: { status: 502, html: true } },
	'503': { answer: { status: 503, code: 'service_unavailable', retryAfter: 1 } },
	'401': { answer: { status: 401, code: 'unauthorized' } },
	'402': { answer: { status: 402, code: 'insufficient_credits' } },
	'403': { answer: { status: 403, code: 'forbidden' } },
	'404': { answer: { status: 404, code: 'not_found' } },
	'404 of a model': { answer: { status: 404, code: 'model_not_found' } },
	'404 of a request': { answer: { status: 404, code: 'request_not_found' } },
	'404 of a web server': { answer: { status: 404, html: true } },
} as const satisfies Record<string, Done>;

export type FaultName = keyof typeof FAULTS;

export const REFUSALS: readonly FaultName[] = ['429', '502', '503', '401', '402', '403', '404', '404 of a web server'];

export const ROUTER_REFUSALS: readonly FaultName[] = ['404 of a model', '404 of a request'];

/** An answer that does not come, or not whole, of a request that has done its work. */
export const LOSSES: readonly FaultName[] = [
	'lost on its way',
	'answer lost',
	'answer cut',
	'answer held',
	'500 after the work',
	'504 after the work',
	'half a JSON after the work',
];

export const LATENESS: readonly FaultName[] = ['delivered late, connection lost', 'delivered late, 502', 'delivered late, 504'];
