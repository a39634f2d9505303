import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/n8nHost/environment';
import { EQUIVALENTS } from '../../scripts/mutation/equivalents';

/** An entry whose line was changed or moved no longer has an effect. */
test.each(EQUIVALENTS)('the mutated line is in $file: $line', ({ file, line }) => {
	const lines = readFileSync(join(projectRoot, file), 'utf8').split('\n');
	expect(lines.map((source) => source.trim())).toContain(line);
});
