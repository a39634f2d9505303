import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMissedGoals, type Measured, renderSummary } from '../../scripts/bench/report';
import { QUICK } from '../../scripts/bench/topic';
import { TOPICS } from '../../scripts/bench/topics';

const read = (file: string): string => readFileSync(join(__dirname, '../../docs', file), 'utf8');
const speed = read('speed.md');
const benchmarks = read('development/benchmarks.md');

const resultOf = (name: string, ms: number) => ({ name, ms, peakMib: 1, ratios: {}, facts: { requests: 7, p50: ms, perSecond: ms } });

const measured: Measured[] = TOPICS.map((topic) => ({
	topic,
	measures: [{ size: 'some size', results: [resultOf(topic.summary.own, 123), resultOf(topic.summary.other, 456)] }],
}));

it('a run replaces the table of docs/speed.md and keeps the text around it', () => {
	const next = renderSummary(speed, measured);
	const textOf = (page: string): string[] => page.split('\n').filter((line) => !line.startsWith('| '));
	expect(textOf(next)).toEqual(textOf(speed));
	for (const { summary } of TOPICS) expect(next).toMatch(new RegExp(`^\\| ${summary.task} \\(some size\\) \\| .*123.* \\| .*456`, 'm'));
});

it('a page without the markers of the table is rejected', () => {
	expect(() => renderSummary('# Speed\n', measured)).toThrow('docs/speed.md');
});

it('a value above its goal, or a value that was not measured, misses the goal', () => {
	const goalsOf = (...values: number[]): Measured[] =>
		measured.slice(0, 1).map(({ topic, measures }) => ({
			topic: { ...topic, goals: () => values.map((value) => ({ what: `${value}`, measured: value, most: 1.05, unit: '' })) },
			measures,
		}));
	expect(findMissedGoals(goalsOf(1, 1.05, 1.06, NaN), QUICK).map(({ what }) => what)).toEqual(['1.06', 'NaN']);
});

it.each(TOPICS)('the pages contain the current texts about "$title"', ({ title, how, means, summary }) => {
	expect(benchmarks).toContain(`## ${title}\n\n${how}\n\n**Result:** ${means}\n`);
	expect(speed).toMatch(new RegExp(`^\\| ${summary.task} \\(.*\\| ${means} \\|$`, 'm'));
});

it('each time and number in the summary stands in the results', () => {
	const table = speed.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Task') && !line.startsWith('| -'));
	expect(table).toHaveLength(TOPICS.length);
	const figures = table.flatMap(
		(row) =>
			row
				.split(' | ')
				.slice(1, 3)
				.join(' ')
				.match(/[\d.,]*\d (ms|s|MiB)\b|\d+,\d+(?= requests| messages)/g) ?? [],
	);
	expect(figures.length).toBeGreaterThan(15);
	expect(figures.filter((figure) => !benchmarks.includes(`| ${figure} |`))).toEqual([]);
});
