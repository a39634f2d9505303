import { ConcurrencyLimiter, type RejectionKind } from '../../../client/concurrency/concurrencyLimiter';

let jobs = 0;

/** Begins as many as may begin now, and lets a service that has room for so many jobs answer them, in order. */
function burst(
	limiter: ConcurrencyLimiter,
	service: { room: number; taken: Set<string> },
	now: number,
	retryAfterMs?: number,
): { sent: number; refused: number } {
	const counts = { sent: 0, refused: 0 };
	while (limiter.nextAt <= now) {
		const slots = [];
		while (limiter.nextAt <= now) slots.push(limiter.takeSlot());
		for (const slot of slots) {
			counts.sent++;
			if (service.taken.size < service.room) {
				const id = String(++jobs);
				service.taken.add(id);
				limiter.markAccepted(id);
			} else {
				counts.refused++;
				limiter.markRejected(slot, 'full', now, retryAfterMs);
			}
		}
	}
	return counts;
}

const serviceWith = (room: number) => ({ room, taken: new Set<string>() });

/** One of its jobs ends, and we notice. */
function end(limiter: ConcurrencyLimiter, service: { taken: Set<string> }): void {
	const [id] = service.taken;
	service.taken.delete(String(id));
	limiter.markEnded(String(id));
}

test('after a rejection with n jobs in flight, sends nothing until one ends, and then exactly one', () => {
	const limiter = new ConcurrencyLimiter();
	const service = serviceWith(3);
	expect(burst(limiter, service, 0, 60_000).refused).toBeLessThanOrEqual(8);
	expect([limiter.inFlight, burst(limiter, service, 59_999)]).toEqual([3, { sent: 0, refused: 0 }]);
	for (let ended = 0; ended < 50; ended++) {
		end(limiter, service);
		expect(burst(limiter, service, 100)).toEqual({ sent: 1, refused: 0 });
	}
});

test('follows a service that accepts more jobs than before', () => {
	const limiter = new ConcurrencyLimiter();
	const service = serviceWith(2);
	burst(limiter, service, 0, 1_000);
	service.room = 40;
	expect(burst(limiter, service, 1_000, 1_000)).toEqual({ sent: 39, refused: 1 });
	expect(limiter.inFlight).toBe(40);
});

test('lowers the limit when other clients use the service', () => {
	const limiter = new ConcurrencyLimiter();
	const service = serviceWith(5);
	burst(limiter, service, 0, 60_000);
	service.room = 3;
	end(limiter, service);
	expect(burst(limiter, service, 1, 60_000)).toEqual({ sent: 1, refused: 1 });
	expect(burst(limiter, service, 2, 60_000)).toEqual({ sent: 0, refused: 0 });
	end(limiter, service);
	expect(burst(limiter, service, 3, 60_000)).toEqual({ sent: 1, refused: 1 });
	end(limiter, service);
	expect(burst(limiter, service, 4, 60_000)).toEqual({ sent: 1, refused: 0 });
});

test('with no job in flight, tries one submission at a time, as often as the service says', () => {
	const limiter = new ConcurrencyLimiter();
	const service = serviceWith(0);
	expect(burst(limiter, service, 0, 2_000)).toEqual({ sent: 5, refused: 5 });
	for (let round = 1; round <= 20; round++) {
		expect(burst(limiter, service, round * 2_000 - 1)).toEqual({ sent: 0, refused: 0 });
		expect(burst(limiter, service, round * 2_000, 2_000)).toEqual({ sent: 1, refused: 1 });
	}
});

test('a busy service gets no submission until Retry-After is over, then one, and its limit stays', () => {
	const limiter = new ConcurrencyLimiter();
	const slots = [limiter.takeSlot(), limiter.takeSlot(), limiter.takeSlot()];
	limiter.markAccepted('a');
	limiter.markRejected(slots[1]!, 'busy', 0, 3_000);
	limiter.markRejected(slots[2]!, 'busy', 0, 3_000);
	expect(limiter.nextAt).toBe(3_000);
	const probe = limiter.takeSlot();
	expect([probe.isProbe, limiter.nextAt]).toEqual([false, Infinity]);
	limiter.markAccepted('b');
	expect(burst(limiter, serviceWith(30), 3_000).refused).toBeGreaterThan(0);
	expect(limiter.inFlight).toBe(32);
});

