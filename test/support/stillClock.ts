import { realClock, setClock, type Timer } from '../../client/clock';
import { patientClock } from './patientClock';

const FAR_OFF_MS = 2 ** 30;

/** Node has no public way to tell. */
const isCleared = (timer: Timer): boolean => (timer as unknown as { _destroyed: boolean })._destroyed;

/**
 * The client's clock stands still in each test of this describe block, or file. Its timers fire only when the test moves time on.
 * @returns a function that moves time on by these milliseconds and calls what is due by then, the earliest first.
 */
export function useStillClock(): (milliseconds: number) => void {
	let time = 0;
	let waiting: Array<{ dueAt: number; call: () => void; timer: Timer }> = [];
	beforeEach(() => {
		[time, waiting] = [0, []];
		setClock({
			...realClock,
			now: () => time,
			after: (milliseconds, call) => {
				const timer = setTimeout(call, FAR_OFF_MS);
				waiting.push({ dueAt: time + milliseconds, call, timer });
				return timer;
			},
		});
	});
	afterEach(() => {
		for (const { timer } of waiting) clearTimeout(timer);
		setClock(patientClock);
	});
	return (milliseconds) => {
		const end = time + milliseconds;
		for (;;) {
			const [next] = waiting.filter(({ dueAt, timer }) => dueAt <= end && !isCleared(timer)).sort((one, other) => one.dueAt - other.dueAt);
			if (next === undefined) break;
			time = next.dueAt;
			waiting = waiting.filter((one) => one !== next);
			clearTimeout(next.timer);
			next.call();
		}
		time = end;
	};
}
