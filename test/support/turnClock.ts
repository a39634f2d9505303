import { realClock, setClock } from '../../client/async/clock';

/** How often time moves on, at most. */
const TURN_MS = 5;

/**
 * The client's clock counts turns of the event loop from now on: each moves it on by `times` turns' worth of milliseconds,
 * however long it took. So whatever holds the whole process up, a loaded machine above all, holds up time as well: where
 * service and client are one process, no answer is late for it.
 */
export function countTurns(times: number): void {
	let time = realClock.now();
	setInterval(() => (time += TURN_MS * times), TURN_MS).unref();
	const when = (milliseconds: number, call: () => void, isRepeated: boolean): NodeJS.Timeout => {
		let due = time + milliseconds;
		const timer = setInterval(() => {
			if (time < due) return;
			due += milliseconds;
			if (!isRepeated) clearInterval(timer);
			call();
		}, TURN_MS);
		timer.refresh = () => {
			due = time + milliseconds;
			return timer;
		};
		return timer;
	};
	setClock({
		...realClock,
		now: () => time,
		after: (milliseconds, call) => when(milliseconds, call, false),
		every: (milliseconds, call) => when(milliseconds, call, true),
		signalAfter: (milliseconds) => {
			const ends = new AbortController();
			when(milliseconds, () => ends.abort(new DOMException('The time is over', 'TimeoutError')), false).unref();
			return ends.signal;
		},
	});
}
