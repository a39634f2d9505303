// What failed and how, then how many passed: who reads only the end of what the gate prints has all of it there.
const { existsSync, readFileSync, readdirSync } = require('node:fs');

const [, , folder] = process.argv;
const MOST_LINES = 120;
const MOST_LINES_OF_A_TEST = 24;
const WIDEST = 400;

const read = (file) => readFileSync(`${folder}/${file}`, 'utf8');
const readReport = (step) => (existsSync(`${folder}/${step}.json`) ? JSON.parse(read(`${step}.json`)) : {});

function readSteps() {
	const names = readdirSync(folder).flatMap((file) => (file.endsWith('.exit') ? [file.replace('.exit', '')] : []));
	return names.map((name) => {
		const [status, seconds] = read(`${name}.exit`).trim().split(' ');
		return { name, endedWell: status === '0', seconds: Number(seconds), report: readReport(name) };
	});
}

const isFailed = ({ status }) => status === 'failed';

function linesOfSuite({ name, message, assertionResults }) {
	const tests = assertionResults.filter(isFailed);
	const firstOf = (text) => text.split('\n').slice(0, MOST_LINES_OF_A_TEST);
	if (tests.length === 0) return [name, ...firstOf(message)];
	return [name, ...tests.flatMap(({ fullName, failureMessages }) => [`● ${fullName}`, ...firstOf(failureMessages.join('\n'))])];
}

function linesOfLog(lines) {
	const isTelling = (line) => /✗|Again:|rror:/.test(line);
	const told = lines.flatMap((line, at) => (isTelling(line) ? lines.slice(Math.max(0, at - 4), at + 2) : []));
	return [...told, ...lines.slice(-8)];
}

const linesOf = ({ name, report: { testResults } }) =>
	testResults === undefined ? linesOfLog(read(`${name}.log`).split('\n')) : testResults.filter(isFailed).flatMap(linesOfSuite);

const steps = readSteps();
for (const step of steps.filter(({ endedWell }) => !endedWell)) {
	console.log(`\n== ${step.name} failed:`);
	for (const line of linesOf(step).slice(0, MOST_LINES)) console.log(line.slice(0, WIDEST));
}

let passed = 0;
let failed = 0;
console.log('\nStep         Seconds  Passed  Failed');
for (const { name, endedWell, seconds, report } of steps) {
	const failures = endedWell ? 0 : Math.max(1, report.numFailedTests ?? 0);
	const columns = [seconds, report.numPassedTests ?? '', failures].map((value) => String(value).padStart(7));
	console.log(`${name.padEnd(12)} ${columns.join(' ')}`);
	passed += report.numPassedTests ?? 0;
	failed += failures;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
