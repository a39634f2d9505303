import { type Clock, realClock, setClock, type Timer } from '../../client/async/clock';
import { patientClock } from './patientClock';

const FAR_OFF_MS = 2 ** 30;

/** Node has no public way to tell. */
export const isCleared = (timer: Timer): boolean => (timer as unknown as { _destroyed: boolean })._destroyed;

/**
 * The client's clock stands still in each test of this describe block, or file. Its timers fire only when the test moves time on.
 * @returns a function that moves time on by these milliseconds and calls what is due by then, the earliest first. Its `nextIn`
 *   returns in how many milliseconds the next timer fires; Infinity without any.
 */
export function useStillClock(): ((milliseconds: number) => void) & { nextIn(): number } {
	let time = 0;
	let waiting: Array<{ dueAt: number; call: () => void; timer: Timer }> = [];
	beforeEach(() => {
		[time, waiting] = [0, []];
		const after: Clock['after'] = (milliseconds, call) => {
			const timer = setTimeout(call, FAR_OFF_MS);
			waiting.push({ dueAt: time + milliseconds, call, timer });
			return timer;
		};
		const signalAfter: Clock['signalAfter'] = (milliseconds) => {
			const ends = new AbortController();
			after(milliseconds, () => ends.abort(new DOMException('The time is over', 'TimeoutError')));
			return ends.signal;
		};
		setClock({ ...realClock, now: () => time, realNow: () => time, after, signalAfter });
	});
	afterEach(() => {
		for (const { timer } of waiting) clearTimeout(timer);
		setClock(patientClock);
	});
	const running = () => waiting.filter(({ timer }) => !isCleared(timer)).sort((one, other) => one.dueAt - other.dueAt);
	const moveOn = (milliseconds: number): void => {
		const end = time + milliseconds;
		for (;;) {
			const [next] = running();
			if (next === undefined || next.dueAt > end) break;
			time = next.dueAt;
			waiting = waiting.filter((one) => one !== next);
			clearTimeout(next.timer);
			next.call();
		}
		time = end;
	};
	return Object.assign(moveOn, { nextIn: () => (running()[0]?.dueAt ?? Infinity) - time });
}
