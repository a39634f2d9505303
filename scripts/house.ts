/** `npm run house`: whether the sources stand as planned (`house/floors.ts`). Exit 0 only if they do. */
import { join } from 'node:path';

import { ALLOWED } from './house/allowed';
import { PLANS } from './house/floors';
import { faultsIn, type Survey, surveyHouse } from './house/survey';

const say = (text: string): void => console.log(text);

function tell({ part, files, medianLines, largest, upward, circles, namesakes }: Survey): void {
	say(`${part}/`);
	say(`  files                    ${files}, median ${medianLines} lines, largest ${largest.lines} (${largest.file})`);
	say(`  upward imports           ${upward.length}`);
	say(`  circles                  ${circles.length}`);
	say(`  exported from two files  ${namesakes.length}`);
	for (const { name, files: exporters } of namesakes) {
		const reason = ALLOWED[part]?.[name];
		if (reason !== undefined) say(`    ${name}: ${exporters.length} files; ${reason}`);
	}
}

const surveys = surveyHouse(join(__dirname, '..'), PLANS);
surveys.forEach(tell);
const faults = faultsIn(surveys, ALLOWED);
say(faults.length === 0 ? '\nAll as planned' : `\n${faults.length} not as planned:\n  ${faults.join('\n  ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
