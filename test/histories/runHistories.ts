import fc from 'fast-check';

import type { Sandbox } from '../../sandbox';
import { type History, historyWithin } from './history';
import type { Interface } from './interfaces/interface';
import { verdictOn } from './verdict';
import { World } from './world';

/** A history that takes longer hangs. */
const LONGEST_MS = 10 * 60_000;

/** What histories have met. */
export interface Counts {
	histories: number;
	actions: number;
	runs: number;
	faultsMet: number;
	delivered: number;
	/** Histories by what kept them from delivering everything. */
	unconfirmed: Record<string, number>;
	/** Histories by the condition of docs/promises.md that they met. */
	conditions: Record<string, number>;
}

export const noCounts = (): Counts => ({
	histories: 0,
	actions: 0,
	runs: 0,
	faultsMet: 0,
	delivered: 0,
	unconfirmed: {},
	conditions: {},
});

type Numbers = Record<string, number>;

const sumOf = (one: Numbers, more: Numbers): Numbers => {
	const sum = { ...one };
	for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
	return sum;
};

export const addCounts = (
	{ unconfirmed, conditions, ...some }: Counts,
	{ unconfirmed: moreOf, conditions: moreMet, ...more }: Counts,
): Counts => ({
	...(sumOf(some, more) as typeof some),
	unconfirmed: sumOf(unconfirmed, moreOf),
	conditions: sumOf(conditions, moreMet),
});

const onceEach = (names: Iterable<{ name: string }>): Numbers => Object.fromEntries([...names].map(({ name }) => [name, 1]));

export interface Wanted {
	seed: number;
	histories: number;
	/** Of one history, as fast-check reports it for one that failed. */
	path?: string;
}

/** The shortest history that fails. */
export interface Failed {
	history: History | undefined;
	trouble: string;
	seed: number;
	path: string;
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const limit = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`It has not ended within ${milliseconds / 60_000} minutes`)), milliseconds);
	});
	await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Plays one. @throws Error for what must never be. */
export async function playHistory(via: Interface, sandbox: Sandbox, history: History): Promise<Counts> {
	const world = new World(via, sandbox, history);
	try {
		await within(LONGEST_MS, world.play());
		const { unconfirmed, conditions } = verdictOn(world);
		return {
			histories: 1,
			actions: history.actions.length,
			runs: world.runs,
			faultsMet: world.faultsMet,
			delivered: unconfirmed.size === 0 ? 1 : 0,
			unconfirmed: onceEach(unconfirmed),
			conditions: onceEach(conditions),
		};
	} finally {
		await world.leave();
	}
}

/** Plays histories of one interface one after another, on a sandbox of their own. */
export async function runHistories(via: Interface, sandbox: Sandbox, wanted: Wanted): Promise<{ counts: Counts; failed?: Failed }> {
	const { seed, histories, path } = wanted;
	let counts = noCounts();
	let hasFailed = false;
	const property = fc.asyncProperty(historyWithin(via.range), async (history) => {
		try {
			const more = await playHistory(via, sandbox, history);
			if (!hasFailed) counts = addCounts(counts, more);
		} catch (error) {
			hasFailed = true;
			throw error;
		}
	});
	const outcome = await fc.check(property, { seed, path, numRuns: histories });
	if (!outcome.failed) return { counts };
	const { counterexample, counterexamplePath, errorInstance } = outcome;
	const trouble = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
	return { counts, failed: { history: counterexample?.[0], trouble, seed: outcome.seed, path: counterexamplePath ?? '' } };
}
