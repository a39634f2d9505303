/** Writes docs/development/benchmarks.md, and the summary in docs/speed.md. */
import { cpus, loadavg, totalmem, type as systemName } from 'node:os';
import type { Result } from './contest';
import { type Goal, type Measure, renderTable, resultOf, type Scale, shownMemory, shownNumber, shownTime, type Topic } from './topic';

interface Machine {
	processors: string;
	memoryGib: number;
	node: string;
	system: string;
	/** Load average of the machine when the run began. */
	load: number;
}

export const describeMachine = (): Machine => ({
	processors: `${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'})`,
	memoryGib: Math.round(totalmem() / 1024 ** 3),
	node: process.version,
	system: systemName(),
	load: loadavg()[0] ?? 0,
});

export interface Measured {
	topic: Topic;
	measures: Measure[];
}

function cellsOf({ times, shown = {} }: Topic, result: Result, [first]: readonly Result[]): string[] {
	const ratio = first === undefined || first === result ? '–' : shownNumber(first.ratios[result.name] ?? NaN);
	return [
		result.name,
		...(times === 'given' ? [] : [shownTime(result.ms)]),
		...(times === 'compared' ? [ratio] : []),
		shownMemory(result),
		...Object.values(shown).map((show) => show(result.facts)),
	];
}

function sectionOf({ topic, measures }: Measured): string {
	const { title, how, means, times, shown = {} } = topic;
	const first = measures[0]?.results[0]?.name ?? '';
	const head = [
		...(times === 'given' ? [] : ['time']),
		...(times === 'compared' ? [`time of ${first} ÷ this time`] : []),
		'memory',
		...Object.keys(shown),
	];
	const tables = measures.map(({ size, results }) =>
		renderTable(
			[size, ...head],
			results.map((result) => cellsOf(topic, result, results)),
		),
	);
	return [`## ${title}`, how, `**Result:** ${means}`, ...tables].join('\n\n');
}

function introduction({ processors, memoryGib, node, system, load }: Machine, { command, scale: { sizes } }: Asked): string {
	const busy =
		load > 1
			? `\n\n**Other programs used the machine during the run** (load average ${shownNumber(load)} at the start). Times and ratios of times are therefore not reliable. Memory and the numbers of requests, bytes, streams and messages are reliable. For reliable times, repeat the run on a quiet machine.`
			: '';
	return `# Benchmarks

\`${command}\` writes this page and the summary in [Speed](../speed.md). The topics are in [topics.ts](../../scripts/bench/topics.ts).

## Method

The same work is done by this package, by [curl](https://curl.se), by the public client [@comfyorg/sdk](https://www.npmjs.com/package/@comfyorg/sdk), and by a minimal program that does only the necessary part. They take turns in several rounds. The tables contain medians of the rounds. **A ratio below 1 means that this package is faster.**${sizes.length > 1 ? ' Each topic is also measured at a tenth and at three times the size.' : ''}

- Each program runs in a separate process and does a small piece of the same work first.
- *Memory* is the largest increase of resident memory in any round. It is not measured for curl.
- The server is a minimal program in a separate process on the same machine. The results contain no delays of a network or a real service.
- Nodes run on n8n's own engine, which stores files on the disk. Their time is the time that n8n reports for the node.

Machine: ${processors}, ${memoryGib} GiB of memory, ${system}, Node ${node}.${busy}`;
}

const REPEAT = `## Repeat the benchmark

\`\`\`sh
npm ci
npm run bench
\`\`\`

The benchmark needs curl, 10 GB of free disk space and about half an hour on a quiet machine with two processors.

- \`npm run bench -- --quick\` measures less, at one size, in some minutes.
- \`npm run bench -- upload download\` measures only these topics and prints the result.
- \`npm run bench -- --short\` runs in CI. It fails if the numbers of requests, streams, bytes or the memory grow, because these do not depend on the machine.`;

export interface Asked {
	command: string;
	scale: Scale;
}

const listGoals = (measured: readonly Measured[], scale: Scale): Goal[] =>
	measured.flatMap(({ topic, measures }) => topic.goals(measures[0]?.results ?? [], scale));

const isReached = ({ measured, most }: Goal): boolean => measured <= most;

/** Returns the goals that were not reached. */
export const findMissedGoals = (measured: readonly Measured[], scale: Scale): Goal[] =>
	listGoals(measured, scale).filter((goal) => !isReached(goal));

/** Returns docs/development/benchmarks.md. */
export function renderReport(measured: readonly Measured[], machine: Machine, asked: Asked): string {
	const rows = listGoals(measured, asked.scale).map((goal) => [
		...[goal.what, `${goal.most}${goal.unit}`, `${shownNumber(goal.measured)}${goal.unit}`],
		isReached(goal) ? 'yes' : 'no',
	]);
	const goalTable = renderTable(['Value', 'Goal (at most)', 'Measured', 'Reached'], rows);
	const goalText = `## Goals\n\nThe values are measured at the first size of each section.\n\n${goalTable}`;
	return `${[introduction(machine, asked), goalText, ...measured.map(sectionOf), REPEAT].join('\n\n')}\n`;
}

const BEGIN = '<!-- `npm run bench` writes this table. -->';
const END = '<!-- End of the table. -->';

/** Returns docs/speed.md with a new summary. */
export function renderSummary(page: string, measured: readonly Measured[]): string {
	const [before, rest] = page.split(BEGIN);
	const after = rest?.split(END)[1];
	if (before === undefined || after === undefined) throw new Error('docs/speed.md has no place for the summary');
	const rows = measured.map(({ topic: { summary, means }, measures: [first] }) => {
		const { size = '', results = [] } = first ?? {};
		const show = (name: string): string => summary.show(resultOf(results, name));
		return [`${summary.task} (${size})`, show(summary.own), `${summary.other}: ${show(summary.other)}`, means];
	});
	const table = renderTable(['Task', 'This package', 'For comparison', 'What it means'], rows);
	return [before, BEGIN, `\n\n${table}\n\n`, END, after].join('');
}
