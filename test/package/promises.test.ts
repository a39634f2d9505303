import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf, PROMISED_TESTS, readPromises, renderPromises } from '../../scripts/docs/promisedTests';

const root = join(__dirname, '../..');
const page = readPromises();
const text = page.slice(0, page.indexOf('<!--'));

it('the page lists the tests of each promise as the data file names them; if not: npm run docs', () => {
	expect(page).toBe(renderPromises(page));
});

it.each(PROMISED_TESTS)('the test of "$promise" exists: $test', ({ file, test }) => {
	const source = readFileSync(join(root, file), 'utf8');
	expect(["'", '"', '`'].filter((quote) => source.includes(`${quote}${test}${quote}`))).not.toEqual([]);
});

it('the text links to the tests of every promise, and only to promises with tests', () => {
	const linked = [...text.matchAll(/\]\(#(tests-[\w-]+)\)/g)].map(([, anchor]) => String(anchor));
	expect(new Set(linked)).toEqual(new Set(PROMISED_TESTS.map(({ promise }) => anchorOf(promise))));
	expect(new Set(linked).size).toBeGreaterThan(25);
});

it('each promise of the first list links to its tests', () => {
	const promises = text.split('\n').filter((line) => line.startsWith('- **'));
	expect(promises.length).toBeGreaterThan(12);
	expect(promises.filter((line) => !line.includes('(#tests-'))).toEqual([]);
});
