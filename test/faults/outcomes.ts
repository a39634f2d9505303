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
import { NodeFailure } from './nodeFailure';
import type { Attempts, Call, Expectation, Fault, Outcome, Seen } from './shapes';

export const DONE: Outcome = 'done';
/** Of whole nodes: what the words are is asserted where they are read. */
export const IN_WORDS: Outcome = 'failed, in words';

/** A short name for how a call ended, the same in every run. */
export function outcomeOf(error: unknown): Outcome {
	if (error instanceof ApiError) return `api ${error.status} ${error.code}`;
	if (error instanceof UnreadableAnswerError) return unreadable(error.facts.reason, error.status);
	if (error instanceof ConnectionError) return `connection ${error.trouble}`;
	if (error instanceof UnknownOutcomeError) return 'unknown outcome';
	if (error instanceof UnreadableJobError) return 'unreadable job';
	if (error instanceof IntegrityError) return `integrity ${error.what}`;
	if (error instanceof WebFileError) return ofWebFile(error);
	if (error instanceof NodeFailure) return IN_WORDS;
	if (error instanceof StoppedError) return 'stopped';
	return error instanceof Error ? `threw ${error.name}: ${error.message.split('\n')[0]}` : `threw ${String(error)}`;
}

/** Whether anything had come of a file before it was broken off depends on how fast it came. */
function ofWebFile({ facts }: WebFileError): Outcome {
	if (facts.fault === 'cut' || facts.fault === 'empty') return 'web broken off';
	if (facts.fault === 'unreachable') return facts.trouble === 'lost' ? 'web broken off' : `web ${facts.trouble}`;
	return facts.fault === 'refused' ? `web refused ${facts.status}` : `web ${facts.fault}`;
}

/** A status is named where it is not the one of a success. */
export const unreadable = (reason: string, status = 200): Outcome => `unreadable ${reason}${status < 300 ? '' : ` ${status}`}`;

/** What a status means where nobody says more. */
const CODES: Record<number, string> = {
	401: 'unauthorized',
	403: 'forbidden',
	404: 'not_found',
	429: 'queue_full',
	501: 'not_implemented',
};
const codeOf = (status: number): string => CODES[status] ?? 'upstream_error';

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

const OF_FILE: Partial<typeof OF_ANSWER> = { cut: 'connection lost' };

/** How one attempt ends. Undefined: well. */
export function failureOf(seen: Seen, call: Call): Outcome | undefined {
	if (seen === 'fine') return undefined;
	if (typeof seen === 'string') return (call.wire === 'file' ? OF_FILE[seen] : undefined) ?? OF_ANSWER[seen];
	// Storage has no words of ours.
	if (call.wire === 'file') return unreadable('unexpected', seen.status);
	if (seen.page) return unreadable('html', seen.status);
	const isHead = call.on.startsWith('HEAD ');
	return `api ${seen.status} ${isHead ? codeOf(seen.status) : (seen.code ?? codeOf(seen.status))}`;
}

/** A 404 in no words of the service: where it has told of the job before, that passes. */
export const isGateway404 = (seen: Seen): boolean => typeof seen === 'object' && seen.status === 404 && seen.page === true;

/** Whether the same may well succeed a moment later. */
export const isPassing = (seen: Seen): boolean =>
	typeof seen === 'string'
		? ['refused', 'lost', 'silent', 'cut', 'half'].includes(seen)
		: seen.status === 429 || (seen.status >= 500 && seen.status !== 501);

/** Whether it is certain that the service has heard nothing of it. */
const isUnheard = (seen: Seen): boolean => seen === 'refused' || (typeof seen === 'object' && seen.status === 429);

/** Whether it is certain that nothing was made: nothing was heard, or the service has refused it. */
const makesNothing = (seen: Seen): boolean =>
	isUnheard(seen) || (typeof seen === 'object' && (seen.status < 500 || (seen.status === 501 && !seen.page)));

interface Exception extends Expectation {
	fault: RegExp;
	call?: RegExp;
	attempts?: Attempts;
}

/** Where the rules do not hold, and why. */
const EXCEPTIONS: readonly Exception[] = [];

/** What a user is promised of a call that meets this fault. */
export function expectationOf(fault: Fault, call: Call, attempts: Attempts): Expectation {
	if (fault.isTooDeep && call.tooDeep !== undefined) return { outcome: call.tooDeep, because: 'no digit may be lost in silence' };
	const exception = EXCEPTIONS.find(
		(one) => one.fault.test(fault.name) && (one.call?.test(call.name) ?? true) && (one.attempts ?? attempts) === attempts,
	);
	return call.expects?.(fault, attempts) ?? fault.expects?.(call, attempts) ?? exception ?? byRules(fault, call, attempts);
}

export function byRules(fault: Fault, call: Call, attempts: Attempts): Expectation {
	const { seen } = fault;
	const failure = failureOf(seen, call);
	if (failure === undefined) return { outcome: DONE, because: 'nothing is wrong with the answer' };
	const isTriedAgain = {
		never: false,
		unheard: isUnheard(seen),
		passing: isPassing(seen),
		submission: isUnheard(seen) || !makesNothing(seen),
	}[call.persists ?? 'passing'];
	const isDoubtful = call.persists === 'submission' && !makesNothing(seen);
	if (isDoubtful && !call.repeatable) return { outcome: 'unknown outcome', because: 'it may have been made, and must not be made twice' };
	if (!isTriedAgain) return { outcome: failure, because: 'another try would bring the same, or could do harm' };
	if (attempts === 'first') return { outcome: DONE, because: 'the next try brings it' };
	if (isDoubtful) return { outcome: 'unknown outcome', because: 'each try may have made it, and no answer came' };
	return { outcome: failure, because: 'it is told when the time is over' };
}
