/** The tests of the guarantees in docs/promises.md. docs/development/promise-tests.md lists them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from '../n8nHost/environment';
import { TESTS } from './testsOfPromises';

/** A test of a guarantee in docs/promises.md. */
interface PromisedTest {
	/** A sentence of the page, without markup. */
	promise: string;
	file: string;
	/** The test's title, or the label of its row in a table, exactly as the file writes it. */
	test: string;
}

export const PROMISED_TESTS: PromisedTest[] = Object.entries(TESTS).flatMap(([promise, tests]) =>
	tests.map(([file, test]) => ({ promise, file, test })),
);

const PROMISES = 'docs/promises.md';
const PROMISE_TESTS = 'docs/development/promise-tests.md';
const BEGIN = '<!-- `npm run docs` writes the rest of this page from scripts/docs/promisedTests.ts. -->';
const HEAD = ['| Section | Guarantee | Tests |', '|---|---|---|'];

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

function row(promise: string, text: string): string {
	const tests = PROMISED_TESTS.filter((one) => one.promise === promise);
	const links = tests.map(({ file, test }) => `[${basename(file)}](../../${file}): “${escapeCell(test)}”`);
	return `| ${[sectionOf(promise, text), escapeCell(promise), links.join('<br>')].join(' | ')} |`;
}

/** Returns the page of tests as it should be: its own text, then the tests of each guarantee in the order of docs/promises.md. */
export function renderPromiseTests(page: string): string {
	const [own = ''] = page.split(BEGIN);
	const text = plainText(readPromises());
	const promises = [...new Set(PROMISED_TESTS.map(({ promise }) => promise))];
	const rows = promises.sort((one, other) => text.indexOf(one) - text.indexOf(other)).map((promise) => row(promise, text));
	return `${[own.trimEnd(), '', BEGIN, '', ...HEAD, ...rows].join('\n')}\n`;
}

export const readPromises = (): string => readFileSync(join(projectRoot, PROMISES), 'utf8');
export const readPromiseTests = (): string => readFileSync(join(projectRoot, PROMISE_TESTS), 'utf8');

export function updatePromiseTests(): void {
	writeFileSync(join(projectRoot, PROMISE_TESTS), renderPromiseTests(readPromiseTests()));
}
