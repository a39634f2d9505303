import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainText, PROMISED_TESTS, readPromises, readPromiseTests, renderPromiseTests } from '../../scripts/docs/promisedTests';

const root = join(__dirname, '../..');
const markdown = readPromises();
const text = plainText(markdown);
const promises = [...new Set(PROMISED_TESTS.map(({ promise }) => promise))];

it('the page of tests lists the tests of each guarantee as the data file names them; if not: npm run docs', () => {
	expect(readPromiseTests()).toBe(renderPromiseTests(readPromiseTests()));
});

it.each(PROMISED_TESTS)('the test of "$promise" exists: $test', ({ file, test }) => {
	const source = readFileSync(join(root, file), 'utf8');
	expect(["'", '"', '`'].filter((quote) => source.includes(`${quote}${test}${quote}`))).not.toEqual([]);
});

it('the page of guarantees states each guarantee that has tests, in a whole sentence', () => {
	expect(promises.filter((promise) => !text.includes(promise))).toEqual([]);
	expect(promises.filter((promise) => !/^[A-Zn].*\.$/.test(promise))).toEqual([]);
	expect(promises.length).toBeGreaterThan(25);
});

it('each guarantee in bold in the page of guarantees has tests', () => {
	const lines = text.split('\n').filter((_line, index) => markdown.split('\n')[index]?.startsWith('- **'));
	expect(lines.length).toBeGreaterThan(12);
	expect(lines.filter((line) => !promises.some((promise) => line.includes(promise)))).toEqual([]);
});

it('the page of guarantees links to the page of tests', () => {
	expect(markdown).toContain('](development/promise-tests.md)');
});
