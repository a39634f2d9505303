import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ALLOWED_NAMES, type AllowedNames } from '../../../scripts/architecture/allowed';
import { type Plan, PLANS } from '../../../scripts/architecture/layers';
import { findArchitectureFaults, type Survey, surveyArchitecture } from '../../../scripts/architecture/survey';

const PLAN: Plan = {
	part: 'client',
	layers: ['client/index.ts', 'client/v1/ client/v2/ client/engine*/', 'client/files/', 'client/files/web/', 'client/errors.ts'],
	entryPoints: ['shared/index.ts'],
};

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'architecture-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function survey(files: Record<string, string>): Survey {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	const [found] = surveyArchitecture(root, [PLAN]);
	if (found === undefined) throw new Error('No survey');
	return found;
}

/** Leaves out modules for which the test has no file. */
const faultsOf = (files: Record<string, string>, allowed: AllowedNames = {}): string[] =>
	findArchitectureFaults([{ ...survey(files), empty: [] }], allowed);

it('the modules follow the planned architecture', () => {
	expect(findArchitectureFaults(surveyArchitecture(join(__dirname, '../../..'), PLANS), ALLOWED_NAMES)).toEqual([]);
});

it('finds nothing in a correct architecture', () => {
	const files = {
		'client/index.ts': "export * from './v1/connect';\nexport { Failure } from './errors';\n",
		'client/v1/connect.ts':
			"import { helped } from './help';\nimport { Failure } from '../errors';\nexport const connect = helped(Failure);\n",
		'client/v1/help.ts':
			"import ws from 'ws';\nimport { shared } from '../../shared';\nexport const helped = (one: unknown) => [one, ws, shared];\n",
		'client/errors.ts': 'export class Failure extends Error {}\n',
		'shared/index.ts': 'export const shared = 1;\n',
		'client/notes.md': 'no source',
	};
	expect(faultsOf(files)).toEqual([]);
});

it('measures sizes', () => {
	const files = { 'client/index.ts': '\n\n\n', 'client/errors.ts': 'export {};', 'client/files/read.ts': '\n\n' };
	expect(survey(files)).toMatchObject({ files: 3, medianLines: 2, largest: { file: 'client/index.ts', lines: 3 } });
	writeFileSync(join(root, 'client/files/write.ts'), '\n\n\n');
	expect(survey({})).toMatchObject({ files: 4, medianLines: 2.5 });
});

describe('an import upward', () => {
	it.each([
		['import', "import { get } from '../index';\nexport const one = get;"],
		['type', "import type { Get } from '../index';\nexport type One = Get;"],
		['export', "export { get } from '../index';"],
		['export of all', "export * from '..';"],
		['import()', "export const load = async () => await import('../index');"],
		['typeof import()', "export const get = (client: typeof import('../index')) => client;"],
	])('is found as %s', (_kind, text) => {
		expect(survey({ 'client/index.ts': 'export const get = 1;', 'client/files/read.ts': text }).upward).toEqual([
			'client/files/read.ts -> client/index.ts',
		]);
	});

	it('is also found between two modules of one layer', () => {
		const files = {
			'client/v1/connect.ts': "import '../v2/connect';",
			'client/v2/connect.ts': '',
			'client/engineOld/queue.ts': "import '../engineNew/queue';\nimport './deep/list';",
			'client/engineOld/deep/list.ts': '',
			'client/engineNew/queue.ts': '',
		};
		expect(faultsOf(files)).toEqual([
			'upward: client/engineOld/queue.ts -> client/engineNew/queue.ts',
			'upward: client/v1/connect.ts -> client/v2/connect.ts',
		]);
	});

	it('is also found from a module inside another module', () => {
		const files = {
			'client/files/read.ts': "import './web/open';",
			'client/files/web/open.ts': "import '../errors';",
			'client/files/web/close.ts': "import './open';",
			'client/files/errors.ts': '',
		};
		expect(survey(files).upward).toEqual(['client/files/web/open.ts -> client/files/errors.ts']);
	});

	it('is also found past an entry point', () => {
		const files = { 'client/errors.ts': "import '../shared/inner';", 'shared/inner.ts': '', 'shared/index.ts': '' };
		expect(survey(files).upward).toEqual(['client/errors.ts -> shared/inner.ts']);
	});
});

