import { clock } from '../../../client/async/clock';

/** A clock that runs this many times as fast: a budget for retries is over at the second attempt. Sockets and timers keep real time. */
export function hurryClock(times = 1_000): void {
	const now = clock.now.bind(clock);
	jest.spyOn(clock, 'now').mockImplementation(() => now() * times);
}
