import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const entryPoint = readFileSync(join(ROOT, 'client/index.ts'), 'utf8');

const namesOf = (text: string): string[] =>
	[...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
		names
			.split(',')
			.map((name) => name.trim().replace(/^type /, ''))
			.filter((name) => name !== ''),
	);

const sourcesIn = (folder: string): string =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => readFileSync(join(ROOT, folder, file), 'utf8'))
		.join('\n');

test('the entry point exports each name explicitly, and only names that other folders use', () => {
	expect(entryPoint).not.toMatch(/export (type )?\*/);
	const words = new Set(
		['nodes', 'scripts', 'test/client', 'test/contract', 'test/faults', 'test/nodes', 'test/support']
			.map(sourcesIn)
			.join('\n')
			.match(/\w+/g),
	);
	expect(namesOf(entryPoint).filter((name) => !words.has(name))).toEqual([]);
	expect(namesOf(entryPoint).length).toBeGreaterThan(100);
});
