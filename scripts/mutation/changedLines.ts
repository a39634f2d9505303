import { execFileSync } from 'node:child_process';

const HUNK = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/;

/**
 * @param since a commit.
 * @param globs of the files that count.
 * @returns the lines that were added or changed since then, as ranges in Stryker's form: `file:first-last`.
 */
export function changedLines(since: string, globs: readonly string[]): string[] {
	const paths = globs.map((glob) => `:(glob)${glob}`);
	const diff = execFileSync('git', ['diff', '--unified=0', '--diff-filter=AM', since, '--', ...paths], {
		encoding: 'utf8',
		maxBuffer: 1 << 28,
	});
	const ranges: string[] = [];
	let file = '';
	for (const text of diff.split('\n')) {
		if (text.startsWith('+++ b/')) file = text.slice('+++ b/'.length);
		const [, first, count = '1'] = HUNK.exec(text) ?? [];
		if (first !== undefined && count !== '0') ranges.push(`${file}:${first}-${Number(first) + Number(count) - 1}`);
	}
	return ranges;
}
