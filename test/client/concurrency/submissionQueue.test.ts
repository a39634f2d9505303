import { StoppedError } from '../../../client';
import { type Decision, withObserver } from '../../../client/log/observer';
import { SubmissionQueue } from '../../../client/concurrency/submissionQueue';
import { useStillClock } from '../../support/stillClock';

const moveOn = useStillClock();
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

/** Lets those whose turn has come proceed. */
const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

test('M7: leaves no timer behind when a submission gets its slot', async () => {
	const queue = new SubmissionQueue();
	await queue.waitForSlot(queue.newPosition(), 600_000, undefined);
	expect(moveOn.nextIn()).toBe(Infinity);
});

test('M7: a submission that is stopped leaves the queue with its timer, and the others get their slots or their last tries', async () => {
	const queue = await filled();
	const [stop, turns] = [new AbortController(), [] as string[]];
	const stopped = wait(queue, turns, 'stopped', 400, stop.signal);
	const others = [wait(queue, turns, 'patient', 500_000), wait(queue, turns, 'impatient', 4_000)];
	expect(moveOn.nextIn()).toBe(401);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	expect(moveOn.nextIn()).toBe(4_001);
	moveOn(4_001);
	await others[1];
	expect(turns).toEqual(['impatient']);
	queue.releaseSlot();
	queue.markEnded('a');
	await others[0];
	expect([turns, moveOn.nextIn()]).toEqual([['impatient', 'patient'], Infinity]);
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
	['the pause after a rejection is over', () => moveOn(600_001)],
])('gives the slot of a stopped submission to the next one as soon as %s', async (what, happen) => {
	const queue = await filled();
	const isSending = what.includes('submission');
	// A submission on its way, beyond the limit.
	if (isSending) {
		const probe = queue.waitForSlot(queue.newPosition(), 0, undefined);
		moveOn(1);
		await expect(probe).resolves.toMatchObject({ inFlight: 1, isProbe: true });
		moveOn(600_000);
	}
	const [stop, turns] = [new AbortController(), [] as string[]];
	const stopped = wait(queue, turns, 'stopped', 900_000, stop.signal);
	const next = wait(queue, turns, 'next', 900_000);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	expect(turns).toEqual([]);
	happen(queue);
	await next;
	expect(turns).toEqual(['next']);
});

describe('the log of a submission that waits', () => {
	/** Returns what the log says while a submission waits, which has another one ahead, and gets its slot a second later. */
	async function decisionsOf(waits: (queue: SubmissionQueue) => Promise<unknown>): Promise<Decision[]> {
		const queue = await filled();
		const seen: Decision[] = [];
		const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
		const first = queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined).then(() => queue.markAccepted('b'));
		const second = withObserver(observer, async () => await waits(queue));
		moveOn(1_000);
		queue.markEnded('a');
		await first;
		queue.markEnded('b');
		await second;
		return seen;
	}

	test('says how many are ahead of it and in flight, and later how long it waited', async () => {
		await expect(decisionsOf(async (queue) => await queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined))).resolves.toEqual([
			{ kind: 'submission_queued', ahead: 1, inFlight: 1 },
			{ kind: 'slot_granted', waitedMs: 1_000 },
		]);
	});

	test.each<[string, (queue: SubmissionQueue) => Promise<unknown>]>([
		['its rejection has been reported', async (queue) => await queue.waitForSlot(queue.newPosition(), PATIENCE_MS, undefined, false)],
		['it does not wait', async () => await new SubmissionQueue().waitForSlot(0, PATIENCE_MS, undefined)],
	])('says nothing if %s', async (_what, waits) => {
		await expect(decisionsOf(waits)).resolves.toEqual([]);
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
		await turn();
		counts.push(turns.length);
	}
	await Promise.all(all);
	expect(counts).toEqual([6, 7, 8, 9, 11, 12]);
});
