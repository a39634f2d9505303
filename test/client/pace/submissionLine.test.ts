import { StoppedError } from '../../../client';
import { type Decision, withObserver } from '../../../client/observer';
import { SubmissionLine } from '../../../client/pace/submissionLine';
import { runFaster } from '../../support/fastClock';

runFaster(20);

const PATIENCE_MS = 60_000;

/** Takes the places of all submissions that the line lets go at once, so that the next ones have to wait. */
async function filled(): Promise<SubmissionLine> {
	const line = new SubmissionLine();
	const attempt = await line.turn(line.newPlace(), PATIENCE_MS, undefined);
	line.refused(attempt, 'full', 600_000);
	return line;
}

/** Waits in the line, and notes its name when its turn comes. */
function wait(line: SubmissionLine, turns: string[], name: string, patienceMs = PATIENCE_MS, signal?: AbortSignal): Promise<void> {
	return line.turn(line.newPlace(), patienceMs, signal).then(() => void turns.push(name));
}

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const pause = async (milliseconds: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, milliseconds));

test('M7: leaves no timer behind when a submission gets its turn', async () => {
	const before = timers();
	const line = new SubmissionLine();
	await line.turn(line.newPlace(), 600_000, undefined);
	expect(timers()).toBe(before);
});

test('M7: leaves no timer behind when a waiting submission is stopped', async () => {
	const line = await filled();
	const [stop, turns] = [new AbortController(), [] as string[]];
	const other = wait(line, turns, 'other');
	const before = timers();
	const stopped = wait(line, turns, 'stopped', 600_000, stop.signal);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	expect(timers()).toBe(before);
	line.accepted('a');
	line.ended('a');
	await other;
});

test('M7: keeps the other submissions in the line when one leaves and its patience ends later', async () => {
	const line = await filled();
	const [stop, turns] = [new AbortController(), [] as string[]];
	const stopped = wait(line, turns, 'stopped', 400, stop.signal);
	const other = wait(line, turns, 'other', 4_000);
	stop.abort();
	await expect(stopped).rejects.toBeInstanceOf(StoppedError);
	await pause(40);
	expect(turns).toEqual([]);
	await other;
	expect(turns).toEqual(['other']);
});

test('gives a last try to the submission whose patience ends, and to no other', async () => {
	const line = await filled();
	const turns: string[] = [];
	const patient = wait(line, turns, 'patient', 4_000);
	await wait(line, turns, 'impatient', 200);
	expect(turns).toEqual(['impatient']);
	await patient;
	expect(turns).toEqual(['impatient', 'patient']);
});

test('refuses a submission that is stopped before it waits', async () => {
	const line = new SubmissionLine();
	await expect(line.turn(line.newPlace(), PATIENCE_MS, AbortSignal.abort())).rejects.toBeInstanceOf(StoppedError);
	expect(line.inFlight).toBe(0);
});

test.each([
	['a job ends', (line: SubmissionLine) => line.ended('a')],
	['a submission fails for another reason', (line: SubmissionLine) => line.failed()],
	['another submission is accepted', (line: SubmissionLine) => line.accepted('b')],
])('gives the next turn as soon as %s', async (what, happen) => {
	const line = new SubmissionLine();
	const place = () => line.newPlace();
	// One job is in flight, and the service takes no more than one.
	const [one, two] = [await line.turn(place(), PATIENCE_MS, undefined), await line.turn(place(), PATIENCE_MS, undefined)];
	expect([one.isProbe, two.isProbe]).toEqual([false, false]);
	line.accepted('a');
	line.refused(two, 'full', what === 'a job ends' ? 600_000 : 0);
	if (what !== 'a job ends') await line.turn(place(), 0, undefined);
	const turns: string[] = [];
	const next = wait(line, turns, 'next', 600_000);
	await pause(10);
	expect(turns).toEqual([]);
	happen(line);
	await next;
	expect(turns).toEqual(['next']);
});

describe('what the log says of a submission that waits', () => {
	/** One job is in flight and the service takes no more. Lets two submissions wait, and gives both their turns. @returns the decisions about the second. */
	async function decisionsOfSecond(isReported?: boolean): Promise<Decision[]> {
		const line = new SubmissionLine();
		await line.turn(line.newPlace(), PATIENCE_MS, undefined);
		const refused = await line.turn(line.newPlace(), PATIENCE_MS, undefined);
		line.accepted('a');
		line.refused(refused, 'full', 600_000);
		const seen: Decision[] = [];
		const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
		const first = line.turn(line.newPlace(), PATIENCE_MS, undefined).then(() => line.accepted('b'));
		const second = withObserver(observer, async () => await line.turn(line.newPlace(), PATIENCE_MS, undefined, isReported));
		line.ended('a');
		await first;
		line.ended('b');
		await second;
		return seen;
	}

	test('how many are ahead of it and in flight, and later for how long it waited', async () => {
		const [waits, came, ...more] = await decisionsOfSecond();
		expect(waits).toEqual({ kind: 'waits_in_line', ahead: 1, inFlight: 1 });
		expect(came).toMatchObject({ kind: 'turn_came' });
		expect(came?.kind === 'turn_came' && came.waitedMs >= 0 && came.waitedMs < 60_000).toBe(true);
		expect(more).toEqual([]);
	});

	test('nothing if its rejection has been reported', async () => {
		await expect(decisionsOfSecond(false)).resolves.toEqual([]);
	});

	test('nothing if it does not wait', async () => {
		const seen: Decision[] = [];
		const observer = { onExchange: () => undefined, onDecision: (decision: Decision) => void seen.push(decision) };
		const line = new SubmissionLine();
		await withObserver(observer, async () => await line.turn(line.newPlace(), PATIENCE_MS, undefined));
		expect(seen).toEqual([]);
	});
});

test('a submission that comes back is called before those behind it, and after those ahead of it', async () => {
	const line = await filled();
	const [first, second, third] = [line.newPlace(), line.newPlace(), line.newPlace()];
	const turns: string[] = [];
	const come = async (place: number, name: string): Promise<void> => {
		await line.turn(place, PATIENCE_MS, undefined);
		turns.push(name);
		line.accepted(name);
		line.ended(name);
	};
	const all = [come(third, 'third'), come(first, 'first'), come(second, 'second')];
	line.accepted('a');
	line.ended('a');
	await Promise.all(all);
	expect(turns).toEqual(['first', 'second', 'third']);
});
