/** The tests of what the documents promise, as docs/development/promise-tests.md lists them. */
import { basename } from 'node:path';
import { readDocument, replaceAfter, writeDocument } from './document';
import { BEHAVIOUR } from './testsOfBehaviour';
import { type NamedTest, TESTS } from './testsOfPromises';

/** All sentences that have tests: the guarantees in docs/promises.md, and what the nodes do and the interfaces say. */
export const TESTED: ReadonlyArray<readonly [sentence: string, tests: readonly NamedTest[]]> = [
	...Object.entries(TESTS),
	...Object.values(BEHAVIOUR).flatMap((sentences) => Object.entries(sentences)),
];

const PROMISES = 'docs/promises.md';
const PROMISE_TESTS = 'docs/development/promise-tests.md';
const BEGIN = '<!-- `npm run docs` writes the rest of this page from scripts/docs/promisedTests.ts. -->';
const HEAD = ['| Section or subject | What holds | Tests |', '|---|---|---|'];

/** Returns Markdown without emphasis and targets of links. */
export const plainText = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('*', '');

/** Returns the last heading before the guarantee, as a link. */
function sectionOf(promise: string, text: string): string {
	const before = text.slice(0, text.indexOf(promise));
	const heading = [...before.matchAll(/^##+ (.*)$/gm)].at(-1)?.[1] ?? '';
	const anchor = heading
		.toLowerCase()
		.replaceAll(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');
	return `[${heading}](../promises.md#${anchor})`;
}

/** Escapes what Markdown would read as markup in the cell of a table. */
const escapeCell = (title: string): string => title.replace(/[|*_<>`$]/g, (sign) => `\\${sign}`);

const row = (subject: string, sentence: string, tests: readonly NamedTest[]): string => {
	const links = tests.map(([file, test]) => `[${basename(file)}](../../${file}): “${escapeCell(test)}”`);
	return `| ${[subject, escapeCell(sentence), links.join('<br>')].join(' | ')} |`;
};

/** Returns the page of tests as it should be: its own text, the tests of each guarantee in the order of docs/promises.md, and those of the behaviour. */
export function renderPromiseTests(page: string): string {
	const text = plainText(readPromises());
	const promises = Object.keys(TESTS).sort((one, other) => text.indexOf(one) - text.indexOf(other));
	const rows = [
		...promises.map((promise) => row(sectionOf(promise, text), promise, TESTS[promise] ?? [])),
		...Object.entries(BEHAVIOUR).flatMap(([subject, sentences]) =>
			Object.entries(sentences).map(([sentence, tests]) => row(subject, sentence, tests)),
		),
	];
	return replaceAfter(BEGIN, page, [...HEAD, ...rows].join('\n'));
}

export const readPromises = (): string => readDocument(PROMISES);
export const readPromiseTests = (): string => readDocument(PROMISE_TESTS);

export function updatePromiseTests(): void {
	writeDocument(PROMISE_TESTS, renderPromiseTests(readPromiseTests()));
}
