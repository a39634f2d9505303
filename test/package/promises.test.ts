import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainText, readPromises, readPromiseTests, renderPromiseTests, TESTED } from '../../scripts/docs/promisedTests';
import { type NamedTest, TESTS } from '../../scripts/docs/testsOfPromises';

const root = join(__dirname, '../..');
const markdown = readPromises();
const text = plainText(markdown);
const promises = Object.keys(TESTS);

it('the page of tests lists the tests of each guarantee as the data file names them; if not: npm run docs', () => {
	expect(readPromiseTests()).toBe(renderPromiseTests(readPromiseTests()));
});

it.each(TESTED)('"%s" has tests, and they exist', (_sentence, tests) => {
	const isMissing = ([file, test]: NamedTest): boolean => {
		const source = readFileSync(join(root, file), 'utf8');
		return !["'", '"', '`'].some((quote) => source.includes(`${quote}${test}${quote}`));
	};
	expect(tests.length).toBeGreaterThan(0);
	expect(tests.filter(isMissing)).toEqual([]);
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
