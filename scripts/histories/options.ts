import { parseArgs } from 'node:util';

export interface Options {
	/** Of all interfaces together; none where kills alone are asked for. */
	runs: number;
	/** Kills of a real process, one for each seed from `seed` on; none where histories alone are asked for. */
	kills: number;
	seed: number;
	/** Names of interfaces; all by default. */
	only: string[];
	/** Of one history, as it is printed with one that fails. */
	path: string | undefined;
	report: string | undefined;
}

/** The same in every run of CI, so that an unlucky draw refuses nobody's change; `--seed random` looks for more. */
const SEED = 20_260_115;
const RUNS = 5_000;
const KILLS = 20;
const MOST_SEED = 2 ** 31;

export function readOptions(args: string[]): Options {
	const { values } = parseArgs({
		args,
		options: {
			runs: { type: 'string' },
			kills: { type: 'string' },
			seed: { type: 'string' },
			only: { type: 'string', multiple: true },
			path: { type: 'string' },
			report: { type: 'string' },
		},
	});
	const { seed = SEED, only = [], path, report } = values;
	// Whoever asks for some of it gets no more than that.
	const hasChosen = [values.runs, values.kills, values.only, path].some((one) => one !== undefined);
	const { runs = values.kills === undefined ? RUNS : 0, kills = hasChosen ? 0 : KILLS } = values;
	return {
		runs: Number(runs),
		kills: Number(kills),
		seed: seed === 'random' ? Math.floor(Math.random() * MOST_SEED) : Number(seed),
		only,
		path,
		report,
	};
}
