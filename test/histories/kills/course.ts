import type { Moment } from './wire';

/** Where in its course a run is killed. */
export const STAGES = ['before sending', 'while the submission is on its way', 'while waiting', 'while downloading'] as const;
export type Stage = (typeof STAGES)[number];

/** Between two moments of the wire, the first of which is the so-manieth; none comes before the gap of number 0. */
export interface Gap {
	nth: number;
	stage: Stage;
	ms: number;
}

const FILE = /\/blobs\/|\/view$|\/content$/;

/** The course of a run, as an undisturbed one went. */
export function gapsOf(
	submits: (request: string) => boolean,
	{ from, moments, to }: { from: number; moments: Moment[]; to: number },
): Gap[] {
	let [sent, open, fetched] = [false, 0, false];
	const times = [from, ...moments.map(({ at }) => at), to];
	const stageAfter = (moment: Moment | undefined): Stage => {
		if (moment !== undefined && submits(moment.request)) {
			sent = true;
			open += moment.phase === 'came in' ? 1 : -1;
		}
		fetched ||= moment !== undefined && FILE.test(moment.request);
		if (!sent) return 'before sending';
		if (open > 0) return 'while the submission is on its way';
		return fetched ? 'while downloading' : 'while waiting';
	};
	return [undefined, ...moments].map((moment, nth) => ({
		nth,
		stage: stageAfter(moment),
		ms: (times[nth + 1] ?? to) - (times[nth] ?? from),
	}));
}