it('finds a circle, of types as well, with each of its files', () => {
	const files = {
		'client/files/read.ts': "import type { Kept } from './keep';\nexport type Read = Kept;",
		'client/files/keep.ts': "import type { Write } from './deep/write';\nexport type Kept = Write;",
		'client/files/deep/write.ts': "import type { Read } from '../read';\nexport type Write = Read;",
		'client/files/apart.ts': "import type { Read } from './read';\nexport type Apart = Read;",
	};
	expect(survey(files).circles).toEqual([['client/files/deep/write.ts', 'client/files/keep.ts', 'client/files/read.ts']]);
	expect(faultsOf({})).toEqual(['circle: client/files/deep/write.ts client/files/keep.ts client/files/read.ts']);
});

it('reports two circles separately if one only leads to the other', () => {
	const files = {
		'client/files/one.ts': "import './other';",
		'client/files/other.ts': "import './one';",
		'client/files/reading.ts': "import './one';\nimport './writing';",
		'client/files/writing.ts': "import './reading';",
	};
	expect(survey(files).circles).toEqual([
		['client/files/one.ts', 'client/files/other.ts'],
		['client/files/reading.ts', 'client/files/writing.ts'],
	]);
});

describe('a name exported from two files', () => {
	it.each([
		['function', 'export function twice(): void {}'],
		['class', 'export class twice {}'],
		['interface', 'export interface twice { one: 1 }'],
		['type', 'export type twice = 1;'],
		['taken apart', 'export const { deep: [twice] } = { deep: [1] };'],
		['listed', 'const here = 1;\nexport { here as twice };'],
	])('is found: %s', (_kind, text) => {
		const files = { 'client/files/one.ts': 'export const twice = 1;', 'client/files/two.ts': text };
		expect(faultsOf(files)).toEqual(['client: twice is exported from client/files/one.ts, client/files/two.ts']);
	});

	it('is not found if the name is exported again or stays inside its file', () => {
		const files = {
			'client/files/one.ts': 'export const once = 1;\nexport type { once as kind };',
			'client/files/two.ts': 'const once = 2;\nexport const two = once;',
			'client/index.ts': "import { once } from './files/one';\nexport { once };\nexport * from './files/two';",
		};
		expect(survey(files).repeatedNames).toEqual([]);
	});

	const TWICE = { 'client/v1/list.ts': 'export const list = 1;', 'client/v2/list.ts': 'export const list = 2;' };

	it('is allowed for a reason, in its part alone', () => {
		expect(faultsOf(TWICE, { client: { list: 'both have one' } })).toEqual([]);
		expect(faultsOf(TWICE, { nodes: { list: 'both have one' } })).toHaveLength(1);
	});

	it('is no longer allowed when it is exported once', () => {
		expect(faultsOf({ 'client/v1/list.ts': 'export const list = 1;' }, { client: { list: 'both have one' } })).toEqual([
			'client: list is allowed twice, but not exported twice',
		]);
	});

	it('is allowed ten times', () => {
		const names = Array.from({ length: 11 }, (_, index) => `name${index}`);
		const text = names.map((name) => `export const ${name} = 1;`).join('\n');
		const reasons = (count: number) => ({ client: Object.fromEntries(names.slice(0, count).map((name) => [name, 'why'])) });
		const files = (count: number) => ({ 'client/v1/all.ts': text, 'client/v2/all.ts': text.split('\n').slice(0, count).join('\n') });
		expect(faultsOf(files(10), reasons(10))).toEqual([]);
		expect(faultsOf(files(11), reasons(11))).toEqual(['11 names are allowed twice; at most 10 may be']);
	});
});

it('finds a module without files', () => {
	const files = { 'client/v1/connect.ts': '', 'client/errors.ts': '', 'client/index.ts': '' };
	expect(survey(files).empty).toEqual(['client/v2/', 'client/engine*/', 'client/files/', 'client/files/web/']);
	expect(findArchitectureFaults([survey(files)], {})).toContain('empty module: client/v2/');
});

it('finds a file of no module, and names that differ only in a capital letter', () => {
	const files = { 'client/other.ts': '', 'client/files/openWatch.ts': '', 'client/files/OpenWatch.ts': '' };
	expect(faultsOf(files)).toEqual([
		'in no module: client/other.ts',
		'differ only in capital letters: client/files/OpenWatch.ts client/files/openWatch.ts',
	]);
});
