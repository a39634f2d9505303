/** A clock that runs this many times as fast: a budget for retries is over at the second attempt. Sockets and timers keep real time. */
export function hurryClock(times = 1_000): void {
	const realNow = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => realNow() * times);
}

/** A clock that leaps an hour ahead as soon as this is so: a budget for retries is over at exactly this moment. */
export function leapWhen(isSo: () => boolean): void {
	const realNow = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => realNow() + (isSo() ? 3_600_000 : 0));
}
