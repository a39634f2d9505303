/**
 * `npm run bench`: measures the speed of the package and of other clients, and prints a table for each topic, as in
 * docs/development/benchmarks.md. `-- --short` checks what does not depend on the machine.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { outcomeOf } from '../client';
import { renderTable, type Topic, TOPICS } from './bench/topics';
import { isWithinLimit, shortChecks } from './bench/short';

const USAGE = `Usage: npm run bench -- [${TOPICS.map(({ name }) => name).join('|')}]…
       npm run bench -- --short [--report FILE]
  --short        checks only what does not depend on the machine, and fails if it grows
  --report FILE  writes how many checks passed and failed, in the format of Jest
With names, only these topics are measured.`;

async function runTopics(topics: readonly Topic[]): Promise<void> {
	for (const topic of topics) {
		const measured = await outcomeOf(topic.measure());
		if (measured.ok) console.log(`\n## ${topic.title}\n\n${renderTable(topic, measured.value)}`);
		else {
			// The other topics have taken minutes, so they are kept.
			console.error(`${topic.title}: not measured`, measured.error);
			process.exitCode = 1;
		}
	}
}

async function runShort(report: string | undefined): Promise<void> {
	const checks = await shortChecks();
	const failed = checks.filter((check) => !isWithinLimit(check));
	for (const check of checks) {
		const measured = Math.round(check.measured * 100) / 100;
		console.log(`${isWithinLimit(check) ? '✓' : '✗'} ${check.what}: ${measured}, at most ${check.most}`);
	}
	console.log(`${checks.length - failed.length} kept, ${failed.length} not, after ${Math.round(performance.now() / 1_000)} s`);
	if (report !== undefined)
		await writeFile(report, JSON.stringify({ numPassedTests: checks.length - failed.length, numFailedTests: failed.length }));
	if (failed.length > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
	const options = { short: { type: 'boolean' }, report: { type: 'string' }, help: { type: 'boolean' } } as const;
	const { values, positionals } = parseArgs({ allowPositionals: true, options });
	const isUnknown = positionals.some((name) => !TOPICS.some((topic) => topic.name === name));
	if (values.help || isUnknown) {
		console.log(USAGE);
		process.exitCode = isUnknown ? 2 : 0;
	} else if (values.short) await runShort(values.report);
	else await runTopics(TOPICS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));
}

void main();
