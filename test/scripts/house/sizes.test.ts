import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { findSizeFaults, measureSizes, withoutAllowed } from '../../../scripts/architecture/sizes';

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'sizes-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
}
const lines = (count: number, first = ''): string => `${first}\n`.padEnd(first.length + count, '\n');

const SHORT = 'files of 20 lines or fewer';
const ONE_IMPORTER = 'files of up to 40 lines with one importer';
const REPEATED = 'type names declared in two files';
const LONG = 'files above 300 lines';

it('counts files of 20 lines or fewer in client and nodes, without generated files', () => {
	write({
		'client/a.ts': lines(20),
		'client/b.ts': lines(21),
		'client/generated/v2.ts': lines(1),
		'nodes/c.ts': lines(1),
		'sandbox/d.ts': lines(1),
		'scripts/e.ts': lines(1),
	});
	expect(measureSizes(root)[SHORT]).toEqual(['client/a.ts (20)', 'nodes/c.ts (1)']);
});

it('counts files of up to 40 lines that one other file imports', () => {
	write({
		'client/one.ts': lines(40),
		'client/long.ts': lines(41),
		'client/two.ts': lines(30),
		'client/none.ts': lines(30),
		'client/a.ts': lines(50, "import './one';import './long';import './two';import './one';"),
		'nodes/b.ts': lines(50, "import '../client/two';"),
		'test/c.ts': lines(50, "import '../client/one';import '../client/none';"),
	});
	expect(measureSizes(root)[ONE_IMPORTER]).toEqual(['client/one.ts (40)']);
});

it('counts type names that two files of client and nodes declare, exported or not, in any scope', () => {
	write({
		'client/a.ts': 'export interface Place {}\ntype Kept = 1;\nclass Alone {}\nenum Colour { red }\ntype Step = 1;',
		'nodes/b.ts': 'type Place = 1;\nfunction f() { class Kept {} return Kept; }\nexport enum Colour { blue }',
		'client/c.ts':
			"import type { Step } from './a';\nexport type { Step };\nexport const Alone = 1;\ninterface Merged {}\ninterface Merged {}",
		'sandbox/d.ts': 'export class Alone {}',
	});
	expect(measureSizes(root)[REPEATED]).toEqual([
		'Place: client/a.ts, nodes/b.ts',
		'Kept: client/a.ts, nodes/b.ts',
		'Colour: client/a.ts, nodes/b.ts',
	]);
});

it('counts files above 300 lines in all folders, without generated files', () => {
	const folders = ['client', 'nodes', 'sandbox', 'scripts', 'test'];
	write(Object.fromEntries(folders.map((folder) => [`${folder}/long.ts`, lines(301)])));
	write({ 'client/generated/v2.ts': lines(301), 'client/allowed.ts': lines(300), 'docs/long.ts': lines(301) });
	expect(measureSizes(root)[LONG]).toEqual(folders.map((folder) => `${folder}/long.ts (301)`));
});

describe('a limit', () => {
	const sizes = { [SHORT]: ['a', 'b'], [ONE_IMPORTER]: [], [REPEATED]: ['Place: a, b', 'Step: a, b'], [LONG]: ['c'] };
	const limits = (short: number, repeated: number, long: number) => ({
		[SHORT]: { limit: short, target: 0 },
		[ONE_IMPORTER]: { limit: 0, target: 0 },
		[REPEATED]: { limit: repeated, target: 0 },
		[LONG]: { limit: long, target: 0 },
	});

	it('holds up to its number', () => {
		expect(findSizeFaults(sizes, limits(2, 2, 1), {})).toEqual([]);
		expect(findSizeFaults(sizes, limits(1, 1, 0), {})).toEqual([
			'2 files of 20 lines or fewer; the limit is 1',
			'2 type names declared in two files; the limit is 1',
			'1 files above 300 lines; the limit is 0',
		]);
	});

	it('does not count a type that is allowed for a reason', () => {
		expect(findSizeFaults(sizes, limits(2, 1, 1), { Place: 'both have one' })).toEqual([]);
		expect(withoutAllowed(sizes, { Place: 'both have one' })[REPEATED]).toEqual(['Step: a, b']);
	});

	it('refuses a reason for a type that is declared once, and more than five reasons', () => {
		expect(findSizeFaults(sizes, limits(2, 2, 1), { Other: 'why' })).toEqual(['the type Other is allowed twice, but not declared twice']);
		const names = ['A', 'B', 'C', 'D', 'E', 'F'];
		const reasons = Object.fromEntries(names.map((name) => [name, 'why']));
		const repeated = { ...sizes, [REPEATED]: names.map((name) => `${name}: a, b`) };
		expect(findSizeFaults(repeated, limits(2, 0, 1), reasons)).toEqual(['6 types are allowed twice; at most 5 may be']);
	});
});
