/** `npm run bench`: how fast the package is, beside others, into docs/speed.md. `-- --short` holds what no machine changes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outcomeOf } from '../client';
import { type Measured, renderReport, describeMachine } from './bench/report';
import { type Check, isWithinLimit, SHORT, shortChecks } from './bench/short';
import { FULL, type Measure, QUICK, type Scale, type Topic, TOPICS } from './bench/topics';
import { projectRoot } from './n8nHost/environment';

const USAGE = `Usage: npm run bench -- [--quick] [${TOPICS.map(({ name }) => name).join('|')}]…
       npm run bench -- --short [--report FILE]
  --quick        less of everything
  --short        only what does not depend on the machine; fails where it has grown
  --report FILE  how many checks passed and failed, as Jest says it
Named topics are printed; without a name, all are written into docs/speed.md.`;

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
	if (names.length > 0) return console.log(text);
	await writeFile(join(projectRoot, 'docs/speed.md'), text);
	console.log(`docs/speed.md is written, after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
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
