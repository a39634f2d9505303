import fc from 'fast-check';

import type { Sandbox } from '../../sandbox';
import { added, type Counts, noCounts } from './counts';
import { type History, historyWithin } from './history';
import { historyWords } from './historyWords';
import type { Interface } from './interfaces/interface';
import { type Ending, verdictOn } from './verdict';
import { World } from './world';

export interface Wanted {
	seed: number;
	histories: number;
	/** Of one history, as fast-check tells it of one that failed. */
	path?: string;
}

/** The shortest history that fails. */
export interface Failed {
	words: string;
	trouble: string;
	seed: number;
	path: string;
}

const countsOf = ({ history, ends, faultsMet }: World, ending: Ending): Counts => ({
	histories: 1,
	actions: history.actions.length,
	runs: ends.length,
	faultsMet,
	delivered: ending.doubt === undefined ? 1 : 0,
	exceptions: Object.fromEntries([ending.doubt, ending.limit].flatMap((one) => (one === undefined ? [] : [[one.name, 1]]))),
});

/** Plays one. @throws Error for what must never be. */
export async function playHistory(via: Interface, sandbox: Sandbox, history: History): Promise<Counts> {
	const world = new World(via, sandbox, history);
	try {
		await world.play();
		return countsOf(world, verdictOn(world));
	} finally {
		await world.leave();
	}
}

/** Plays histories of one interface one after another, on a sandbox that nobody else uses. */
export async function runHistories(
	via: Interface,
	sandbox: Sandbox,
	{ seed, histories, path }: Wanted,
): Promise<{ counts: Counts; failed?: Failed }> {
	let counts = noCounts();
	let hasFailed = false;
	const property = fc.asyncProperty(historyWithin(via.range), async (history) => {
		try {
			const more = await playHistory(via, sandbox, history);
			if (!hasFailed) counts = added(counts, more);
		} catch (error) {
			hasFailed = true;
			throw error;
		}
	});
	const outcome = await fc.check(property, { seed, path, numRuns: histories });
	if (!outcome.failed) return { counts };
	const { counterexample, counterexamplePath, errorInstance } = outcome;
	return {
		counts,
		failed: {
			words: counterexample === null ? '' : historyWords(counterexample[0]),
			trouble: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
			seed: outcome.seed,
			path: counterexamplePath ?? '',
		},
	};
}
