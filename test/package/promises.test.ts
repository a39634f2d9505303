import { anchorOf, PROMISED, readPromises, writtenPromises } from '../../scripts/docs/promises';

const page = readPromises();

/** What a line links to. */
const linksOf = (line: string): string[] => [...line.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => String(target));

const lines = page
	.slice(0, page.indexOf('<!--'))
	.split('\n')
	.map((line) => ({ line, links: linksOf(line) }));
const isOfTest = (link: string): boolean => link.startsWith('../test/');
const isOfRed = (link: string): boolean => link.startsWith('#red-');

it('the page says what `npm run red` does; if not: npm run docs', () => {
	expect(page).toBe(writtenPromises(page));
});

it('each promise that has a test has what turns it red, and the other way round', () => {
	const without = lines.filter(({ links }) => links.some(isOfTest) !== links.some(isOfRed));
	expect(without.map(({ line }) => line)).toEqual([]);
	expect(lines.filter(({ links }) => links.some(isOfRed)).length).toBeGreaterThan(25);
});

it.each(PROMISED)('$rule: its test is one of those that the promise names', ({ promise, suite }) => {
	const promises = lines.filter(({ links }) => links.includes(`#${anchorOf(promise)}`));
	const tests = promises.flatMap(({ links }) => links.filter(isOfTest)).map((link) => link.slice('../'.length));
	expect(tests.filter((test) => suite === test || suite.startsWith(`${test}/`))).not.toEqual([]);
});

it('each bold promise of the first list has one', () => {
	const bold = lines.filter(({ line }) => line.startsWith('- **'));
	expect(bold.filter(({ links }) => !links.some(isOfRed)).map(({ line }) => line)).toEqual([]);
});
