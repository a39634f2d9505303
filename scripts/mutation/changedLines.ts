import { execFileSync } from 'node:child_process';

const HUNK = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/;
/** A longer change is mutated in pieces, of which `spreadOver` can choose some. */
const LONGEST_RANGE = 20;
const MOST_MODULES = 3;

/** Lines of a file, both ends included. */
export interface LineRange {
	file: string;
	first: number;
	last: number;
}

/**
 * @param since a commit.
 * @param globs of the files that count.
 * @returns the lines that were added or changed since then.
 */
export function changedLines(since: string, globs: readonly string[]): LineRange[] {
	const paths = globs.map((glob) => `:(glob)${glob}`);
	const diff = execFileSync('git', ['diff', '--unified=0', '--diff-filter=AMR', since, '--', ...paths], {
		encoding: 'utf8',
		maxBuffer: 1 << 28,
	});
	const ranges: LineRange[] = [];
	let file = '';
	for (const text of diff.split('\n')) {
		if (text.startsWith('+++ b/')) file = text.slice('+++ b/'.length);
		const [, start, count = '1'] = HUNK.exec(text) ?? [];
		const end = Number(start) + Number(count);
		for (let first = Number(start); first < end; first += LONGEST_RANGE)
			ranges.push({ file, first, last: Math.min(first + LONGEST_RANGE, end) - 1 });
	}
	return ranges;
}

const countLines = (ranges: readonly LineRange[]): number => ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);

/**
 * @returns about `mostLines` lines, evenly spread over the modules that changed most. Only these, because the suites of each
 * module must run once before its first mutant.
 */
export function spreadOver(ranges: ReadonlyMap<string, LineRange[]>, mostLines: number): Map<string, LineRange[]> {
	const chosen = [...ranges].sort(([, one], [, other]) => countLines(other) - countLines(one)).slice(0, MOST_MODULES);
	const step = Math.max(1, chosen.reduce((sum, [, all]) => sum + countLines(all), 0) / mostLines);
	let place = 0;
	return new Map(chosen.map(([name, all]) => [name, all.filter(() => Math.floor(place++ % step) === 0)]));
}
