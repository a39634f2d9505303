import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { nodes } from '../support/engine';

const root = join(__dirname, '../../../nodes');
const folderOf = (node: string): string => join(root, node.charAt(0).toUpperCase() + node.slice(1));

const SMALL_LINES = 150;

const linesOf = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;

const filesIn = (folder: string): string[] =>
	readdirSync(folder).flatMap((name) => {
		const path = join(folder, name);
		return statSync(path).isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : [];
	});

const exportsOf = async (file: string): Promise<string[]> => (existsSync(file) ? Object.keys((await import(file)) as object) : []);

const all = Object.entries(nodes).map(([name, { description }]) => ({ name, folder: folderOf(name), properties: description.properties }));

/** `resource/operation`, or the operation alone; none for a node that does one thing. */
const operationsOf = (properties: INodeProperties[]): string[] =>
	properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			options.flatMap((option) => {
				const [resource] = displayOptions?.show?.resource ?? [];
				return 'value' in option ? [[resource, option.value].filter(Boolean).join('/')] : [];
			}),
		);

const operations = all.flatMap(({ folder, properties }) => operationsOf(properties).map((name) => join(folder, name)));

/** The operations that `byId.ts` of the folder exports, for example `getJob` and `cancelJob`. */
async function operationsById(folder: string): Promise<string[]> {
	const file = join(folder, 'byId.ts');
	if (!existsSync(file)) return [];
	const exported = Object.entries((await import(file)) as object) as Array<[string, unknown]>;
	return exported.flatMap(([name, value]) =>
		typeof value === 'object' && value !== null && 'settings' in value && 'execute' in value ? [name] : [],
	);
}

/** Whether the export is this operation of its resource: its name, alone or before the name of the resource. */
const isNamedAfter = (operation: string, exported: string): boolean => new RegExp(`^${operation}([A-Z][a-z]+)?$`).test(exported);

it.each(operations.map((path) => [relative(root, path), path]))(
	'%s is one small file, a folder of description, settings and execute, or one of the operations in byId',
	async (_, path) => {
		if (existsSync(path)) {
			expect(await exportsOf(join(path, 'description.ts'))).toContain('description');
			expect(await exportsOf(join(path, 'settings.ts'))).toContain('settings');
			expect(await exportsOf(join(path, 'execute.ts'))).toContain('execute');
		} else if (existsSync(`${path}.ts`)) {
			expect(await exportsOf(`${path}.ts`)).toEqual(expect.arrayContaining(['settings', 'execute']));
			expect(linesOf(`${path}.ts`)).toBeLessThanOrEqual(SMALL_LINES);
		} else {
			const named = (await operationsById(dirname(path))).filter((exported) => isNamedAfter(basename(path), exported));
			expect(named).toHaveLength(1);
			expect(linesOf(join(dirname(path), 'byId.ts'))).toBeLessThanOrEqual(SMALL_LINES);
		}
	},
);

it('nothing else in a node’s folder is an operation', async () => {
	const executing: string[] = [];
	for (const { folder } of all) {
		for (const file of filesIn(folder)) {
			if (!file.endsWith('.node.ts') && (await exportsOf(file)).includes('execute')) executing.push(file.replace(/(\/execute)?\.ts$/, ''));
			if (basename(file) !== 'byId.ts') continue;
			for (const exported of await operationsById(dirname(file))) {
				const operation = operations.find((path) => dirname(path) === dirname(file) && isNamedAfter(basename(path), exported));
				executing.push(operation ?? join(file, exported));
			}
		}
	}
	const ofOneThing = all.map(({ folder }) => folder).filter((folder) => existsSync(join(folder, 'execute.ts')));
	expect(executing.sort()).toEqual([...operations, ...ofOneThing].sort());
});
