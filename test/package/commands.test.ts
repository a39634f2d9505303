import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

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

/** One command of a document, without its environment variables. */
interface Command {
	file: string;
	words: string[];
}

function commandsIn(file: string, line: string): Command[] {
	return line
		.replace(/#.*$/, '')
		.replace(/(?<!sh -c )'[^']*'/g, 'QUOTED')
		.split(/&&|;|\bdo\b|\bdone\b|\bfor\b[^;]*|sh -c|'/)
		.map((one) => one.trim().split(/\s+/))
		.filter(([first = '']) => first !== '')
		.map((words) => ({ file, words: words.filter((word) => !/^[A-Z][A-Z_]+=/.test(word)) }));
}

const TOOLS = /^([A-Z_]+=\S+ )*(npm|npx|node|docker|apt-get|curl|\.ci\/run)( |$)/;
/** Options that a text names behind the command that it is about: `-- --keep`. */
const ONLY_OPTIONS = /^-- /;

/** Commands in the text, each option with the command that stands before it in its line. */
function inlineCommands(file: string): Command[] {
	return read(file)
		.replace(/^ *```[^]*?^ *```$/gm, '')
		.split('\n')
		.flatMap((line) => {
			let last = '';
			return [...line.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => {
				if (ONLY_OPTIONS.test(code)) return commandsIn(file, `${last} ${code}`);
				if (!TOOLS.test(code)) return [];
				last = code.replace(/ -- .*/, '');
				return commandsIn(file, code);
			});
		});
}

const commands: Command[] = [
	...blocks
		.filter(({ language }) => language === 'sh')
		.flatMap(({ file, text }) => text.split('\n').flatMap((line) => commandsIn(file, line))),
	...documents.flatMap(inlineCommands),
];

/** All that a script of package.json is made of: its own file, the folder of that name, and what reads the options of the sandbox. */
function sourcesOf(script: string): string {
	const entry = /([\w/]+)\.ts\b/.exec(script)?.[1];
	if (entry === undefined) return '';
	const folder = entry === 'sandbox/main' ? 'sandbox' : entry;
	return [`${entry}.ts`, ...(existsSync(join(root, folder)) ? filesIn(folder, '.ts') : [])].map(read).join('\n');
}

/** An option as the source names it: `--minutes`, `'one-in'`, or `minutes:` of `parseArgs`. */
const takes = (source: string, option: string): boolean => new RegExp(`(--|['"\`])${option}\\b|\\b${option}: *\\{`).test(source);

/** Not what the tests install for themselves. */
const suites = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' }).split('\n');

/** What is wrong with words behind `--`, which go to the script. */
function strangeOptions(script: string, options: string[]): string[] {
	if (script.includes('jest')) return options.filter((word) => !word.startsWith('-') && !suites.some((file) => file.includes(word)));
	const source = sourcesOf(script);
	const flags = options.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
	const kinds = options.filter((word, index) => /^[a-z]+$/.test(word) && !(options[index - 1] ?? '').startsWith('--'));
	return [...flags, ...kinds].filter((word) => !takes(source, word));
}

const OF_NPM = ['ci', 'install', 'publish'];

function faultOfNpm([, verb = '', ...rest]: string[]): string | undefined {
	if (OF_NPM.includes(verb)) return undefined;
	const [name = ''] = verb === 'test' ? ['test'] : rest.filter((word) => !word.startsWith('-'));
	const script = scripts[name];
	if (script === undefined) return `package.json has no script "${name}"`;
	const end = rest.indexOf('--');
	const strange = end < 0 ? [] : strangeOptions(script, rest.slice(end + 1));
	return strange.length > 0 ? `${name} takes no ${strange.join(', ')}` : undefined;
}

const isThere = (file: string): string | undefined => (existsSync(join(root, file)) ? undefined : `${file} is not there`);

function faultOfCompose(file: string, words: string[]): string | undefined {
	const composeFile = join(dirname(file), words[words.indexOf('-f') + 1] ?? '');
	if (!words.includes('-f')) return undefined;
	const services = Object.keys((parse(read(composeFile), { merge: true }) as { services: object }).services);
	const named = words.slice(words.indexOf('-f') + 2).filter((word) => /^(main|worker)/.test(word));
	return named.every((name) => services.includes(name)) ? undefined : `${composeFile} has no ${named.join(', ')}`;
}

/** What a command needs, by its first word; for one that is not known here, somebody has to say how it is held. */
const RESOLVED: Record<string, (words: string[], file: string) => string | undefined> = {
	npm: faultOfNpm,
	npx: ([, tool = '', ...paths]) =>
		tool === 'jest'
			? paths.filter((path) => !suites.some((file) => file.includes(path))).map((path) => `no suite is ${path}`)[0]
			: isThere(`node_modules/.bin/${tool}`),
	docker: (words, file) => faultOfCompose(file, words),
	'apt-get': ([, , ...packages]) => packages.filter((name) => !read('.ci/run').includes(name)).map((name) => `CI installs no ${name}`)[0],
	'.ci/run': ([path = '']) => isThere(path),
	mkdir: () => undefined,
	cd: () => undefined,
};

it('every command of README and the documents has its script, options, files and services', () => {
	expect(commands.length).toBeGreaterThan(50);
	const faults = commands.flatMap(({ file, words }) => {
		const resolve = RESOLVED[words[0] ?? ''];
		const fault = resolve === undefined ? 'nothing here resolves it' : resolve(words, file);
		return fault === undefined ? [] : [`${file}: ${words.join(' ')}: ${fault}`];
	});
	expect(faults).toEqual([]);
});

it('CI runs what README tells readers to run', () => {
	const named = blocks.filter(({ file, language }) => file === 'README.md' && language === 'sh');
	const told = named.flatMap(({ file, text }) => text.split('\n').flatMap((line) => commandsIn(file, line)));
	expect(told.map(({ words }) => words.join(' '))).toEqual(['npm ci', 'npm run demo', 'npm ci', 'npm test']);
	for (const { words } of told) expect(read('.ci/run')).toMatch(new RegExp(`\\b${words.join(' ')}\\b`));
});

/** Where n8n says which settings it reads. */
const settingsOfN8n = ['@n8n/config', 'n8n-core', '@n8n/backend-common']
	.flatMap((name) => filesIn(`node_modules/${name}/dist`, '.js'))
	.map(read)
	.join('\n');
const OF_N8N = /\b(?:N8N|EXECUTIONS|QUEUE|DB)_[A-Z0-9_]*[A-Z0-9]\b/g;

it('n8n reads every setting of n8n that a document names', () => {
	const named = [...documents, ...filesIn('docs', '.yaml')].flatMap((file) =>
		[...read(file).matchAll(OF_N8N)].map(([setting]) => ({ file, setting })),
	);
	expect(named.length).toBeGreaterThan(20);
	const unknown = named.filter(({ setting }) => !new RegExp(`['"\`]${setting}['"\`]|process\\.env\\.${setting}\\b`).test(settingsOfN8n));
	expect(unknown).toEqual([]);
});

it('every block of JSON is valid, and the compose file reads every variable of a block of settings', () => {
	const textsIn = (wanted: string) => blocks.filter(({ language }) => language === wanted).map(({ text }) => text);
	expect(textsIn('json').length).toBeGreaterThan(5);
	for (const text of textsIn('json')) expect(() => JSON.parse(text) as unknown).not.toThrow();
	const compose = filesIn('docs', '.yaml').map(read).join('\n');
	for (const line of textsIn('env').join('').trim().split(/\s+/)) expect(compose).toContain(`\${${String(line.split('=')[0])}`);
});

it('each path in a diagram exists, and the glossary has each state', () => {
	const diagrams = blocks.filter(({ language }) => language === 'mermaid').map(({ text }) => text);
	const paths = diagrams.flatMap((text) => [...text.matchAll(/\b(?:nodes|client)\/[\w./]+/g)].map(([path]) => path));
	expect(paths.filter((path) => !existsSync(join(root, path)) && path !== 'nodes/Comfy')).toEqual([]);
	const states = diagrams.flatMap((text) => [...text.matchAll(/^ +(\w+) --> (\w+):/gm)].flatMap(([, from, to]) => [from, to]));
	expect(states.length).toBeGreaterThan(10);
	for (const state of new Set(states)) expect(read('docs/glossary.md')).toMatch(new RegExp(`\\b${state}\\b`));
});
