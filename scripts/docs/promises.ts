import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';
import { PROMISED_TESTS } from './promisedTests';

const PROMISES = 'docs/promises.md';
const BEGIN = '<!-- `npm run docs` writes the rest of this page from scripts/docs/promisedTests.ts. -->';
const HEAD = ['## Tests', '', '| Promise | Tests |', '|---|---|'];

/** Where the tests of a promise are listed. */
export const anchorOf = (promise: string): string => `tests-${promise}`;

const wordsOf = (promise: string): string => promise.replaceAll('-', ' ');

/** A title as text of a table's cell: without what Markdown would read as markup. */
const textOf = (title: string): string => title.replace(/[|*_<>`$]/g, (sign) => `\\${sign}`);

function row(promise: string): string {
	const tests = PROMISED_TESTS.filter((one) => one.promise === promise);
	const links = tests.map(({ file, test }) => `[${basename(file)}](../${file}): “${textOf(test)}”`);
	return `| <a id="${anchorOf(promise)}"></a>${wordsOf(promise)} | ${links.join('<br>')} |`;
}

/** @returns the page as it should be: its own text, then the tests of each promise, in the order of the text. */
export function writtenPromises(page: string): string {
	const [own = ''] = page.split(BEGIN);
	const positionOf = (promise: string): number => own.indexOf(`(#${anchorOf(promise)})`);
	const promises = [...new Set(PROMISED_TESTS.map(({ promise }) => promise))];
	const rows = promises.sort((one, other) => positionOf(one) - positionOf(other)).map(row);
	return `${[own.trimEnd(), '', BEGIN, '', ...HEAD, ...rows].join('\n')}\n`;
}

export const readPromises = (): string => readFileSync(join(projectRoot, PROMISES), 'utf8');

export function updatePromises(): void {
	writeFileSync(join(projectRoot, PROMISES), writtenPromises(readPromises()));
}
