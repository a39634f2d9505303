/** Compares the versions that were tested with the newest versions. */

/** A row of docs/development/tested-versions.md. */
export interface Tested {
	software: string;
	/** At least one, in any order. */
	versions: string[];
	/** `yyyy-mm-dd` of the last run. */
	date: string;
	how: string;
}

/** The newest version, or why it could not be found. */
export type Newest = { version: string } | { problem: string };

type Verdict = 'current' | 'old' | 'could not be found';

export interface Comparison {
	software: string;
	tested: string[];
	newest: Newest;
	verdict: Verdict;
	/** What tests the newest version. */
	command: string;
}

const VERSION = /^\d+(\.\d+)*$/;

/** @throws Error with the line of the table that cannot be read. */
export function readTestedVersions(page: string): Tested[] {
	const lines = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Software '));
	const rows = lines.map((line) => {
		const [software = '', versions = '', date = '', how = ''] = line.slice(2, -2).split(' | ');
		const row = { software, versions: versions.split(', '), date, how };
		if (!row.versions.every((version) => VERSION.test(version)) || !/^\d{4}-\d\d-\d\d$/.test(date) || how === '')
			throw new Error(`This row of the tested versions needs versions, a date and a command: ${line}`);
		return row;
	});
	if (rows.length === 0) throw new Error('The page of the tested versions contains no row');
	return rows;
}

/** Orders versions by their numbers: 2.9 comes before 2.10, and 2.1 equals 2.1.0. Negative if the first version is older. */
export function compareVersions(one: string, other: string): number {
	const [left, right] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]];
	for (let index = 0; index < Math.max(left.length, right.length); index++) {
		const difference = (left[index] ?? 0) - (right[index] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}

/** The newest of these versions or tags (`v0.3.75`), without previews such as `1.0.0-rc1`. */
export const findNewest = (versions: string[]): string | undefined =>
	versions
		.map((version) => version.replace(/^v/, ''))
		.filter((version) => VERSION.test(version))
		.sort(compareVersions)
		.at(-1);

export function compareWithNewest({ software, versions }: Tested, newest: Newest, command: string): Comparison {
	const comparison = { software, tested: versions.toSorted(compareVersions), newest, command };
	if ('problem' in newest) return { ...comparison, verdict: 'could not be found' };
	const isOld = versions.every((version) => compareVersions(version, newest.version) < 0);
	return { ...comparison, verdict: isOld ? 'old' : 'current' };
}

const HEADINGS = ['Software', 'Tested with', 'Newest', 'Result', 'To test the newest version'];

/** A table for the terminal, then the reason for each version that could not be found. */
export function describeComparisons(comparisons: Comparison[]): string {
	const rows = comparisons.map(({ software, tested, newest, verdict, command }) => [
		software,
		tested.join(', '),
		'version' in newest ? newest.version : '?',
		verdict,
		verdict === 'old' ? command : '',
	]);
	const widths = HEADINGS.map((heading, column) =>
		Math.max(...[heading, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
	);
	const table = [HEADINGS, ...rows].map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	);
	const problems = comparisons.flatMap(({ software, newest }) =>
		'problem' in newest ? [`The newest version of ${software} could not be found: ${newest.problem}`] : [],
	);
	return [...table, ...problems].join('\n');
}

/** With `strict`, 1 if a tested version is old. A version that could not be found is no failure. */
export const exitCodeOf = (comparisons: Comparison[], strict: boolean): number =>
	strict && comparisons.some(({ verdict }) => verdict === 'old') ? 1 : 0;
