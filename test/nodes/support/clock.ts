/** A clock that runs this many times as fast: a budget for retries is over at the second attempt. Sockets and timers keep real time. */
export function hurryClock(times = 1_000): void {
	const realNow = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => realNow() * times);
}
