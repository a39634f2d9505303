/**
 * `npm run bench`: measures the speed of the package and of other clients, and writes docs/development/benchmarks.md and the summary
 * in docs/speed.md. `-- --short` checks what does not depend on the machine.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outcomeOf } from '../client';
import { describeMachine, findMissedGoals, type Measured, renderReport, renderSummary } from './bench/report';
import { type Check, isWithinLimit, SHORT, shortChecks } from './bench/short';
import { FULL, type Measure, QUICK, type Scale, type Topic } from './bench/topic';
import { TOPICS } from './bench/topics';
import { projectRoot } from './n8nHost/environment';

const REPORT = 'docs/development/benchmarks.md';
const SPEED = 'docs/speed.md';

const USAGE = `Usage: npm run bench -- [--quick] [${TOPICS.map(({ name }) => name).join('|')}]…
       npm run bench -- --short [--report FILE]
  --quick        measures less
  --short        checks only what does not depend on the machine, and fails if it grows
  --report FILE  writes how many checks passed and failed, in the format of Jest
With names, the results are printed, and the command fails if a goal is not reached. Without names, all results are written to ${REPORT} and ${SPEED}.`;

async function measureSizes(topic: Topic, scale: Scale): Promise<Measure[]> {
	const measures: Measure[] = [];
	for (const times of scale.sizes) measures.push(await topic.measure(scale, times));
	return measures;
}

async function writeReport(names: readonly string[], isQuick: boolean): Promise<void> {
	const startedAt = performance.now();
	const machine = describeMachine();
	const scale = isQuick ? QUICK : FULL;
	const measured: Measured[] = [];
	for (const topic of TOPICS.filter(({ name }) => names.length === 0 || names.includes(name))) {
		const since = performance.now();
		const measures = await outcomeOf(measureSizes(topic, scale));
		if (!measures.ok) {
			// The other topics have taken minutes, so they are kept.
			console.error(`${topic.title}: not measured`, measures.error);
			process.exitCode = 1;
			continue;
		}
		measured.push({ topic, measures: measures.value });
		console.log(`${topic.title}: ${Math.round((performance.now() - since) / 1_000)} s`);
	}
	const text = renderReport(measured, machine, { command: isQuick ? 'npm run bench -- --quick' : 'npm run bench', scale });
	if (names.length > 0) {
		console.log(text);
		if (findMissedGoals(measured, scale).length > 0) process.exitCode = 1;
		return;
	}
	const speed = join(projectRoot, SPEED);
	await writeFile(join(projectRoot, REPORT), text);
	await writeFile(speed, renderSummary(await readFile(speed, 'utf8'), measured));
	console.log(`${REPORT} and ${SPEED} are written, after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

async function runShort(report: string | undefined): Promise<void> {
	const startedAt = performance.now();
	const checks = await shortChecks(SHORT);
	const failed = checks.filter((check) => !isWithinLimit(check));
	console.table(Object.fromEntries(checks.map((check) => [check.what, shownCheck(check)])));
	console.log(
		`${checks.length - failed.length} kept, ${failed.length} not, after ${Math.round((performance.now() - startedAt) / 1_000)} s`,
	);
	if (report !== undefined)
		await writeFile(report, JSON.stringify({ numPassedTests: checks.length - failed.length, numFailedTests: failed.length }));
	if (failed.length > 0) process.exitCode = 1;
}

const shownCheck = (check: Check) => ({
	measured: Math.round(check.measured * 100) / 100,
	'at most': check.most,
	'': isWithinLimit(check) ? '' : 'too much',
});

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { quick: { type: 'boolean' }, short: { type: 'boolean' }, report: { type: 'string' }, help: { type: 'boolean' } },
	});
	const isUnknown = positionals.some((name) => !TOPICS.some((topic) => topic.name === name));
	if (values.help || isUnknown) {
		console.log(USAGE);
		process.exitCode = isUnknown ? 2 : 0;
		return;
	}
	if (values.short) await runShort(values.report);
	else await writeReport(positionals, values.quick ?? false);
}

void main();
