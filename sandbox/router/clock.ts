/** The time by which the router keeps and forgets things; a test can move it on. */
export class Clock {
	#ahead = 0;

	/** Epoch milliseconds. */
	now(): number {
		return Date.now() + this.#ahead;
	}

	advance(ms: number): void {
		this.#ahead += ms;
	}
}
