import { type Clock, realClock, type Timer } from '../../client/async/clock';

const BEAT_MS = 5;
/** What counts of the time between two beats, at most. */
const COUNTED_MS = 10;
/** Timers may fire so much too early, here as anywhere. */
const EARLIEST_BY_MS = 1;

let counted = realClock.now();
let beatAt = counted;

const now = (): number => counted + Math.min(realClock.now() - beatAt, COUNTED_MS);

setInterval(() => {
	counted = now();
	beatAt = realClock.now();
}, BEAT_MS).unref();

function after(milliseconds: number, call: () => void): Timer {
	let due = now() + milliseconds;
	const timer = realClock.after(milliseconds, () => {
		const left = due - now();
		if (left > EARLIEST_BY_MS) fireIn(Math.ceil(left));
		else call();
	});
	const again = timer.refresh.bind(timer);
	const { _idleTimeout: atFirst } = timer as unknown as { _idleTimeout: number };
	// Node has no other way to let the same timer, which others hold and clear, fire after another time than at first.
	const fireIn = (fromNow: number): Timer => (Object.assign(timer, { _idleTimeout: fromNow }), again());
	timer.refresh = () => {
		due = now() + milliseconds;
		return fireIn(atFirst);
	};
	return timer;
}

function signalAfter(milliseconds: number): AbortSignal {
	const ends = new AbortController();
	after(milliseconds, () => ends.abort(new DOMException('The time is over', 'TimeoutError'))).unref();
	return ends.signal;
}

/**
 * The real one, but that it stands still while the whole process does: what is starved, or collects its garbage, for a second
 * or two finds no budget spent and no limit over. Where service and client are one process, no answer is late for it.
 */
export const patientClock: Clock = { ...realClock, now, after, signalAfter };
