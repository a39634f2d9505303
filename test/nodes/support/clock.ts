import { clock } from '../../../client/clock';

/** A clock that runs this many times as fast: a budget for retries is over at the second attempt. Sockets and timers keep real time. */
export function hurryClock(times = 1_000): void {
	const now = clock.now.bind(clock);
	jest.spyOn(clock, 'now').mockImplementation(() => now() * times);
}

/** A clock that leaps an hour ahead as soon as this is so: a budget for retries is over at exactly this moment. */
export function leapWhen(isSo: () => boolean): void {
	const now = clock.now.bind(clock);
	jest.spyOn(clock, 'now').mockImplementation(() => now() + (isSo() ? 3_600_000 : 0));
}
