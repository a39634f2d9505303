import { StoppedError } from '../../../client';
import { type Decision, withObserver } from '../../../client/observer';
import { SubmissionQueue } from '../../../client/concurrency/submissionQueue';
import { runFaster } from '../../support/fastClock';

runFaster(20);

const PATIENCE_MS = 60_000;

/** Makes a queue of which one job is in flight, and the service takes no more for now. */
async function filled(): Promise<SubmissionQueue> {
	const queue = new SubmissionQueue();
	await queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined);
	const rejected = await queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined);
	queue.markAccepted('a');
	queue.markRejected(rejected, 'full', 600_000);
	return queue;
}

/** Waits in the queue, and notes its name when its turn comes. */
function wait(queue: SubmissionQueue, turns: string[], name: string, patienceMs = PATIENCE_MS, signal?: AbortSignal): Promise<void> {
	return queue.waitForSlot(queue.newPosition(), patienceMs, signal).then(() => void turns.push(name));
}

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const pause = async (milliseconds: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, milliseconds));

test('M7: leaves no timer behind when a submission gets its slot', async () => {
	const before = timers();
	const queue = new SubmissionQueue();
	await queue.waitForSlot(queue.newPosition(), 600_000, undefined);
	expect(timers()).toBe(before);
});

test('M7: leaves no timer behind when a waiting submission is stopped', async () => {
	const queue = await filled();
	const [stop, turns] = [new AbortController(), [] as string[]];
	const other = wait(queue, turns, 'other');
	const before = timers();
	const stopped = wait(queue, turns, 'stopped', 600_000, stop.signal);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	expect(timers()).toBe(before);
	queue.markEnded('a');
	await other;
});

test('M7: keeps the other submissions in the queue when one leaves and its patience ends later', async () => {
	const queue = await filled();
	const [stop, turns] = [new AbortController(), [] as string[]];
	const stopped = wait(queue, turns, 'stopped', 400, stop.signal);
	const other = wait(queue, turns, 'other', 4_000);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	await pause(40);
	expect(turns).toEqual([]);
	await other;
	expect(turns).toEqual(['other']);
});

test('gives the slot of a stopped submission to the next one', async () => {
	const queue = await filled();
	const [stop, turns] = [new AbortController(), [] as string[]];
	const stopped = wait(queue, turns, 'stopped', 600_000, stop.signal);
	const other = wait(queue, turns, 'other', 600_000);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	queue.markEnded('a');
	await pause(10);
	expect(turns).toEqual(['other']);
	await other;
});

test('gives a last try to the submission whose patience ends, and to no other', async () => {
	const queue = await filled();
	const turns: string[] = [];
	const patient = wait(queue, turns, 'patient', 4_000);
	await wait(queue, turns, 'impatient', 200);
	expect(turns).toEqual(['impatient']);
	await patient;
	expect(turns).toEqual(['impatient', 'patient']);
});

test('refuses a submission that is stopped before it waits', async () => {
	const queue = new SubmissionQueue();
	await expect(queue.waitForSlot(queue.newPosition(), PATIENCE_MS, AbortSignal.abort())).rejects.toBeInstanceOf(StoppedError);
	expect(queue.inFlight).toBe(0);
});

test.each([
	['a job ends', (queue: SubmissionQueue) => queue.markEnded('a')],
	['a submission fails for another reason', (queue: SubmissionQueue) => queue.releaseSlot()],
	['another submission is accepted', (queue: SubmissionQueue) => queue.markAccepted('b')],
])('gives the next slot as soon as %s', async (what, happen) => {
	const queue = new SubmissionQueue();
	const position = () => queue.newPosition();
	// One job is in flight, and the service takes no more than one.
	const [one, two] = [
		await queue.waitForSlot(position(), PATIENCE_MS, undefined),
		await queue.waitForSlot(position(), PATIENCE_MS, undefined),
	];
	expect([one.isProbe, two.isProbe]).toEqual([false, false]);
	queue.markAccepted('a');
	queue.markRejected(two, 'full', what === 'a job ends' ? 600_000 : 0);
	if (what !== 'a job ends') await queue.waitForSlot(position(), 0, undefined);
	const turns: string[] = [];
	const next = wait(queue, turns, 'next', 600_000);
	await pause(10);
	expect(turns).toEqual([]);
	happen(queue);
	await next;
	expect(turns).toEqual(['next']);
});

describe('the log of a submission that waits', () => {
	/** Lets two submissions wait, and gives both their turns. @returns the decisions about the second. */
	async function decisionsOfSecond(isReported?: boolean): Promise<Decision[]> {
		const queue = await filled();
		const seen: Decision[] = [];
		const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
		const first = queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined).then(() => queue.markAccepted('b'));
		const second = withObserver(observer, async () => await queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined, isReported));
		queue.markEnded('a');
		await first;
		queue.markEnded('b');
		await second;
		return seen;
	}

	test('says how many are ahead of it and in flight, and later how long it waited', async () => {
		const [waits, came, ...more] = await decisionsOfSecond();
		expect(waits).toEqual({ kind: 'submission_queued', ahead: 1, inFlight: 1 });
		expect(came).toMatchObject({ kind: 'slot_granted' });
		expect(came?.kind === 'slot_granted' && came.waitedMs >= 0 && came.waitedMs < 60_000).toBe(true);
		expect(more).toEqual([]);
	});

	test('says nothing if its rejection has been reported', async () => {
		await expect(decisionsOfSecond(false)).resolves.toEqual([]);
	});

	test('says nothing if it does not wait', async () => {
		const seen: Decision[] = [];
		const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
		const queue = new SubmissionQueue();
		await withObserver(observer, async () => await queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined));
		expect(seen).toEqual([]);
	});
});

test('a submission that waits again keeps its position', async () => {
	const queue = await filled();
	const [first, second, third] = [queue.newPosition(), queue.newPosition(), queue.newPosition()];
	const turns: string[] = [];
	const come = async (position: number, name: string): Promise<void> => {
		await queue.waitForSlot(position, PATIENCE_MS, undefined);
		turns.push(name);
		queue.markAccepted(name);
		queue.markEnded(name);
	};
	const all = [come(third, 'third'), come(first, 'first'), come(second, 'second')];
	queue.markEnded('a');
	await Promise.all(all);
	expect(turns).toEqual(['first', 'second', 'third']);
});

test('gives two waiting submissions their slots when the fifth accepted one frees its slot and allows one more', async () => {
	const queue = new SubmissionQueue();
	const turns: string[] = [];
	const all = Array.from({ length: 12 }, async (_, index) => await wait(queue, turns, String(index)));
	const counts: number[] = [];
	for (let accepted = 1; accepted <= 6; accepted++) {
		queue.markAccepted(String(accepted));
		await pause(5);
		counts.push(turns.length);
	}
	await Promise.all(all);
	expect(counts).toEqual([6, 7, 8, 9, 11, 12]);
});
