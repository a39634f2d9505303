import { clock, derivedId, outcomeOf, StoppedError, UnknownOutcomeError } from '../../../client';
import type { FaultRule } from '../../../sandbox';
import { Chance } from '../support/chance';
import { mayBeUnmet } from '../../support/metFaults';
import { HISTORY, newGraph, pause, PROMPT, QUEUE, useEngine } from './support/engine';
import { runFaster } from '../../support/fastClock';

const TIMES = 3;
runFaster(TIMES);
const engine = useEngine();
const SEQUENCES = 200;
const HISTORY_LIST = 'GET /api/history';
/** All run at the same time: most of it is waiting. */
const LANES = 20;

/** Real milliseconds, as those of the faults. */
const LATE_MS = 250;
const BETWEEN_TRIES_MS = 150;
/** Of one request, so that a stall is longer. */
const REQUEST_MS = 300;
const LATE = { kind: 'late_delivery', ms: LATE_MS } as const;
const FAULTS: ReadonlyArray<Omit<FaultRule, 'on'>> = [
	{ fault: { kind: 'drop_before' } },
	{ fault: { kind: 'drop_after' } },
	{ fault: { kind: 'truncate', afterBytes: 0 } },
	{ fault: { kind: 'truncate', afterBytes: 15 } },
	{ fault: { kind: 'stall', ms: 1.5 * REQUEST_MS } },
	{ answer: { status: 502, html: true } },
	{ answer: { status: 502, html: true }, late: true },
	{ answer: { status: 500, body: '500 Internal Server Error' } },
	{ answer: { status: 500, body: '500 Internal Server Error' }, late: true },
	{ answer: { status: 200, badJson: true }, late: true },
	{ answer: { status: 503, code: 'x' } },
	{ answer: { status: 504, html: true }, late: true },
	{ answer: { status: 429, html: true } },
	{ fault: LATE },
	{ fault: LATE, answer: { status: 502, html: true } },
	{ fault: LATE, answer: { status: 503, html: true } },
];
/** Looks must not be held up by what delivers prompts late. */
const LOOK_FAULTS = FAULTS.filter(({ fault }) => fault !== LATE);

/** Real milliseconds in which the sandbox had its turns, too: what is late there has come in as many. */
const turnedMs = (): number => clock.now() / TIMES;

/**
 * One caller whose process may end at any moment; the next one knows that an answer was lost.
 * @returns undefined where the outcome is unknown for good.
 */
async function submittedAtLast(chance: Chance, key: string): Promise<string | undefined> {
	const graph = newGraph();
	let sentAt: number | undefined;
	const firstSentAt = Date.now();
	for (let process = 0; process < 60; process++) {
		const begunAt = turnedMs();
		const connection = engine.connect({ readBudgetMs: chance.oneOf([0, 500]), limits: { requestMs: REQUEST_MS * TIMES } });
		const signal = process < 3 && chance.next() < 0.5 ? AbortSignal.timeout(chance.below(REQUEST_MS)) : undefined;
		const onSend = () => {
			sentAt = turnedMs();
		};
		const submitting = connection.jobs.submit(
			{ graph },
			{
				idempotencyKey: key,
				keyIsOurs: true,
				earlierAnswerLost: sentAt !== undefined,
				firstSentAt,
				retryBudgetMs: 2 * LATE_MS * TIMES,
				signal,
				onSend,
			},
		);
		const submitted = await outcomeOf(signal === undefined ? submitting : Promise.race([submitting, died(signal)]));
		// A process that dies takes its connections with it.
		await connection.close();
		if (submitted.ok) return submitted.value.job_id;
		// What is on its way has come by then, and each fault of a look was met.
		const isForGood =
			submitted.error instanceof UnknownOutcomeError && submitted.error.cause === undefined && begunAt - (sentAt ?? Infinity) > 5 * LATE_MS;
		if (isForGood) return undefined;
		await pause(BETWEEN_TRIES_MS);
	}
	throw new Error('It was never submitted');
}

const died = async (signal: AbortSignal): Promise<never> =>
	await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new StoppedError()), { once: true }));

test.each([
	['asked_for', SEQUENCES],
	['own', SEQUENCES / 2],
] as const)(
	'random sequences of faults (prompt ids: %s, %d): B4: one execution at most for each key, and its job, or the outcome is unknown and there is none',
	async (enginePromptIds, count) => {
		engine.sandbox.configure({ workers: 0, engineJobRoutes: false, enginePromptIds });
		const runsBefore = engine.sandbox.ledger.runs.length;
		const seeds = Array.from({ length: count }, (_, seed) => seed);
		const outcomes = new Map<string, string | undefined>();
		const lane = async (): Promise<void> => {
			for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
				const chance = new Chance(seed);
				const key = derivedId(`sequence ${enginePromptIds} ${seed}`);
				for (let faults = chance.below(5); faults > 0; faults--) mayBeUnmet(engine.sandbox.inject({ on: PROMPT, ...chance.oneOf(FAULTS) }));
				for (let faults = chance.below(3); faults > 0; faults--)
					mayBeUnmet(engine.sandbox.inject({ on: chance.oneOf([QUEUE, HISTORY, HISTORY_LIST]), ...chance.oneOf(LOOK_FAULTS) }));
				outcomes.set(key, await submittedAtLast(chance, key));
			}
		};
		await Promise.all(Array.from({ length: LANES }, lane));
		const jobIds = [...outcomes.values()].filter((jobId) => jobId !== undefined);
		expect(
			engine.sandbox.ledger.runs
				.slice(runsBefore)
				.map(({ jobId }) => jobId)
				.sort(),
		).toEqual(jobIds.sort());
		expect([outcomes.size, new Set(jobIds).size]).toEqual([count, jobIds.length]);
		expect(jobIds.length).toBeGreaterThan(count / 2);
		if (enginePromptIds === 'asked_for') expect([...outcomes].filter(([key, jobId]) => jobId !== undefined && key !== jobId)).toEqual([]);
	},
	120_000,
);
