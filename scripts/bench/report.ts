import { cpus, loadavg, totalmem, type as systemName } from 'node:os';

import type { Result } from './contest';
import { type Measure, type Scale, shownNumber, type Topic } from './topics';

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

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly string[][]): string =>
	[row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const timeOf = (ms: number): string => (ms >= 10_000 ? `${shownNumber(ms / 1_000)} s` : `${shownNumber(ms)} ms`);

function cellsOf({ times, shown = {} }: Topic, result: Result, [first]: readonly Result[]): string[] {
	const ratio = first === undefined || first === result ? '–' : shownNumber(first.ratios[result.name] ?? NaN);
	return [
		result.name,
		...(times === 'given' ? [] : [timeOf(result.ms)]),
		...(times === 'compared' ? [ratio] : []),
		result.name === 'curl' ? '–' : `${Math.round(result.peakMib)} MiB`,
		...Object.values(shown).map((show) => show(result.facts)),
	];
}

function sectionOf({ topic, measures }: Measured): string {
	const { title, how, means, times, shown = {} } = topic;
	const first = measures[0]?.results[0]?.name ?? '';
	const head = [
		'',
		...(times === 'given' ? [] : ['time']),
		...(times === 'compared' ? [`time of ${first} ÷ this`] : []),
		'memory',
		...Object.keys(shown),
	];
	const tables = measures.map(({ size, results }) =>
		table(
			[size, ...head.slice(1)],
			results.map((result) => cellsOf(topic, result, results)),
		),
	);
	return [`## ${title}`, how, `**What it means:** ${means}`, ...tables].join('\n\n');
}

function introduction({ processors, memoryGib, node, system, load }: Machine, { command, scale: { sizes } }: Asked): string {
	const busy =
		load > 1
			? ` **Other work kept the machine busy meanwhile** (a load of ${shownNumber(load)} when it began): times, and ratios of times, say little then, and whether a goal was reached in time says as little; requests, bytes, streams, memory and what was lost hold. Run it on a quiet machine for the rest.`
			: '';
	return `# How fast it is

This page is written by \`${command}\`, and holds what that run has measured. Each figure is taken beside others in the same run: the same work is done by this package, by [curl](https://curl.se), by the public client [@comfyorg/sdk](https://www.npmjs.com/package/@comfyorg/sdk), and by the least that has to be done in any case (hashing alone, a socket alone), in turn, A B C A B C; what stands here are the medians, and of ratios the median of each round's. **A ratio below 1 says that this package takes less time.**${sizes.length > 1 ? ' Each size is followed by a tenth and three times of it.' : ''}

Each takes part in a process of its own, warmed up by a small piece of the same work. *Memory* is the highest that was resident above what it was before, in any round; of curl, which is a program of its own, it is not measured. The other side is a server of raw sockets on the same machine, in a process of its own, so that neither a network nor a service is measured. Nodes run on n8n's real engine, which keeps its files on the disk; their time is what n8n itself says that the node took.

The machine: ${processors}, ${memoryGib} GiB of memory, ${system}, Node ${node}.${busy}`;
}

const AGAIN = `## Run it again

\`\`\`sh
npm ci
npm run bench
\`\`\`

It takes about half an hour on a quiet machine with two processors, needs 10 GB of free disk and curl, and writes this page again. \`npm run bench -- --quick\` measures less of everything, at one size, in some minutes; \`npm run bench -- upload download\` only what is named, and prints it. \`npm run bench -- --short\` is what CI runs: it fails where requests, streams, bytes or memory grow, which do not depend on the machine.`;

export interface Asked {
	command: string;
	scale: Scale;
}

/** The whole page. */
export function renderReport(measured: readonly Measured[], machine: Machine, asked: Asked): string {
	const goals = measured.flatMap(({ topic, measures }) => topic.goals(measures[0]?.results ?? [], asked.scale));
	const rows = goals.map(({ what, measured, most, unit }) => [
		...[what, `≤ ${most}${unit}`, `${shownNumber(measured)}${unit}`],
		measured <= most ? 'yes' : 'no',
	]);
	const held = `## What it is held to\n\nTimes of the nodes, or of the client where it says so, at the first size of each section.\n\n${table(['what', 'held to', 'measured', 'reached'], rows)}`;
	return `${[introduction(machine, asked), held, ...measured.map(sectionOf), AGAIN].join('\n\n')}\n`;
}
