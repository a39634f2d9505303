import { outcomeOf, StoppedError, UnknownOutcomeError, type RouterRun } from '../../../client';
import type { FaultRule } from '../../../sandbox';
import { Chance } from '../support/chance';
import { type RouterSandbox, useRouterSandbox } from './support/sandbox';
import { mayBeUnmet } from '../../support/metFaults';

/** Times are so short here that a thousand sequences fit in seconds: a second of Retry-After is 2 ms. No two share faults. */
const harnesses = Array.from({ length: 4 }, () => useRouterSandbox({ routerRetryAfterSeconds: 1 }));
const limits = { pauseScale: 0.002, requestMs: 2_000 };

const SEQUENCES = 1_000;
const SEQUENCES_PER_TEST = 100;
const MOST_FAULTS = 6;
/** More restarts than faults: the last one meets none. */
const MOST_RESTARTS = 25;

type Broken = (chance: Chance) => Omit<FaultRule, 'on'>;

const BEFORE_DISPATCH: Broken[] = [
	() => ({ fault: { kind: 'drop_before' } }),
	() => ({ answer: { status: 503, code: 'service_unavailable', retryAfter: 1 } }),
	() => ({ answer: { status: 429, code: 'rate_limited' } }),
	() => ({ answer: { status: 502, html: true } }),
];
const AFTER_DISPATCH: Broken[] = [
	() => ({ fault: { kind: 'drop_after' } }),
	() => ({ late: true, answer: { status: 500, code: 'internal_error' } }),
	() => ({ late: true, answer: { status: 504, html: true } }),
];
const IN_THE_ANSWER: Broken[] = [
	(chance) => ({ fault: { kind: 'truncate', afterBytes: chance.below(30) } }),
	() => ({ late: true, answer: { status: 200, badJson: true } }),
	() => ({ late: true, answer: { status: 200, html: true, headers: { 'x-service-request-id': '' } } }),
];

interface Sequence {
	key: string;
	queued: boolean;
	input: Record<string, unknown>;
	model: string;
}

function draw(chance: Chance, { sandbox }: RouterSandbox): Sequence {
	const ms = chance.below(12);
	const isSlow = chance.below(3) === 0;
	const model = isSlow ? 'lab/slow' : 'lab/open';
	for (let faults = chance.below(MOST_FAULTS + 1); faults > 0; faults--) {
		const broken = chance.oneOf(chance.oneOf([BEFORE_DISPATCH, AFTER_DISPATCH, IN_THE_ANSWER]));
		mayBeUnmet(sandbox.inject({ on: '* /v2/models/*', ...broken(chance) }));
	}
	sandbox.configure({ routerHoldMs: isSlow && chance.below(2) === 0 ? 1 + chance.below(10) : 600_000 });
	return {
		key: crypto.randomUUID(),
		queued: chance.below(3) === 0,
		model,
		input: isSlow ? { ms, note: '2024' } : { prompt: '2024', seed: ms },
	};
}

/** One client's life: it waits to the end, for one attempt alone, or is stopped somewhere on the way. */
async function live(chance: Chance, { key, queued, model, input }: Sequence, harness: RouterSandbox): Promise<RouterRun | 'unfinished'> {
	const { router, close } = harness.connect({ limits });
	const life = chance.below(3);
	const stopping = new AbortController();
	// A stop cancels what is queued, which is not a fault but a wish.
	if (life === 0 && !queued) setTimeout(() => stopping.abort(), chance.below(12));
	const options = { idempotencyKey: key, maxWaitMs: life === 1 ? 0 : 20_000, signal: stopping.signal };
	const outcome = await outcomeOf(queued ? router.runQueued(model, input, options) : router.run(model, input, options));
	await close();
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof StoppedError || (life === 1 && isPassing(outcome.error))) return 'unfinished';
	throw outcome.error;
}

/** What may come in place of the result where there was time for one attempt alone. */
function isPassing(error: unknown): boolean {
	if (error instanceof UnknownOutcomeError) return true;
	return error instanceof Error && ('status' in error ? [429, 503].includes(Number(error.status)) : 'trouble' in error || 'facts' in error);
}

async function play(seed: number, harness: RouterSandbox): Promise<string> {
	const chance = new Chance(seed);
	const sequence = draw(chance, harness);
	for (let restarts = 0; restarts < MOST_RESTARTS; restarts++) {
		const outcome = await outcomeOf(live(chance, sequence, harness));
		if (!outcome.ok) return `${seed}: ${String(outcome.error)}`;
		if (outcome.value === 'unfinished') continue;
		const { output, facts } = outcome.value;
		const expected = sequence.model === 'lab/slow' ? { waited_ms: sequence.input.ms, note: '2024' } : { input: sequence.input };
		expect(output).toEqual({ kind: 'json', value: expected });
		expect(facts.idempotency_key).toBe(sequence.key);
		const times = harness.billed(sequence.key);
		return times === 1 ? '' : `${seed}: billed ${times} times`;
	}
	return `${seed}: no result`;
}

describe('loss before dispatch, after dispatch and in the answer, and clients that start anew', () => {
	test.each(Array.from({ length: SEQUENCES / SEQUENCES_PER_TEST }, (_, part) => part))(
		'part %d: each key is billed once, and its result arrives',
		async (part) => {
			const troubles: string[] = [];
			const seeds = Array.from({ length: SEQUENCES_PER_TEST }, (_, index) => part * SEQUENCES_PER_TEST + index);
			const playAll = async (harness: RouterSandbox): Promise<void> => {
				for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
					troubles.push(await play(seed, harness));
					harness.sandbox.clearFaults();
				}
			};
			await Promise.all(harnesses.map(playAll));
			expect(troubles).toHaveLength(SEQUENCES_PER_TEST);
			expect(troubles.filter((trouble) => trouble !== '')).toEqual([]);
		},
	);
});
