/** How calls of the router end: the promises of its retry table, and of who follows a request that was accepted. */
import { DONE, failureOf, isPassing, statusOf } from '../outcomes';
import type { Attempts, Call, Expectation, Expects, Fault, Outcome } from '../shapes';

const isRedirect = ({ family }: Fault): boolean => family === 'redirects';

/** What an attempt meets. Undefined: nothing, or a redirect that comes to an end. */
function troubleOf(fault: Fault, call: Call, attempts: Attempts): Outcome | undefined {
	if (!isRedirect(fault)) return failureOf(fault.seen, call);
	return fault.expects?.(call, attempts)?.outcome === DONE ? undefined : fault.expects?.(call, 'every')?.outcome;
}

/** Whether another try can succeed: not if a different server answered. */
const passes = (fault: Fault): boolean => !isRedirect(fault) && isPassing(fault.seen);

/** Any media type is a model's output, and any JSON: nothing of it is validated. */
export const ANOTHER_OUTPUT: Outcome = 'another output';

const TAKEN: Expectation = {
	outcome: ANOTHER_OUTPUT,
	because: 'outputs are never validated, and what is no JSON, or too much of it, is a file',
};
const isTaken = ({ seen, name }: Fault): boolean => seen === 'other' || /JSON that says/.test(name);

export const ofRead =
	({ isOnce = false, isOutput = false } = {}): Expects =>
	(fault, attempts, call) => {
		if (isOutput && isTaken(fault)) return TAKEN;
		const trouble = troubleOf(fault, call, attempts);
		if (trouble === undefined) return undefined;
		if (attempts === 'first' && passes(fault) && !isOnce) return { outcome: DONE, because: 'the next try brings it' };
		if (isOutput && fault.seen === 'cut' && fault.family !== 'coding')
			return { outcome: 'connection lost', because: 'a result is bytes, until all have come' };
		return { outcome: trouble, because: 'a read reports what it met' };
	};

/** Its schema is not public, so JSON without a price is an unknown cost. */
export const ofEstimate: Expects = (fault, attempts, call) =>
	/^JSON: /.test(fault.name) ? { outcome: ANOTHER_OUTPUT, because: 'the cost is unknown' } : ofRead()(fault, attempts, call);

/** If one of the two prefixes is missing, the other one may exist. */
export const ofPrefix =
	(isOnce: boolean): Expects =>
	(fault, attempts, call) =>
		statusOf(fault.seen) === 404
			? { outcome: DONE, because: 'the routes are under the other prefix' }
			: ofRead({ isOnce })(fault, attempts, call);

/** Longer than any wait. */
const PUTS_OFF_FOR_LONG = /Retry-After of (a year|a date in 9999)/;

/** Only these forms of Retry-After name a time. */
const NAMES_A_TIME = /of (1 second|0 seconds|a year|a date to come|a date in 9999)/;

/** Sent under one key until there is an answer. */
export const ofRun =
	({ isOutput, isFollowed = false }: { isOutput: boolean; isFollowed?: boolean }): Expects =>
	(fault, attempts, call) => {
		const { seen, name, family } = fault;
		if (isOutput && isTaken(fault)) return TAKEN;
		const trouble = troubleOf(fault, call, attempts);
		if (trouble === undefined) return undefined;
		const status = statusOf(seen) ?? 200;
		if (status >= 300 && status < 500 && status !== 429)
			return { outcome: trouble, because: 'nothing was run, and the same brings the same' };
		if (attempts === 'first' && isFollowed && PUTS_OFF_FOR_LONG.test(name))
			return { outcome: 'unknown outcome', because: 'it may be put off for longer than the wait' };
		if (attempts === 'first') return { outcome: DONE, because: 'the same key brings the result' };
		const saysWhen = family === 'retry after' && status === 503 && NAMES_A_TIME.test(name);
		if (seen === 'refused' || status === 429 || saysWhen) return { outcome: trouble, because: 'it is certain that nothing was run' };
		return { outcome: 'unknown outcome', because: 'it may have run, and may be billed' };
	};

/** A request that was accepted continues, whatever its reads meet. */
export const ofFollowed =
	({ isSent = false, otherwise = 'unknown outcome' }): Expects =>
	(fault, attempts, call) => {
		if (isTaken(fault)) return TAKEN;
		const trouble = troubleOf(fault, call, attempts);
		if (trouble === undefined) return undefined;
		if (attempts === 'first' && (passes(fault) || (statusOf(fault.seen) === 404 && !isRedirect(fault))))
			return { outcome: DONE, because: 'the next read brings it' };
		if (isSent && fault.seen === 'refused') return { outcome: trouble, because: 'it could not even be sent' };
		// A fault of connections meets the reads of its status as well.
		return {
			outcome: fault.connecting === undefined ? otherwise : 'unknown outcome',
			because: 'it was accepted, and its end is not known',
		};
	};

/** Whatever a success says, the cancellation was heard. */
export const ofCancel: Expects = (fault, attempts, call) =>
	typeof fault.seen === 'string' && (!['refused', 'lost', 'silent'].includes(fault.seen) || / the answer body$/.test(fault.name))
		? { outcome: DONE, because: 'it was heard, and that is all' }
		: ofRead()(fault, attempts, call);
