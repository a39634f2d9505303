/**
 * `npm run house`: compares the sources with their plan (`architecture/layers.ts`) and with the limits on their sizes
 * (`architecture/sizes.ts`). Exits with 1 if they differ. `--list` names the files and types that each size counts.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ALLOWED_NAMES } from './architecture/allowed';
import { PLANS } from './architecture/layers';
import { findSizeFaults, measureSizes, SIZE_LIMITS, type SizeName, withoutAllowed } from './architecture/sizes';
import { findArchitectureFaults, type Survey, surveyArchitecture } from './architecture/survey';

const { list } = parseArgs({ options: { list: { type: 'boolean', default: false } } }).values;

const print = (text: string): void => console.log(text);

function printSurvey({ part, files, medianLines, largest, upward, circles, repeatedNames }: Survey): void {
	print(`${part}/`);
	print(`  files                    ${files}, median ${medianLines} lines, largest ${largest.lines} (${largest.file})`);
	print(`  upward imports           ${upward.length}`);
	print(`  circles                  ${circles.length}`);
	print(`  exported from two files  ${repeatedNames.length}`);
	for (const { name, files: exporters } of repeatedNames) {
		const reason = ALLOWED_NAMES[part]?.[name];
		if (reason !== undefined) print(`    ${name}: ${exporters.length} files; ${reason}`);
	}
}

function printSize(name: SizeName, found: string[]): void {
	print(`  ${name.padEnd(42)} ${found.length}, limit ${SIZE_LIMITS[name]}`);
	if (list) for (const line of found) print(`    ${line}`);
}

const root = join(__dirname, '..');
const surveys = surveyArchitecture(root, PLANS);
surveys.forEach(printSurvey);
const sizes = measureSizes(root);
print('sizes of client/ and nodes/ together; files above 300 lines also in sandbox/, scripts/ and test/');
for (const [name, found] of Object.entries(withoutAllowed(sizes)) as Array<[SizeName, string[]]>) printSize(name, found);
const faults = [...findArchitectureFaults(surveys, ALLOWED_NAMES), ...findSizeFaults(sizes)];
print(faults.length === 0 ? '\nAll as planned' : `\n${faults.length} not as planned:\n  ${faults.join('\n  ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
