import { Pace } from '../../../client/pace/pace';

let jobs = 0;

/** Begins as many as may begin now, and lets a service with `room` places answer them, in order. */
function burst(
	pace: Pace,
	service: { room: number; taken: Set<string> },
	now: number,
	retryAfterMs?: number,
): { sent: number; refused: number } {
	const told = { sent: 0, refused: 0 };
	while (pace.nextAt <= now) {
		const attempts = [];
		while (pace.nextAt <= now) attempts.push(pace.begin());
		for (const attempt of attempts) {
			told.sent++;
			if (service.taken.size < service.room) {
				const id = String(++jobs);
				service.taken.add(id);
				pace.accepted(id);
			} else {
				told.refused++;
				pace.refused(attempt, 'full', now, retryAfterMs);
			}
		}
	}
	return told;
}

const serviceWith = (room: number) => ({ room, taken: new Set<string>() });

/** One of its jobs ends, and we are told. */
function end(pace: Pace, service: { taken: Set<string> }): void {
	const [id] = service.taken;
	service.taken.delete(String(id));
	pace.ended(String(id));
}

test('a service that takes everything is never held back, and is not flooded at the start', () => {
	const pace = new Pace();
	let attempts = 0;
	while (pace.nextAt <= 0) {
		pace.begin();
		attempts++;
	}
	expect(attempts).toBe(5);
	for (let job = 0; job < 5; job++) pace.accepted(String(job));
	expect(pace.nextAt).toBeLessThanOrEqual(0);
});

test('after a refusal with n in flight nothing is tried until one ends; then exactly one', () => {
	const pace = new Pace();
	const service = serviceWith(3);
	expect(burst(pace, service, 0, 60_000).refused).toBeLessThanOrEqual(8);
	expect([pace.inFlight, burst(pace, service, 59_999)]).toEqual([3, { sent: 0, refused: 0 }]);
	for (let ended = 0; ended < 50; ended++) {
		end(pace, service);
		expect(burst(pace, service, 100)).toEqual({ sent: 1, refused: 0 });
	}
});

test('when Retry-After is over one is tried beyond; refused, the next pause is longer', () => {
	const pace = new Pace();
	const service = serviceWith(2);
	burst(pace, service, 0, 1_000);
	const probes = [];
	for (let now = 0; now <= 60_000; now += 100) {
		const { sent, refused } = burst(pace, service, now, 1_000);
		if (sent > 0) probes.push([now, refused]);
	}
	expect(probes.map(([, refused]) => refused)).toEqual(probes.map(() => 1));
	expect(probes.map(([now]) => now).slice(0, 3)).toEqual([1_000, 3_000, 7_000]);
	expect(probes.length).toBeLessThanOrEqual(9);
});

test('a service that takes more than before is followed upwards at once', () => {
	const pace = new Pace();
	const service = serviceWith(2);
	burst(pace, service, 0, 1_000);
	service.room = 40;
	expect(burst(pace, service, 1_000, 1_000)).toEqual({ sent: 39, refused: 1 });
	expect(pace.inFlight).toBe(40);
});

test('a place that others have taken lowers what is tried', () => {
	const pace = new Pace();
	const service = serviceWith(5);
	burst(pace, service, 0, 60_000);
	service.room = 3;
	end(pace, service);
	expect(burst(pace, service, 1, 60_000)).toEqual({ sent: 1, refused: 1 });
	expect(burst(pace, service, 2, 60_000)).toEqual({ sent: 0, refused: 0 });
	end(pace, service);
	expect(burst(pace, service, 3, 60_000)).toEqual({ sent: 1, refused: 1 });
	end(pace, service);
	expect(burst(pace, service, 4, 60_000)).toEqual({ sent: 1, refused: 0 });
});

test('one that ended while a refusal was on its way does not lower it', () => {
	const pace = new Pace();
	const service = serviceWith(2);
	burst(pace, service, 0, 1_000);
	const probe = pace.begin();
	end(pace, service);
	pace.refused(probe, 'full', 1_000, 60_000);
	expect(burst(pace, service, 1_001, 60_000)).toEqual({ sent: 1, refused: 0 });
});

test('with none of our own in flight, one at a time asks again, as often as the service says', () => {
	const pace = new Pace();
	const service = serviceWith(0);
	expect(burst(pace, service, 0, 2_000)).toEqual({ sent: 5, refused: 5 });
	for (let round = 1; round <= 20; round++) {
		expect(burst(pace, service, round * 2_000 - 1)).toEqual({ sent: 0, refused: 0 });
		expect(burst(pace, service, round * 2_000, 2_000)).toEqual({ sent: 1, refused: 1 });
	}
});

test('a busy service is left alone until Retry-After is over, then asked by one, and lowers nothing', () => {
	const pace = new Pace();
	const attempts = [pace.begin(), pace.begin(), pace.begin()];
	pace.accepted('a');
	pace.refused(attempts[1]!, 'busy', 0, 3_000);
	pace.refused(attempts[2]!, 'busy', 0, 3_000);
	expect(pace.nextAt).toBe(3_000);
	const probe = pace.begin();
	expect([probe.isProbe, pace.nextAt]).toEqual([false, Infinity]);
	pace.accepted('b');
	expect(burst(pace, serviceWith(30), 3_000).refused).toBeGreaterThan(0);
	expect(pace.inFlight).toBe(32);
});
