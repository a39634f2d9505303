import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

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

it.each(operations.map((path) => [relative(root, path), path]))(
	'%s is one small file, or a folder of description, settings and execute',
	async (_, path) => {
		if (existsSync(path)) {
			expect(await exportsOf(join(path, 'description.ts'))).toContain('description');
			expect(await exportsOf(join(path, 'settings.ts'))).toContain('settings');
			expect(await exportsOf(join(path, 'execute.ts'))).toContain('execute');
		} else {
			expect(await exportsOf(`${path}.ts`)).toEqual(expect.arrayContaining(['settings', 'execute']));
			expect(linesOf(`${path}.ts`)).toBeLessThanOrEqual(SMALL_LINES);
		}
	},
);

it('nothing else in a node’s folder is an operation', async () => {
	const executing: string[] = [];
	for (const { folder } of all) {
		for (const file of filesIn(folder)) {
			if (!file.endsWith('.node.ts') && (await exportsOf(file)).includes('execute')) executing.push(file.replace(/(\/execute)?\.ts$/, ''));
		}
	}
	const ofOneThing = all.map(({ folder }) => folder).filter((folder) => existsSync(join(folder, 'execute.ts')));
	expect(executing.sort()).toEqual([...operations, ...ofOneThing].sort());
});
