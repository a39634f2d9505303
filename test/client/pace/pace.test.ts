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

describe('the limits of the pace', () => {
	/** How many submissions may be on their way at once now. */
	const room = (pace: Pace, now = 0): number => {
		let begun = 0;
		while (pace.nextAt <= now) {
			pace.begin();
			begun++;
		}
		for (let left = begun; left > 0; left--) pace.failed();
		return begun;
	};
	const accept = (pace: Pace, ...jobIds: string[]): void => {
		for (const jobId of jobIds) {
			pace.begin();
			pace.accepted(jobId);
		}
	};

	test('five accepted submissions let one more be on its way', () => {
		const pace = new Pace();
		accept(pace, 'a', 'b', 'c', 'd');
		expect(room(pace)).toBe(5);
		accept(pace, 'e');
		expect(room(pace)).toBe(6);
	});

	test('a failed submission gives its place free, and teaches nothing', () => {
		const pace = new Pace();
		expect([room(pace), room(pace)]).toEqual([5, 5]);
	});

	test('no more than the learned limit are in flight, those on their way included', () => {
		const pace = new Pace();
		accept(pace, 'a', 'b', 'c');
		pace.refused(pace.begin(), 'full', 0, 60_000);
		pace.ended('a');
		pace.ended('b');
		expect(room(pace, 1)).toBe(2);
	});

	test('an attempt within the limit is no probe; the one beyond it is, and only one goes at a time', () => {
		const pace = new Pace();
		accept(pace, 'a', 'b');
		pace.refused(pace.begin(), 'full', 0, 1_000);
		pace.ended('a');
		expect(pace.begin().isProbe).toBe(false);
		expect(pace.nextAt).toBe(Infinity);
		pace.accepted('c');
		expect(pace.nextAt).toBe(1_000);
		expect(pace.begin().isProbe).toBe(true);
		expect(pace.nextAt).toBe(Infinity);
	});

	test('a probe waits for a busy service too', () => {
		const pace = new Pace();
		accept(pace, 'a');
		const [one, two] = [pace.begin(), pace.begin()];
		pace.refused(one, 'full', 0, 1_000);
		pace.refused(two, 'busy', 0, 5_000);
		expect(pace.nextAt).toBe(5_000);
	});

	test('a shorter Retry-After does not shorten a longer one', () => {
		const pace = new Pace();
		const [one, two] = [pace.begin(), pace.begin()];
		pace.refused(one, 'busy', 0, 9_000);
		pace.refused(two, 'busy', 0, 2_000);
		expect(pace.nextAt).toBe(9_000);
	});

	test('a busy service that names no time is asked after growing pauses, which an accepted job resets', () => {
		const pace = new Pace();
		const pauseAfter = (now: number): number => {
			pace.refused(pace.begin(), 'busy', now);
			return pace.nextAt - now;
		};
		const first = pauseAfter(0);
		const second = pauseAfter(100_000);
		const third = pauseAfter(200_000);
		expect(second).toBeGreaterThan(first);
		expect(third).toBeGreaterThan(second);
		accept(pace, 'a');
		expect(pauseAfter(300_000)).toBeLessThan(second);
	});

	test('pauses between probes grow to ten seconds, and start again once one is accepted', () => {
		const pace = new Pace();
		accept(pace, 'a');
		let now = 0;
		const probed = (): number => {
			pace.refused(pace.begin(), 'full', now, 0);
			const pauseMs = pace.nextAt - now;
			now = pace.nextAt;
			return pauseMs;
		};
		expect(Array.from({ length: 7 }, probed)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
		pace.begin();
		pace.accepted('b');
		expect([probed(), probed()]).toEqual([2_000, 4_000]);
	});

	test('a refusal within the limit starts the pauses again', () => {
		const pace = new Pace();
		accept(pace, 'a', 'b');
		pace.refused(pace.begin(), 'full', 0, 0);
		pace.refused(pace.begin(), 'full', 1_000, 0);
		expect(pace.nextAt).toBe(3_000);
		pace.ended('a');
		pace.refused(pace.begin(), 'full', 4_000, 0);
		expect(pace.nextAt).toBe(5_000);
	});

	test('the limit is what was in flight when the refused attempt left, or what is in flight now if that is more', () => {
		const pace = new Pace();
		accept(pace, 'a', 'b', 'c');
		const attempt = pace.begin();
		pace.ended('a');
		pace.refused(attempt, 'full', 0, 60_000);
		expect(room(pace, 1)).toBe(1);
		const more = new Pace();
		const early = more.begin();
		accept(more, 'a', 'b');
		more.refused(early, 'full', 0, 60_000);
		more.ended('a');
		expect(room(more, 1)).toBe(1);
	});

	test('without a time of the service a full queue is asked again after our own pause', () => {
		const pace = new Pace();
		pace.refused(pace.begin(), 'full', 0);
		expect(pace.nextAt).toBeGreaterThan(0);
		const longer = new Pace();
		accept(longer, 'a');
		longer.refused(longer.begin(), 'full', 0, 30_000);
		expect(longer.nextAt).toBe(30_000);
	});

	test('jobs whose end is reported twice, or that are unknown, change nothing', () => {
		const pace = new Pace();
		accept(pace, 'a');
		pace.ended('a');
		pace.ended('a');
		pace.ended('unknown');
		expect(pace.inFlight).toBe(0);
	});
});
