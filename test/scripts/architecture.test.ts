import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ALLOWED_NAMES } from '../../scripts/architecture/allowed';
import { type Plan, PLANS } from '../../scripts/architecture/layers';
import { findSizeFaults, measureSizes } from '../../scripts/architecture/sizes';
import { findArchitectureFaults, surveyArchitecture } from '../../scripts/architecture/survey';

const PROJECT = join(__dirname, '../..');

it('the modules follow the planned architecture', () => {
	expect(findArchitectureFaults(surveyArchitecture(PROJECT, PLANS), ALLOWED_NAMES)).toEqual([]);
});

it('no count of small files, large files or repeated type names is above its limit', () => {
	expect(findSizeFaults(measureSizes(PROJECT))).toEqual([]);
});

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'architecture-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
}

const PLAN: Plan = {
	part: 'client',
	layers: ['client/index.ts', 'client/v1/ client/v2/', 'client/files/', 'client/errors.ts'],
	entryPoints: ['shared/index.ts'],
};
const UPWARD = 'upward: client/files/read.ts -> client/index.ts';
const TWICE = 'client: twice is exported from client/files/one.ts, client/files/two.ts';

describe('the survey', () => {
	it.each<[string, Record<string, string>, string[]]>([
		['an import', { 'client/files/read.ts': "import { get } from '../index';\nexport const one = get;" }, [UPWARD]],
		['an import of a type', { 'client/files/read.ts': "import type { Get } from '../index';\nexport type One = Get;" }, [UPWARD]],
		['an export', { 'client/files/read.ts': "export * from '..';" }, [UPWARD]],
		['an import()', { 'client/files/read.ts': "export const load = async () => await import('../index');" }, [UPWARD]],
		['a typeof import()', { 'client/files/read.ts': "export const one = (all: typeof import('../index')) => all;" }, [UPWARD]],
		[
			'an import within a layer',
			{ 'client/v1/connect.ts': "import '../v2/connect';", 'client/v2/connect.ts': '' },
			['upward: client/v1/connect.ts -> client/v2/connect.ts'],
		],
		[
			'an import past an entry point',
			{ 'client/errors.ts': "import '../shared/inner';\nimport '../shared';", 'shared/inner.ts': '', 'shared/index.ts': '' },
			['upward: client/errors.ts -> shared/inner.ts'],
		],
		[
			'a circle',
			{
				'client/files/read.ts': "import type { Kept } from './keep';\nexport type Read = Kept;",
				'client/files/keep.ts': "import type { Read } from './read';\nexport type Kept = Read;",
				'client/files/apart.ts': "import './read';",
			},
			['circle: client/files/keep.ts client/files/read.ts'],
		],
		['a repeated name', { 'client/files/one.ts': 'export const twice = 1;', 'client/files/two.ts': 'export class twice {}' }, [TWICE]],
		[
			'a repeated name in a list',
			{ 'client/files/one.ts': 'export const twice = 1;', 'client/files/two.ts': 'const here = 1;\nexport { here as twice };' },
			[TWICE],
		],
		['a file of no module', { 'client/other.ts': '' }, ['in no module: client/other.ts']],
		[
			'names that differ in capital letters',
			{ 'client/files/openWatch.ts': '', 'client/files/OpenWatch.ts': '' },
			['differ only in capital letters: client/files/OpenWatch.ts client/files/openWatch.ts'],
		],
		[
			'nothing in a correct architecture',
			{
				'client/index.ts': "export * from './v1/connect';\nexport { Failure } from './errors';",
				'client/v1/connect.ts': "import ws from 'ws';\nimport { Failure } from '../errors';\nexport const connect = [ws, Failure];",
				'client/errors.ts': 'export class Failure extends Error {}',
			},
			[],
		],
	])('finds %s', (_what, files, faults) => {
		write({ 'client/index.ts': 'export const get = 1;', ...files });
		expect(findArchitectureFaults(surveyArchitecture(root, [PLAN]), {}).filter((fault) => !fault.startsWith('empty'))).toEqual(faults);
	});

	it('finds a module without files, and a name that is allowed twice but exported once', () => {
		write({ 'client/v1/list.ts': 'export const list = 1;' });
		expect(findArchitectureFaults(surveyArchitecture(root, [PLAN]), { client: { list: 'both have one' } })).toEqual([
			...['client/index.ts', 'client/v2/', 'client/files/', 'client/errors.ts'].map((module) => `empty module: ${module}`),
			'client: list is allowed twice, but not exported twice',
		]);
	});
});

it('the sizes count small files, files with one importer, repeated types and large files, without generated files', () => {
	const lines = (count: number, first = ''): string => `${first}\n`.padEnd(first.length + count, '\n');
	write({
		'client/one.ts': lines(40, 'export interface Place {}'),
		'client/two.ts': lines(41, 'export {};'),
		'client/a.ts': lines(301, "import './one';import './two';import '../nodes/b';"),
		'nodes/b.ts': lines(20, 'function f() { class Place {} return Place; }'),
		'test/long.ts': lines(301, "import '../nodes/b';"),
		'client/generated/v2.ts': lines(301),
	});
	expect(measureSizes(root)).toEqual({
		'files of 20 lines or fewer': ['nodes/b.ts (20)'],
		'files of up to 40 lines with one importer': ['client/one.ts (40)', 'nodes/b.ts (20)'],
		'type names declared in two files': ['Place: client/one.ts, nodes/b.ts'],
		'files above 300 lines': ['client/a.ts (301)', 'test/long.ts (301)'],
	});
});
