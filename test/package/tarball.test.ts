/** What is published, as `npm pack` has it after a build. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(__dirname, '../..');

const MOST_BYTES = 340_000;

interface Packed {
	size: number;
	files: Array<{ path: string }>;
}

const [packed] = JSON.parse(
	execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
) as [Packed];
const paths = packed.files.map(({ path }) => path);

const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { n8n: { nodes: string[]; credentials: string[] } };
const loaded = [...n8n.nodes, ...n8n.credentials];

it(`takes at most ${MOST_BYTES / 1_000} kB`, () => expect(packed.size).toBeLessThanOrEqual(MOST_BYTES));

it('holds only what n8n loads and what npm and the editor show', () => {
	const shown = paths.filter((path) => /^dist\/icons\/[a-z]+(\.dark)?\.svg$/.test(path));
	expect(shown).toEqual(expect.arrayContaining(['dist/icons/comfy.svg', 'dist/icons/comfy.dark.svg']));
	const codex = n8n.nodes.map((node) => node.replace('.node.js', '.node.json'));
	const schemas = execFileSync('git', ['ls-files', 'nodes/**/__schema__/**'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
	expect(schemas.length).toBeGreaterThan(20);
	expect(paths.sort()).toEqual(
		[
			...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'index.js', 'dist/comfy.js'],
			...[...loaded, ...codex, ...schemas.map((schema) => `dist/${schema}`), ...shown],
		].sort(),
	);
});

it('each node and credential loads from the file of its name', () => {
	const made = `JSON.stringify(process.argv.slice(1).map((file) => Object.entries(require(file)).map(([name, Class]) => [name, new Class().constructor.name])))`;
	const names = JSON.parse(
		execFileSync(process.execPath, ['-p', made, ...loaded.map((file) => join(root, file))], { cwd: root, encoding: 'utf8' }),
	) as unknown;
	const expected = loaded.map((file) => basename(file).replace(/\..*/, ''));
	expect(names).toEqual(expected.map((name) => [[name, name]]));
});

it('every error keeps its name, which items report as their kind', () => {
	const sources = execFileSync('git', ['grep', '-hE', 'class \\w+ extends', '--', 'client', 'nodes'], { cwd: root, encoding: 'utf8' });
	const names = [...sources.matchAll(/class (\w+) extends/g)].map(([, name]) => String(name));
	expect(names.length).toBeGreaterThan(20);
	const bundle = readFileSync(join(root, 'dist/comfy.js'), 'utf8');
	const built = [...bundle.matchAll(/(?:(\w+)\s*=\s*class|class\s+(\w+))\s+extends\b/g)].map(([, assigned, own]) => own ?? assigned);
	expect(names.filter((name) => !built.includes(name))).toEqual([]);
});

it('lines are short enough to be found from a stack trace', () => {
	const lines = readFileSync(join(root, 'dist/comfy.js'), 'utf8').split('\n');
	const median = lines.map(({ length }) => length).sort((a, b) => a - b)[Math.floor(lines.length / 2)];
	expect(median).toBeLessThanOrEqual(200);
});
