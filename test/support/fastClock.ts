import { type Clock, clock, setClock } from '../../client/async/clock';
import { patientClock } from './patientClock';

/**
 * Lets the client's waits run this many times as fast for the tests of this describe, or file: budgets, pauses, limits and
 * polling. Sockets, the sandbox, n8n's engine, and the tests' own timers keep real time, so that a limit shrinks while what
 * it limits does not.
 * @returns what so many real milliseconds are on the client's clock.
 */
export function runFaster(times: number): (realMs: number) => number {
	beforeAll(() => setSpeed(times));
	afterAll(() => setSpeed(1));
	return (realMs) => realMs * times;
}

/** From now on; the clock goes on from where it is. */
export const setSpeed = (times: number): void => setClock(fasterClock(times));

export function fasterClock(times: number): Clock {
	const at = clock.now();
	const since = patientClock.now();
	// As the real one's, but that a timer which fires early would do so by many of its milliseconds.
	const real = (milliseconds: number): number => Math.ceil(milliseconds / times) + 1;
	return {
		...patientClock,
		now: () => at + (patientClock.now() - since) * times,
		after: (milliseconds, call) => patientClock.after(real(milliseconds), call),
		every: (milliseconds, call) => patientClock.every(real(milliseconds), call),
		signalAfter: (milliseconds) => patientClock.signalAfter(real(milliseconds)),
	};
}
