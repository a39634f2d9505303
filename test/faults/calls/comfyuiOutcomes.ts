import type { Attempts, Call, Expectation, Fault, Outcome, Seen } from '../shapes';
import { DONE, failureOf, isPassing } from '../outcomes';

/** As a call's own, and told which call it is. */
export type Expects = (fault: Fault, attempts: Attempts, call: Call) => Expectation;

export type Words = 'v1' | 'engine';

/** Their codes are ours: neither publishes any. */
const CODES: Record<Words, Record<number, string>> = {
	v1: {
		401: 'unauthorized',
		403: 'forbidden',
		404: 'not_found',
		413: 'payload_too_large',
		429: 'subscription_inactive',
		501: 'not_implemented',
	},
	engine: { 401: 'unauthorized', 403: 'forbidden', 413: 'payload_too_large', 429: 'rate_limited' },
};

/** Of these the status says enough, whatever page a gateway puts beside it. */
const isOfGateway = (status: number): boolean => [401, 402, 403, 413, 429].includes(status) || status >= 500;

/** How one attempt ends, in the words of v1 or of an engine. Undefined: well. */
export function failureIn(words: Words, seen: Seen, call: Call): Outcome | undefined {
	if (typeof seen === 'string') return failureOf(seen, call);
	const { status, page } = seen;
	if (page && !isOfGateway(status)) return `unreadable html ${status}`;
	const code = CODES[words][status] ?? (status >= 500 ? 'upstream_error' : undefined);
	return code === undefined ? `unreadable unexpected ${status}` : `api ${status} ${code}`;
}

/** A 429 of v1 is an inactive subscription, which no waiting ends. */
export const isPassingIn = (words: Words, seen: Seen): boolean => isPassing(seen) && !(words === 'v1' && statusOf(seen) === 429);

export const statusOf = (seen: Seen): number | undefined => (typeof seen === 'string' ? undefined : seen.status);

const because = (outcome: Outcome, reason: string): Expectation => ({ outcome, because: reason });

/** What is known to end otherwise than any read would: how one attempt ends, and whether another one follows. */
export type Otherwise = (fault: Fault, attempts: Attempts) => Expectation | undefined;

/** Reads, and what may be repeated like them. */
export const expectsIn =
	(words: Words, otherwise: Otherwise = () => undefined): Expects =>
	(fault, attempts, call) => {
		const exception = otherwise(fault, attempts);
		if (exception !== undefined) return exception;
		const failure = failureIn(words, fault.seen, call);
		if (failure === undefined) return because(DONE, 'nothing is wrong with the answer');
		const persists = call.persists ?? 'passing';
		const isTriedAgain = persists === 'passing' ? isPassingIn(words, fault.seen) : persists === 'unheard' && isUnheardIn(words, fault.seen);
		if (!isTriedAgain) return because(failure, 'another try would bring the same, or could do harm');
		return attempts === 'first' ? because(DONE, 'the next try brings it') : because(failure, 'it is told when the time is over');
	};

const isUnheardIn = (words: Words, seen: Seen): boolean => seen === 'refused' || (words === 'engine' && statusOf(seen) === 429);

const TWICE: Expectation = { outcome: DONE, because: 'there are no keys: what stands between and sends twice makes two', billed: 2 };
const UNKNOWN: Expectation = because('unknown outcome', 'it may have been made, and is never sent a second time');

const isDoubtful = (seen: Seen): boolean => {
	const status = statusOf(seen);
	return status === undefined ? seen !== 'refused' && seen !== 'fine' : status >= 500 && status !== 501;
};

const billedTwice = (fault: Fault, expected: Expectation): Expectation =>
	fault.delivery === 'twice' ? { ...expected, billed: 2 } : expected;

/** v1 has no keys, and its prompts no ids of ours. */
export const expectsOfV1Submit: Expects = (fault, attempts, call) => {
	const { seen } = fault;
	if (seen === 'fine') return fault.delivery === 'twice' ? TWICE : because(DONE, 'nothing is wrong with the answer');
	if (isDoubtful(seen)) return billedTwice(fault, UNKNOWN);
	return expectsIn('v1')(fault, attempts, { ...call, persists: 'unheard' });
};

/** An engine is looked through for the id that the prompt asked for. */
export const expectsOfEngineSubmit: Expects = (fault, attempts, call) => {
	const { seen, delivery } = fault;
	if (seen === 'fine') return delivery === 'twice' ? TWICE : because(DONE, 'nothing is wrong with the answer');
	// It meets the sign of life that is asked for before.
	if (fault.connecting !== undefined) return expectsIn('engine')(fault, attempts, { ...call, persists: 'passing' });
	// A page may be the answer to a prompt that the engine has taken.
	if (seen !== 'page' && !isDoubtful(seen)) return expectsIn('engine')(fault, attempts, { ...call, persists: 'unheard' });
	if (delivery === 'nothing') return UNKNOWN;
	return billedTwice(fault, because(DONE, 'its job is found by the id that it asked for'));
};
