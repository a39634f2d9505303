import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesIn = (folder: string, ending: string): string[] =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => join(folder, name));

const documents = [
	...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'examples/README.md', 'test/faults/README.md'],
	...filesIn('docs', '.md'),
].filter((file) => existsSync(join(root, file)));

interface Block {
	file: string;
	language: string;
	text: string;
}

const blocks: Block[] = documents.flatMap((file) =>
	[...read(file).matchAll(/^ *```(\w*)\n([^]*?)^ *```$/gm)].map(([, language = '', text = '']) => ({ file, language, text })),
);

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const suites = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' });

it('every script and every suite that a document names exists', () => {
	const named = (pattern: RegExp) =>
		documents.flatMap((file) => [...read(file).matchAll(pattern)].map(([, name = '']) => ({ file, name })));
	const scriptsNamed = named(/\bnpm run (?:--silent )?([\w:]+)/g);
	expect(scriptsNamed.length).toBeGreaterThan(30);
	expect(scriptsNamed.filter(({ name }) => scripts[name] === undefined)).toEqual([]);
	const suitesNamed = named(/\bnpx jest (?!-)([\w/.]+)/g);
	expect(suitesNamed.length).toBeGreaterThan(0);
	expect(suitesNamed.filter(({ name }) => !suites.includes(name))).toEqual([]);
});

it('CI runs what README tells readers to run', () => {
	const told = blocks.filter(({ file, language }) => file === 'README.md' && language === 'sh').flatMap(({ text }) => text.split('\n'));
	const commands = told.flatMap((line) => line.replace(/#.*$/, '').split('&&')).map((command) => command.trim());
	expect(commands.filter((command) => command !== '')).toEqual(['npm ci', 'npm run demo', 'npm ci', 'npm test']);
	for (const command of new Set(commands)) expect(read('.ci/run')).toContain(command);
});

/** Where n8n says which settings it reads. */
const settingsOfN8n = ['@n8n/config', 'n8n-core', '@n8n/backend-common']
	.flatMap((name) => filesIn(`node_modules/${name}/dist`, '.js'))
	.map(read)
	.join('\n');
/** Only a complete n8n reads these. Suites with a real n8n set them, and fail if n8n ignores them. */
const OF_COMPLETE_N8N: Record<string, string> = {
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'test/e2e/managedPackages.e2e.ts',
	N8N_REINSTALL_MISSING_PACKAGES: 'docs/compose.queue.yaml',
};
const OF_N8N = /\b(?:N8N|EXECUTIONS|QUEUE|DB)_[A-Z0-9_]*[A-Z0-9]\b/g;

it('n8n reads every setting of n8n that a document names', () => {
	const named = [...documents, ...filesIn('docs', '.yaml')].flatMap((file) =>
		[...read(file).matchAll(OF_N8N)].map(([setting]) => ({ file, setting })),
	);
	expect(named.length).toBeGreaterThan(20);
	const unknown = named.filter(({ setting }) => !new RegExp(`['"\`]${setting}['"\`]|process\\.env\\.${setting}\\b`).test(settingsOfN8n));
	expect([...new Set(unknown.map(({ setting }) => setting))].sort()).toEqual(Object.keys(OF_COMPLETE_N8N).sort());
	for (const [setting, file] of Object.entries(OF_COMPLETE_N8N)) expect(read(file)).toContain(setting);
});

it('every block of JSON is valid, and the compose file reads every variable of a block of settings', () => {
	const textsIn = (wanted: string) => blocks.filter(({ language }) => language === wanted).map(({ text }) => text);
	expect(textsIn('json').length).toBeGreaterThan(5);
	for (const text of textsIn('json')) expect(() => JSON.parse(text) as unknown).not.toThrow();
	const compose = filesIn('docs', '.yaml').map(read).join('\n');
	for (const line of textsIn('env').join('').trim().split(/\s+/)) expect(compose).toContain(`\${${String(line.split('=')[0])}`);
});

it('each path in a diagram exists, and the terms of the code have each state', () => {
	const diagrams = blocks.filter(({ language }) => language === 'mermaid').map(({ text }) => text);
	const paths = diagrams.flatMap((text) => [...text.matchAll(/\b(?:nodes|client)\/[\w./]+/g)].map(([path]) => path));
	expect(paths.filter((path) => !existsSync(join(root, path)) && path !== 'nodes/Comfy')).toEqual([]);
	const states = diagrams.flatMap((text) => [...text.matchAll(/^ +(\w+) --> (\w+):/gm)].flatMap(([, from, to]) => [from, to]));
	expect(states.length).toBeGreaterThan(10);
	for (const state of new Set(states)) expect(read('docs/development/terms.md')).toMatch(new RegExp(`\\b${state}\\b`));
});
