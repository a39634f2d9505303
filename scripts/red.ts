/**
 * `npm run red`: breaks rules one by one and shows that their tests fail. With a commit, also takes the tests that closed
 * the rows of what new users met first to that commit, and shows that each of them fails there. Exit 0 only if all do.
 * `--only 'part'` breaks those rules alone whose words, file or promise hold it.
 */
import { parseArgs } from 'node:util';

import { MUTATIONS } from './red/mutations';
import type { Mutation } from './red/mutations/mutation';
import { namePattern, NOT_SHOWN, ROWS, rowsOf, sourcePattern } from './red/rows';
import { outcomesIn, suitesWith, type TestOutcome } from './red/suites';
import { resolveCommit, type Tree, treeOf } from './red/trees';

/** Where those rows were closed. Later tests drive nodes that an older product does not have, and would fail for that alone. */
const ROWS_CLOSED_AT = '1ca5787';

/** What tests stand on, beside the product. */
const TESTS = ['test', 'jest.config.js', 'tsconfig.test.json'];
const STAND_IN = ['sandbox', 'contract'];
const PRODUCT = ['client', 'nodes', 'credentials', 'scripts', 'package.json', 'README.md', 'docs', 'examples'];

/** One for each core of a small machine: a tree's Jest runs one suite. */
const TREES = 2;

const { values: chosen, positionals } = parseArgs({ options: { only: { type: 'string', multiple: true } }, allowPositionals: true });

const isChosen = ({ rule, file, promise = '' }: Mutation): boolean =>
	(chosen.only ?? ['']).some((part) => [rule, file, promise].some((text) => text.includes(part)));

const say = (text: string): void => console.log(text);

async function inTree<T>(commit: string, use: (tree: Tree) => Promise<T>): Promise<T> {
	const tree = treeOf(commit);
	try {
		return await use(tree);
	} finally {
		tree.remove();
	}
}

/** Before E2 the choice of an interface was a field of its own: the tests' harness puts it there as well. */
function asOfOld(tree: Tree): void {
	tree.replace(
		'test/nodes/support/engine.ts',
		'return { authentication: credential.type, ...parameters, options }',
		"return { authentication: credential.type, interface: options.interface ?? (credential.type === 'comfySelfHostedApi' ? 'automatic' : 'v2'), ...parameters, options }",
	);
}

/** Rows about the product run against the sandbox of their tests; rows about the sandbox against the one of then. */
async function testsAt(commit: string, letters: string, alsoTaken: string[]): Promise<TestOutcome[]> {
	return await inTree(commit, async (tree) => {
		tree.takeFrom(ROWS_CLOSED_AT, ...TESTS, ...alsoTaken);
		asOfOld(tree);
		const suites = suitesWith(tree.folder, sourcePattern(letters));
		const { tests, unloadable } = await outcomesIn(tree.folder, suites, namePattern(letters));
		for (const suite of unloadable) say(`  ${suite} needs what that commit does not have`);
		return [...tests, ...unloadable.flatMap((suite) => titlesIn(tree.folder, suite, letters))];
	});
}

/** Every row that a suite names, as one failing test each. */
const titlesIn = (folder: string, suite: string, letters: string): TestOutcome[] =>
	ROWS.filter(
		(row) =>
			letters.includes(row.charAt(0)) &&
			suitesWith(folder, new RegExp(String.raw`['"\`]([EWBDSPTX0-9, ]| and )*\b${row}\b[^'"\`]*: `)).includes(suite),
	).map((row) => ({ fullName: `${row}: ${suite}`, failed: true }));

async function withoutRule({ rule, file, from, to, suite, test }: Mutation, tree: Tree): Promise<TestOutcome[]> {
	const startedAt = performance.now();
	const mend = tree.replace(file, from, to);
	const { tests } = await outcomesIn(tree.folder, [suite], test.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
	mend();
	const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
	say(`  ${tests.length > 0 && tests.every(({ failed }) => failed) ? 'red  ' : 'GREEN'} without the rule: ${rule} (${seconds} s)`);
	return tests.length > 0 ? tests : [{ fullName: `${test} (no such test in ${suite})`, failed: false }];
}

/** Each is broken by itself, in several trees at once. */
async function brokenRules(): Promise<TestOutcome[]> {
	const rules = MUTATIONS.filter(isChosen).values();
	const inOneTree = async (tree: Tree): Promise<TestOutcome[]> => {
		tree.takeFromHere(...TESTS, ...STAND_IN, ...PRODUCT);
		const outcomes: TestOutcome[] = [];
		for (const mutation of rules) outcomes.push(...(await withoutRule(mutation, tree)));
		return outcomes;
	};
	return (await Promise.all(Array.from({ length: TREES }, async () => await inTree('HEAD', inOneTree)))).flat();
}

function reportRows(outcomes: TestOutcome[]): number {
	for (const row of ROWS) {
		const own = outcomes.filter(({ fullName }) => rowsOf(fullName).includes(row));
		const red = own.filter(({ failed }) => failed).length;
		if (own.length > 0) say(`${row.padEnd(4)} ${red} of ${own.length} red`);
		else say(`${row.padEnd(4)} ${NOT_SHOWN[row] === undefined ? 'HAS NO TEST' : `not shown: ${NOT_SHOWN[row]}`}`);
	}
	const untested = ROWS.filter((row) => NOT_SHOWN[row] === undefined && !outcomes.some(({ fullName }) => rowsOf(fullName).includes(row)));
	say(`${untested.length} rows without a test, ${Object.keys(NOT_SHOWN).length} not shown`);
	return untested.length;
}

function report(outcomes: TestOutcome[]): number {
	const green = outcomes.filter(({ failed }) => !failed);
	for (const { fullName } of green) say(`GREEN ${fullName}`);
	say(`\n${outcomes.length - green.length} tests red, ${green.length} not`);
	return green.length;
}

async function rowsAt(commit: string): Promise<TestOutcome[]> {
	say(`Rows of the product, at ${commit.slice(0, 7)}, with the tests and sandbox that closed them`);
	const product = await testsAt(commit, 'EWBDSP', STAND_IN);
	say(`Rows of the sandbox, at ${commit.slice(0, 7)}, with the tests that closed them`);
	return [...product, ...(await testsAt(commit, 'X', []))];
}

async function main(commitName: string | undefined): Promise<number> {
	say('Rules, each broken in today’s code');
	const rules = await brokenRules();
	if (commitName === undefined) return report(rules);
	const rows = await rowsAt(resolveCommit(commitName));
	const untested = reportRows([...rows, ...rules]);
	return untested + report([...rows, ...rules]);
}

void main(positionals[0]).then(
	(faults) => process.exit(faults === 0 ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : String(error));
		process.exit(1);
	},
);
