import { derivedId, type Job, outcomeOf, StoppedError } from '../../../client';
import type { FaultRule } from '../../../sandbox';
import { Chance } from '../support/chance';
import { HISTORY, newGraph, PROMPT, QUEUE, useEngine } from './support/engine';
import { mayBeUnmet } from '../../support/metFaults';

const engine = useEngine();
const SEQUENCES = 200;
const HISTORY_LIST = 'GET /api/history';
/** All run at the same time: most of it is waiting. */
const LANES = 20;

const FAULTS: ReadonlyArray<Omit<FaultRule, 'on'>> = [
	{ fault: { kind: 'drop_before' } },
	{ fault: { kind: 'drop_after' } },
	{ fault: { kind: 'truncate', afterBytes: 0 } },
	{ fault: { kind: 'truncate', afterBytes: 15 } },
	{ fault: { kind: 'stall', ms: 600 } },
	{ answer: { status: 502, html: true } },
	{ answer: { status: 502, html: true }, late: true },
	{ answer: { status: 500, body: '500 Internal Server Error' } },
	{ answer: { status: 500, body: '500 Internal Server Error' }, late: true },
	{ answer: { status: 200, badJson: true }, late: true },
	{ answer: { status: 503, code: 'x' } },
	{ answer: { status: 504, html: true }, late: true },
];

/** One caller whose process may end at any moment; the next one knows that an answer was lost. */
async function submittedAtLast(chance: Chance, key: string): Promise<Job> {
	const graph = newGraph();
	for (let process = 0; process < 30; process++) {
		const connection = engine.connect({ readBudgetMs: chance.oneOf([0, 500]), limits: { requestMs: 400 } });
		const signal = process < 3 && chance.next() < 0.5 ? AbortSignal.timeout(chance.below(400)) : undefined;
		const submitting = connection.jobs.submit({ graph }, { idempotencyKey: key, keyIsOurs: true, earlierAnswerLost: process > 0, retryBudgetMs: 1_500, signal });
		const submitted = await outcomeOf(signal === undefined ? submitting : Promise.race([submitting, died(signal)]));
		// A process that dies takes its connections with it.
		await connection.close();
		if (submitted.ok) return submitted.value;
	}
	throw new Error('It was never submitted');
}

const died = async (signal: AbortSignal): Promise<never> =>
	await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new StoppedError()), { once: true }));

test.each([
	['asked_for', SEQUENCES],
	['own', SEQUENCES / 2],
] as const)('random sequences of faults (prompt ids: %s, %d): one execution for each key, and its job once they stop', async (enginePromptIds, count) => {
	engine.sandbox.configure({ workers: 0, engineJobRoutes: false, enginePromptIds });
	const runsBefore = engine.sandbox.ledger.runs.length;
	const seeds = Array.from({ length: count }, (_, seed) => seed);
	const jobIds = new Map<string, string>();
	const lane = async (): Promise<void> => {
		for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
			const chance = new Chance(seed);
			const key = derivedId(`sequence ${enginePromptIds} ${seed}`);
			for (let faults = chance.below(5); faults > 0; faults--) mayBeUnmet(engine.sandbox.inject({ on: PROMPT, ...chance.oneOf(FAULTS) }));
			for (let faults = chance.below(3); faults > 0; faults--) mayBeUnmet(engine.sandbox.inject({ on: chance.oneOf([QUEUE, HISTORY, HISTORY_LIST]), ...chance.oneOf(FAULTS) }));
			jobIds.set(key, (await submittedAtLast(chance, key)).job_id);
		}
	};
	await Promise.all(Array.from({ length: LANES }, lane));
	expect(engine.sandbox.ledger.runs.slice(runsBefore).map(({ jobId }) => jobId).sort()).toEqual([...jobIds.values()].sort());
	expect([jobIds.size, new Set(jobIds.values()).size]).toEqual([count, count]);
	if (enginePromptIds === 'asked_for') expect([...jobIds].filter(([key, jobId]) => key !== jobId)).toEqual([]);
}, 120_000);