describe('the rules of the limiter', () => {
	/** How many submissions may be on their way at once now. */
	const room = (limiter: ConcurrencyLimiter, now = 0): number => {
		let begun = 0;
		while (limiter.nextAt <= now) {
			limiter.takeSlot();
			begun++;
		}
		for (let left = begun; left > 0; left--) limiter.releaseSlot();
		return begun;
	};
	const accept = (limiter: ConcurrencyLimiter, ...jobIds: string[]): void => {
		for (const jobId of jobIds) {
			limiter.takeSlot();
			limiter.markAccepted(jobId);
		}
	};

	test('five accepted submissions allow one more at the same time, and a failed one frees its slot and changes no limit', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a', 'b', 'c', 'd');
		expect([room(limiter), room(limiter)]).toEqual([5, 5]);
		accept(limiter, 'e');
		expect(room(limiter)).toBe(6);
	});

	test('jobs in flight and submissions on their way stay within the learned limit', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a', 'b', 'c');
		limiter.markRejected(limiter.takeSlot(), 'full', 0, 60_000);
		limiter.markEnded('a');
		limiter.markEnded('b');
		expect(room(limiter, 1)).toBe(2);
	});

	test('a slot within the limit is no probe, and only one probe beyond it is sent at a time', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a', 'b');
		limiter.markRejected(limiter.takeSlot(), 'full', 0, 1_000);
		limiter.markEnded('a');
		expect(limiter.takeSlot().isProbe).toBe(false);
		expect(limiter.nextAt).toBe(Infinity);
		limiter.markAccepted('c');
		expect(limiter.nextAt).toBe(1_000);
		expect(limiter.takeSlot().isProbe).toBe(true);
		expect(limiter.nextAt).toBe(Infinity);
	});

	test.each<[what: string, rejections: Array<[RejectionKind, number]>, nextAt: number]>([
		[
			'a probe waits for a busy service too',
			[
				['full', 1_000],
				['busy', 5_000],
			],
			5_000,
		],
		[
			'a shorter Retry-After does not shorten a longer one',
			[
				['busy', 9_000],
				['busy', 2_000],
			],
			9_000,
		],
		['a Retry-After that is longer than our own pause counts', [['full', 30_000]], 30_000],
	])('%s', (_what, rejections, nextAt) => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a');
		const sent = rejections.map((rejection) => ({ slot: limiter.takeSlot(), rejection }));
		for (const {
			slot,
			rejection: [kind, retryAfterMs],
		} of sent)
			limiter.markRejected(slot, kind, 0, retryAfterMs);
		expect(limiter.nextAt).toBe(nextAt);
	});

	test('a service without Retry-After is tried after a pause, which grows while it is busy until a job is accepted', () => {
		const limiter = new ConcurrencyLimiter();
		const pauseAfter = (now: number): number => {
			limiter.markRejected(limiter.takeSlot(), 'busy', now);
			return limiter.nextAt - now;
		};
		const first = pauseAfter(0);
		expect(first).toBeGreaterThan(0);
		const second = pauseAfter(100_000);
		const third = pauseAfter(200_000);
		expect(second).toBeGreaterThan(first);
		expect(third).toBeGreaterThan(second);
		accept(limiter, 'a');
		expect(pauseAfter(300_000)).toBeLessThan(second);
		const full = new ConcurrencyLimiter();
		full.markRejected(full.takeSlot(), 'full', 0);
		expect(full.nextAt).toBeGreaterThan(0);
	});

	test('pauses between probes grow to ten seconds, and start again once one is accepted', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a');
		let now = 0;
		const probed = (): number => {
			limiter.markRejected(limiter.takeSlot(), 'full', now, 0);
			const pauseMs = limiter.nextAt - now;
			now = limiter.nextAt;
			return pauseMs;
		};
		expect(Array.from({ length: 7 }, probed)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
		limiter.takeSlot();
		limiter.markAccepted('b');
		expect([probed(), probed()]).toEqual([2_000, 4_000]);
	});

	test('a rejection within the limit starts the pauses again', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a', 'b');
		limiter.markRejected(limiter.takeSlot(), 'full', 0, 0);
		limiter.markRejected(limiter.takeSlot(), 'full', 1_000, 0);
		expect(limiter.nextAt).toBe(3_000);
		limiter.markEnded('a');
		limiter.markRejected(limiter.takeSlot(), 'full', 4_000, 0);
		expect(limiter.nextAt).toBe(5_000);
	});

	test('the limit is the number of jobs in flight when the rejected submission left, or now if that is more', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a', 'b', 'c');
		const slot = limiter.takeSlot();
		limiter.markEnded('a');
		limiter.markRejected(slot, 'full', 0, 60_000);
		expect(room(limiter, 1)).toBe(1);
		const more = new ConcurrencyLimiter();
		const early = more.takeSlot();
		accept(more, 'a', 'b');
		more.markRejected(early, 'full', 0, 60_000);
		more.markEnded('a');
		expect(room(more, 1)).toBe(1);
	});

	test('jobs whose end is reported twice, or that are unknown, change nothing', () => {
		const limiter = new ConcurrencyLimiter();
		accept(limiter, 'a');
		limiter.markEnded('a');
		limiter.markEnded('a');
		limiter.markEnded('unknown');
		expect(limiter.inFlight).toBe(0);
	});
});
