import { type KillOutcome, planOf, playKill } from './kill';
import { Lane } from './lane';

/** As many at once as a small machine has cores. */
const LANES = 2;

/** The seeds from that one on, one kill for each. */
export async function runKills(kills: number, firstSeed: number, told: (outcome: KillOutcome) => void): Promise<KillOutcome[]> {
	const seeds = Array.from({ length: kills }, (_, index) => firstSeed + index).values();
	const outcomes: KillOutcome[] = [];
	const inOneLane = async (): Promise<void> => {
		const lane = new Lane();
		try {
			for (const seed of seeds) {
				const outcome = await playKill(planOf(seed), lane);
				outcomes.push(outcome);
				told(outcome);
			}
		} finally {
			await lane.end();
		}
	};
	await Promise.all(Array.from({ length: Math.min(LANES, kills) }, inOneLane));
	return outcomes;
}

export const killWords = ({ plan: { seed, way, before }, places, failures, trouble, tookMs }: KillOutcome): string =>
	[
		`${trouble === '' ? 'survived' : 'LOST    '} seed ${seed}, ${way.name}${before === 'nothing' ? '' : `, retried after ${before}`}: killed ${places.join(', then ')} (${Math.round(tookMs)} ms)`,
		...failures.map((failure) => `  said on the way: ${failure}`),
		...(trouble === '' ? [] : [`  ${trouble}`, `  Again: npm run test:histories -- --kills 1 --seed ${seed}`]),
	].join('\n');
