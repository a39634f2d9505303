import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MUTATIONS } from '../../scripts/red/mutations';

const root = join(__dirname, '../..');

test.each(MUTATIONS)('can be broken: $rule', ({ file, from, suite, test: name }) => {
	const source = readFileSync(join(root, file), 'utf8');
	expect(source.split(from)).toHaveLength(2);
	expect(existsSync(join(root, suite))).toBe(true);
	expect(name).not.toBe('');
});
