/** What a run prints on the console, as ComfyUI does. */
import type { Job } from './job';

/** Codes of a terminal, as custom nodes print them. */
const RED = '\u001b[31m';
const PLAIN = '\u001b[0m';

/** The lines about a job, each with its line break. Empty while the job waits. */
export function linesOf({ startedAt, completedAt, error, isTerminal }: Job): string[] {
	if (startedAt === null) return [];
	const failure = error === null ? [] : [`${RED}!!! Exception during processing !!!${PLAIN} ${error.message}\n`, ...error.traceback];
	const seconds = ((completedAt ?? startedAt) - startedAt) / 1000;
	return [
		'got prompt\n',
		'\r 50%|#####     | 1/2\r100%|##########| 2/2\n',
		...failure,
		...(isTerminal ? [`Prompt executed in ${seconds.toFixed(2)} seconds\n`] : []),
	];
}
