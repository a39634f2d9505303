import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Those who asked for this package look for these. */
it.each(['package.json', 'tsconfig.json', 'nodes', 'credentials', 'test', 'gulpfile.js', 'README.md', 'index.js'])(
	'%s stands at the top',
	(name) => expect(existsSync(join(__dirname, '../..', name))).toBe(true),
);
