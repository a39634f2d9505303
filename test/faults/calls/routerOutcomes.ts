/** How calls of the router end: the promises of its retry table, and of who follows what was accepted. */
import { DONE, failureOf, isPassing, unreadable } from '../outcomes';
import type { Attempts, Call, Expectation, Fault, Outcome } from '../shapes';

/** What gateways in front of the router mean by a status; it names the kind of a refusal of its own in a header. */
const CODES: Record<number, string> = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate_limited', 503: 'service_unavailable' };

/** What one attempt meets with. Undefined: nothing. */
function troubleOf({ seen, expects }: Fault, call: Call): Outcome | undefined {
	if (expects !== undefined) return withoutDone(expects(call, 'every')?.outcome);
	if (typeof seen === 'string' || seen.page === true) return failureOf(seen, { ...call, wire: 'json' });
	const code = CODES[seen.status] ?? (seen.status >= 500 ? 'internal_error' : undefined);
	if (code === undefined) return unreadable('unexpected', seen.status);
	return `api ${seen.status} ${code}`;
}

const withoutDone = (outcome: Outcome | undefined): Outcome | undefined => (outcome === DONE ? undefined : outcome);

type Told = (fault: Fault, attempts: Attempts) => Expectation | undefined;

const isRedirect = ({ family }: Fault): boolean => family === 'redirects';
const statusOf = ({ seen }: Fault): number => (typeof seen === 'object' ? seen.status : 200);

/** Whether another try may bring something else: not where the answer is somebody else's. */
const passes = (fault: Fault): boolean => !isRedirect(fault) && isPassing(fault.seen);

/** Any media type is a model's output, and any JSON: nothing of it is validated. */
export const ANOTHER_OUTPUT: Outcome = 'another output';

const TAKEN: Expectation = {
	outcome: ANOTHER_OUTPUT,
	because: 'outputs are never validated, and what is no JSON, or too much of it, is a file',
};
const isTaken = ({ seen, name }: Fault): boolean => seen === 'other' || /gzip bomb|JSON that says/.test(name);

/** Of a redirect that is followed, only the first one comes to an end. */
const isWell = (fault: Fault, call: Call, attempts: Attempts): boolean =>
	isRedirect(fault) ? fault.expects?.(call, attempts)?.outcome === DONE : fault.seen === 'fine';

/** A plain read. */
export const asRead =
	(call: Call, { isOnce = false, isOutput = false }: { isOnce?: boolean; isOutput?: boolean } = {}): Told =>
	(fault, attempts) => {
		const trouble = troubleOf(fault, call);
		if (isOutput && isTaken(fault)) return TAKEN;
		if (trouble === undefined || isWell(fault, call, attempts)) return undefined;
		if (attempts === 'first' && passes(fault) && !isOnce) return { outcome: DONE, because: 'the next try brings it' };
		if (isOutput && fault.seen === 'cut' && fault.family !== 'coding')
			return { outcome: 'connection lost', because: 'a result is bytes, until all have come' };
		return { outcome: trouble, because: 'a read tells what it met with' };
	};

/** One of the two prefixes is missing: the other one may be there. */
export const asPrefix =
	(call: Call, isOnce: boolean): Told =>
	(fault, attempts) =>
		statusOf(fault) === 404
			? { outcome: DONE, because: 'the routes are under the other prefix' }
			: asRead(call, { isOnce })(fault, attempts);

/** Sent under one key until there is an answer. */
export const asRun =
	(call: Call, { isOutput, isFollowed = false }: { isOutput: boolean; isFollowed?: boolean }): Told =>
	(fault, attempts) => {
		const trouble = troubleOf(fault, call);
		if (isOutput && isTaken(fault)) return TAKEN;
		if (trouble === undefined || isWell(fault, call, attempts)) return undefined;
		const status = statusOf(fault);
		if (status >= 300 && status < 500 && status !== 429)
			return { outcome: trouble, because: 'nothing was run, and the same brings the same' };
		if (attempts === 'first' && isOutput && fault.seen === 'silent' && !/^silence (within|before) the answer body/.test(fault.name))
			return {
				outcome: 'unknown outcome',
				because: 'a run holds its connection in silence for as long as anybody waits, once its answer begins for a minute',
			};
		if (attempts === 'first' && isFollowed && PUTS_OFF_FOR_LONG.test(fault.name))
			return { outcome: 'unknown outcome', because: 'it was accepted when the wait was over' };
		if (attempts === 'first') return { outcome: DONE, because: 'the same key brings the result' };
		const saysWhen = fault.family === 'retry after' && status === 503 && NAMES_A_TIME.test(fault.name);
		if (fault.seen === 'refused' || status === 429 || saysWhen) return { outcome: trouble, because: 'it is certain that nothing was run' };
		return { outcome: 'unknown outcome', because: 'it may have run, and may be billed' };
	};

/** For longer than anybody waits. */
const PUTS_OFF_FOR_LONG = /Retry-After of (a year|a number of 30 digits|a date in 9999)/;

/** Only these forms of Retry-After name one. */
const NAMES_A_TIME = /of (1 second|0 seconds|a fraction|a year|a number|a date to come|a date gone|a date in 9999)/;

/** A request that was accepted goes on, whatever its reads meet with. */
export const asFollowed =
	(call: Call, { isOutput, isSent, otherwise = 'unknown outcome' }: { isOutput: boolean; isSent?: boolean; otherwise?: Outcome }): Told =>
	(fault, attempts) => {
		const trouble = troubleOf(fault, call);
		if (isOutput && isTaken(fault)) return TAKEN;
		if (trouble === undefined || isWell(fault, call, attempts)) return undefined;
		if (attempts === 'first' && (passes(fault) || (statusOf(fault) === 404 && !isRedirect(fault))))
			return { outcome: DONE, because: 'the next read brings it' };
		if (isSent && fault.seen === 'refused') return { outcome: trouble, because: 'it could not even be sent' };
		// A fault of connections meets the reads of its status as well.
		return {
			outcome: fault.connecting === undefined ? otherwise : 'unknown outcome',
			because: 'it was accepted, and says nothing of its end',
		};
	};

/** Whatever a success says: the cancellation has been heard. */
export const asCancel =
	(call: Call): Told =>
	(fault, attempts) =>
		typeof fault.seen === 'string' && (!['refused', 'lost', 'silent'].includes(fault.seen) || / the answer body$/.test(fault.name))
			? { outcome: DONE, because: 'it was heard, and that is all' }
			: asRead(call)(fault, attempts);
