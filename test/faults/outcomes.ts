import {
	ApiError,
	ConnectionError,
	IntegrityError,
	StoppedError,
	UnknownOutcomeError,
	UnreadableAnswerError,
	UnreadableJobError,
	WebFileError,
} from '../../client';
import type { Attempts, Call, Expectation, Fault, Outcome, Seen } from './shapes';

export const DONE: Outcome = 'done';

/** A short name for how a call ended, the same in every run. */
export function outcomeOf(error: unknown): Outcome {
	if (error instanceof ApiError) return `api ${error.status} ${error.code}`;
	if (error instanceof UnreadableAnswerError) return unreadable(error.facts.reason, error.status);
	if (error instanceof ConnectionError) return `connection ${error.trouble}`;
	if (error instanceof UnknownOutcomeError) return 'unknown outcome';
	if (error instanceof UnreadableJobError) return 'unreadable job';
	if (error instanceof IntegrityError) return `integrity ${error.what}`;
	if (error instanceof WebFileError) return ofWebFile(error);
	if (error instanceof StoppedError) return 'stopped';
	return error instanceof Error ? `threw ${error.name}: ${error.message.split('\n')[0]}` : `threw ${String(error)}`;
}

/** Whether any byte of a file came before the connection broke depends on timing. */
function ofWebFile({ facts }: WebFileError): Outcome {
	if (facts.fault === 'cut' || facts.fault === 'empty') return 'web broken off';
	if (facts.fault === 'unreachable') return facts.trouble === 'lost' ? 'web broken off' : `web ${facts.trouble}`;
	return facts.fault === 'refused' ? `web refused ${facts.status}` : `web ${facts.fault}`;
}

/** The status is part of the name unless it is one of success. */
export const unreadable = (reason: string, status = 200): Outcome => `unreadable ${reason}${status < 300 ? '' : ` ${status}`}`;

/** What a status means to each interface if the answer has no code that counts. */
const CODES: Record<NonNullable<Call['words']>, Record<number, string>> = {
	v2: { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found', 429: 'queue_full', 501: 'not_implemented' },
	v1: {
		401: 'unauthorized',
		403: 'forbidden',
		404: 'not_found',
		413: 'payload_too_large',
		429: 'subscription_inactive',
		501: 'not_implemented',
	},
	engine: { 401: 'unauthorized', 403: 'forbidden', 413: 'payload_too_large', 429: 'rate_limited' },
	router: { 401: 'unauthorized', 403: 'forbidden', 429: 'rate_limited', 503: 'service_unavailable' },
};

const OF_ANSWER: Record<Exclude<Seen, object | 'fine'>, Outcome> = {
	refused: 'connection refused',
	lost: 'connection lost',
	silent: 'connection timeout',
	cut: unreadable('truncated'),
	half: unreadable('truncated'),
	broken: unreadable('unexpected'),
	page: unreadable('html'),
	'no json': unreadable('not_json'),
	other: unreadable('unexpected'),
};

/** v1 and engines: the status says enough, even beside a gateway's page. */
const isOfGateway = (status: number): boolean => [401, 402, 403, 413, 429].includes(status) || status >= 500;

/** How one attempt ends. Undefined: well. */
export function failureOf(seen: Seen, { words = 'v2', wire, on }: Pick<Call, 'words' | 'wire' | 'on'>): Outcome | undefined {
	if (seen === 'fine') return undefined;
	if (typeof seen === 'string') return seen === 'cut' && wire === 'file' && words !== 'router' ? 'connection lost' : OF_ANSWER[seen];
	const { status, code, page } = seen;
	const isPlain = words === 'v2' || words === 'router';
	// Storage has no codes of the service.
	if (wire === 'file' && words === 'v2') return unreadable('unexpected', status);
	if (page && (isPlain || !isOfGateway(status))) return unreadable('html', status);
	const known = CODES[words][status];
	if (words === 'v2') return `api ${status} ${(on.startsWith('HEAD ') ? undefined : code) ?? known ?? 'upstream_error'}`;
	const own = known ?? (status >= 500 ? (words === 'router' ? 'internal_error' : 'upstream_error') : undefined);
	return own === undefined ? unreadable('unexpected', status) : `api ${status} ${own}`;
}

export const statusOf = (seen: Seen): number | undefined => (typeof seen === 'string' ? undefined : seen.status);

/** A 404 without words of the service passes once the service has reported the job. */
export const isGateway404 = (seen: Seen): boolean => typeof seen === 'object' && seen.status === 404 && seen.page === true;

/** Whether the same request may succeed a moment later. A 429 of v1 is an inactive subscription, which no waiting ends. */
export function isPassing(seen: Seen, words?: Call['words']): boolean {
	if (typeof seen === 'string') return ['refused', 'lost', 'silent', 'cut', 'half'].includes(seen);
	return (seen.status === 429 && words !== 'v1') || (seen.status >= 500 && seen.status !== 501);
}

/** Whether it is certain that the service did not process the request. */
const isUnheard = (seen: Seen, words?: Call['words']): boolean => seen === 'refused' || (statusOf(seen) === 429 && words !== 'v1');

/** Whether it is certain that no job exists: the request was not processed, or the service refused it. */
const makesNothing = (seen: Seen): boolean =>
	isUnheard(seen) || (typeof seen === 'object' && (seen.status < 500 || (seen.status === 501 && !seen.page)));

/** What a user is promised of a call that meets this fault. */
export const expectationOf = (fault: Fault, call: Call, attempts: Attempts): Expectation =>
	call.expects?.(fault, attempts, call) ?? fault.expects?.(call, attempts) ?? byRules(fault, call, attempts);

export function byRules({ seen }: Fault, call: Call, attempts: Attempts): Expectation {
	const failure = failureOf(seen, call);
	if (failure === undefined) return { outcome: DONE, because: 'nothing is wrong with the answer' };
	const isTriedAgain = {
		never: false,
		unheard: isUnheard(seen, call.words),
		passing: isPassing(seen, call.words),
		submission: isUnheard(seen) || !makesNothing(seen),
	}[call.persists ?? 'passing'];
	const isDoubtful = call.persists === 'submission' && !makesNothing(seen);
	if (isDoubtful && !call.repeatable) return { outcome: 'unknown outcome', because: 'it may have been made, and must not be made twice' };
	if (!isTriedAgain) return { outcome: failure, because: 'another try would bring the same, or could do harm' };
	if (attempts === 'first') return { outcome: DONE, because: 'the next try brings it' };
	if (isDoubtful) return { outcome: 'unknown outcome', because: 'each try may have made it, and no answer came' };
	return { outcome: failure, because: 'it is reported when the time is over' };
}
