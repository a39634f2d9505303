/** The decisions of the scheduler, without a clock and without a service. */
import type { Job } from '../../../client/job';
import { PollScheduler, type ScheduledPoll } from '../../../client/wait/pollScheduler';
import { SHARED_TIMES } from '../../../client/wait/waitTimes';

const createPoll = (changes: Partial<ScheduledPoll> = {}): ScheduledPoll => ({
	isIdle: true,
	dueAt: 500,
	intervalMs: 500,
	slackMs: 0,
	readAt: 0,
	listStatus: { kind: 'pending' },
	isJobKnown: true,
	hasCheapList: false,
	...changes,
});

/** A scheduler with so many waits that began at 0 ms. */
function createScheduler(waits: number, changes: Partial<ScheduledPoll> = {}) {
	const scheduler = new PollScheduler<ScheduledPoll>(SHARED_TIMES);
	const polls = Array.from({ length: waits }, () => createPoll(changes));
	for (const poll of polls) scheduler.add(poll, 0);
	return { scheduler, polls };
}

const job = (status: string) => ({ job_id: 'a', status }) as Job;

test('no wait is due before its interval, and a busy wait never is', () => {
	const { scheduler, polls } = createScheduler(2);
	expect(scheduler.takeDue(499)).toEqual({ due: [], nextAt: 500 });
	polls[0]!.isIdle = false;
	expect(scheduler.takeDue(500)).toEqual({ due: [polls[1]], nextAt: Infinity });
});

test('reads of different waits are 75 ms apart', () => {
	const { scheduler, polls } = createScheduler(3);
	const { due, nextAt } = scheduler.takeDue(500);
	expect([due, nextAt]).toEqual([[polls[0]], 575]);
	polls[0]!.isIdle = false;
	expect(scheduler.takeDue(575)).toEqual({ due: [polls[1]], nextAt: 650 });
});

test('a wait whose stream reported the end is read immediately', () => {
	const { scheduler, polls } = createScheduler(3, { dueAt: 50, intervalMs: 50 });
	expect(scheduler.takeDue(50).due).toEqual(polls);
});

test('a wait that pauses again is the last one', () => {
	const { scheduler, polls } = createScheduler(2);
	scheduler.startPause(polls[0]!, 0);
	expect([...scheduler.all]).toEqual([polls[1], polls[0]]);
});

test.each([
	[3, true, Infinity],
	[4, false, Infinity],
	[4, true, 500],
])('%d waits with a cheap list (%s) poll the list at %d ms', (waits, hasCheapList, expected) => {
	const { scheduler } = createScheduler(waits, { hasCheapList });
	expect(scheduler.nextListPollAt(0)).toBe(expected);
});

test('after a quiet time, many waits get the reads of 50 ms at once', () => {
	const { scheduler } = createScheduler(1_000);
	const apartMs = SHARED_TIMES.roundMs / 1_000;
	expect(scheduler.takeDue(60_000).due).toHaveLength(Math.floor(50 / apartMs));
});

describe('while the list is used', () => {
	const waits = () => createScheduler(4, { hasCheapList: true });

	test('waits without a status from the list are not read', () => {
		expect(waits().scheduler.takeDue(500)).toEqual({ due: [], nextAt: Infinity });
	});

	test('a wait whose job is absent is read after a minute', () => {
		const { scheduler, polls } = waits();
		scheduler.setListStatus(polls[0]!, { kind: 'absent' }, 500);
		expect(scheduler.takeDue(59_999)).toEqual({ due: [], nextAt: 60_000 });
		expect(scheduler.takeDue(60_000).due).toEqual([polls[0]]);
	});

	test('a wait whose job is unknown to the list is read at its time', () => {
		const { scheduler, polls } = waits();
		scheduler.setListStatus(polls[0]!, { kind: 'unknown' }, 500);
		expect(scheduler.takeDue(500).due).toEqual([polls[0]]);
	});

	test('an end in the list must be read once, and a running job makes the interval longer', () => {
		const { scheduler, polls } = waits();
		const [poll] = polls as [ScheduledPoll];
		expect(scheduler.setListStatus(poll, { kind: 'listed', job: job('running') }, 500)).toBe(false);
		expect([poll.intervalMs, poll.dueAt]).toEqual([750, 1_250]);
		expect(scheduler.setListStatus(poll, { kind: 'listed', job: job('succeeded') }, 1_000)).toBe(true);
		expect(poll.dueAt).toBe(750);
		expect(scheduler.setListStatus(poll, { kind: 'listed', job: job('succeeded') }, 1_500)).toBe(false);
	});

	test('a running job does not shorten a longer interval', () => {
		const { scheduler, polls } = createScheduler(4, { hasCheapList: true, intervalMs: 30_000 });
		scheduler.setListStatus(polls[0]!, { kind: 'absent' }, 500);
		expect([polls[0]!.intervalMs, polls[0]!.dueAt]).toEqual([30_000, 30_500]);
	});

	test('the list is polled more often after a job has ended', () => {
		const { scheduler } = createScheduler(100, { hasCheapList: true, intervalMs: 5_000 });
		expect(scheduler.nextListPollAt(0)).toBe(1_000);
		scheduler.speedUp(0);
		expect(scheduler.nextListPollAt(0)).toBe(SHARED_TIMES.listPollsApartMs);
	});

	test.each([
		['contains every job that was searched for is polled again', { requests: 2, known: 3, searched: 3 }, false],
		['contains few of the jobs for its pages is not polled for a while', { requests: 2, known: 3, searched: 4 }, true],
		['contains two jobs for each page is polled again', { requests: 2, known: 4, searched: 5 }, false],
	])('a list that %s', (_name, result, isPaused) => {
		const { scheduler } = waits();
		scheduler.startListPoll(400);
		scheduler.finishListPoll(result, 500);
		expect(scheduler.nextListPollAt(500) === Infinity).toBe(isPaused);
	});

	test('a poll that takes 5 s does not delay reads any more', () => {
		const { scheduler, polls } = waits();
		scheduler.startListPoll(500);
		expect(scheduler.nextSlowListAt(500)).toBe(5_500);
		expect(scheduler.takeDue(5_499).due).toEqual([]);
		expect(scheduler.takeDue(5_500).due).toEqual([polls[0]]);
	});

	test.each([
		['that fails is not polled for a minute', true, 60_499],
		['whose wait was stopped is polled again immediately', false, undefined],
	])('a list %s', (_name, isListFault, pausedUntil) => {
		const { scheduler } = waits();
		scheduler.startListPoll(400);
		scheduler.failListPoll(isListFault, 500);
		if (pausedUntil === undefined) expect(scheduler.nextListPollAt(500)).toBeLessThanOrEqual(500);
		else expect([scheduler.nextListPollAt(pausedUntil), scheduler.nextListPollAt(60_500)]).toEqual([Infinity, 1_000]);
	});
});
