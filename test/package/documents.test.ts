import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const readAsIs = (file: string) => readFileSync(join(root, file), 'utf8');

const manifest = JSON.parse(readAsIs('package.json')) as {
	version: string;
	homepage: string;
	repository: { url: string };
	bugs: { url: string };
	author: { email: string };
	n8n: { nodes: string[]; credentials: string[] };
};
/** Where the repository is. */
const place = manifest.homepage.replace('#readme', '');
/** `npm run owner` puts these in front of the links of README. */
const FOLDERS = [`${place}/blob/main/`, `${place.replace('//github.com/', '//raw.githubusercontent.com/')}/main/`];

const read = (file: string): string =>
	file === 'README.md' ? FOLDERS.reduce((text, folder) => text.replaceAll(folder, ''), readAsIs(file)) : readAsIs(file);

const documents = [
	...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'examples/README.md'].filter((file) => existsSync(join(root, file))),
	...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.md'))
		.map((name) => join('docs', name)),
];

/** The ids that a document has: of its headings as GitHub writes them, and its own. */
const anchorsOf = (text: string): string[] => {
	const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
		String(heading)
			.toLowerCase()
			.replace(/[^\w\- ]/g, '')
			.replaceAll(' ', '-'),
	);
	return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => String(id))];
};

const isThere = (file: string, anchor = ''): boolean =>
	existsSync(join(root, file)) && (anchor === '' || anchorsOf(read(file)).includes(anchor));

it.each(documents)('%s links only to files and headings that exist', (file) => {
	const links = [...read(file).matchAll(/\]\((?!https?:)([^)#]*)(?:#([\w-]+))?\)/g)];
	const missing = links.filter(([, path, anchor]) => !isThere(path === '' ? file : join(dirname(file), String(path)), anchor));
	expect(missing.map(([link]) => link)).toEqual([]);
});

it('links lead from README to every document', () => {
	const found = new Set(['README.md']);
	for (const file of found)
		for (const [, path] of read(file).matchAll(/\]\((?!https?:)([^)#]+\.md)/g)) found.add(join(dirname(file), String(path)));
	const pages = documents.filter((file) => file.startsWith('docs/') && !read(file).startsWith('# This page has moved\n'));
	expect(pages.filter((file) => !found.has(file))).toEqual([]);
});

const filesIn = (folder: string, ending: string): string[] =>
	existsSync(join(root, folder)) ? readdirSync(join(root, folder)).filter((name) => name.endsWith(ending)) : [];

it.each(['docs', 'docs/recipes'])('a document shows every picture in %s, and every picture loads fast', (folder) => {
	const texts = documents.map(read).join('\n');
	for (const picture of filesIn(folder, '.png')) {
		expect(texts).toMatch(new RegExp(`!\\[[^\\]]+\\]\\((${folder}/)?${picture}\\)`));
		expect([picture, statSync(join(root, folder, picture)).size <= 150_000]).toEqual([picture, true]);
	}
});

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

it('each recipe has a page, which shows its picture and links to its workflow and its end-to-end test', () => {
	const names = filesIn('docs/recipes', '.md').map((file) => file.replace('.md', ''));
	const tests = filesIn('test/e2e/recipes', '.e2e.ts').map((file) => file.replace('.e2e.ts', ''));
	expect(tests.filter((test) => !names.map(camelCase).includes(test))).toEqual([]);
	const missing = names.flatMap((name) => {
		const page = read(`docs/recipes/${name}.md`) + read('docs/development/page-tests.md');
		const links = [`../../examples/${name}.json`, `${name}.png`, `../../test/e2e/recipes/${camelCase(name)}.e2e.ts`];
		return links.filter((link) => !page.includes(`](${link})`) || !existsSync(join(root, 'docs/recipes', link)));
	});
	expect(missing).toEqual([]);
});

const MOST_WORDS = 1_000;

it(`README explains in at most ${MOST_WORDS} words how to install, connect, choose a workflow, fill in inputs, run it, and see the image`, () => {
	expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
	const [firstSteps = ''] = read('README.md').split('## Recipes');
	for (const said of ['Community nodes', 'Self-Hosted', 'Comfy Run Workflow', 'Export (API)', '*Inputs*', 'Execute step', 'View'])
		expect(firstSteps).toContain(said);
});

it('each node has a page and each credential has a section, and n8n links to them', () => {
	const ours = (file: string): string[] =>
		read(file)
			.split(`${place}/blob/main/`)
			.slice(1)
			.map((rest) => /^[\w/.#-]+/.exec(rest)?.[0] ?? '');
	const { n8n } = manifest;
	const ofNodes = n8n.nodes.map((file) => ours(file.replace('dist/', '').replace('.js', '.json'))[0]);
	const ofCredentials = n8n.credentials.map((file) => ours(file.replace('dist/', '').replace('.js', '.ts'))[0]);
	for (const own of [ofNodes, ofCredentials]) expect(new Set(own).size).toBe(own.length);
	for (const place of [...ofNodes, ...ofCredentials]) {
		const [file = '', anchor] = String(place).split('#');
		expect([place, isThere(file, anchor)]).toEqual([place, true]);
	}
});

it('only package.json names the owner; every other file follows it (npm run owner)', () => {
	expect(manifest.repository.url).toBe(`git+${place}.git`);
	expect(manifest.bugs.url).toBe(`${place}/issues`);
	expect(read('SECURITY.md')).toContain(`Write to ${manifest.author.email}.`);
	const sources = execFileSync('git', ['ls-files', 'nodes', 'credentials', 'client', 'package.json'], { cwd: root, encoding: 'utf8' });
	const ours = sources
		.trim()
		.split('\n')
		.flatMap((file) =>
			[...read(file).matchAll(/https:\/\/github\.com\/[\w-]+\/[\w.-]*\w/g)].map(([address]) => address.replace(/\.git$/, '')),
		);
	expect(new Set(ours)).toEqual(new Set([place]));
});

it('SECURITY.md names no address that receives no mail', () => {
	const shown = read('SECURITY.md').replaceAll(/<!--.*?-->/gs, '');
	expect(shown.includes('Write to')).toBe(!manifest.author.email.endsWith('.example'));
});

it('each entry point that docs/development/entry-points.md names has its test', () => {
	const [beforeTests = '', tests = ''] = read('docs/development/entry-points.md').split('\n## Tests\n');
	const rowsOf = (text: string): string[][] => {
		const lines = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('|---'));
		return lines.slice(1).map((line) => line.replace(/^\| | \|$/g, '').split(' | '));
	};
	const entryPoints = rowsOf(beforeTests).map(([name]) => name);
	expect(entryPoints.length).toBeGreaterThan(20);
	expect(rowsOf(tests).map(([name]) => name)).toEqual(entryPoints);
	expect(rowsOf(tests).filter((cells) => !/\]\(\.\.\/\.\.\/test\/[\w./-]+\.(test|e2e)\.ts\)/.test(cells.at(-1) ?? ''))).toEqual([]);
});

const MOST_WORDS_TO_CONTRIBUTE = 1_500;

it(`CONTRIBUTING explains in at most ${MOST_WORDS_TO_CONTRIBUTE} words: layers, submissions, running, three changes, rules`, () => {
	const text = read('CONTRIBUTING.md');
	expect(text.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS_TO_CONTRIBUTE);
	const headings = ['Layers', 'The life of a submission', 'Run and debug', 'Add an output field', 'Add an option'];
	expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
		...[...headings, 'Add an operation', 'Rules that are easy to break', 'Reference'],
	]);
});

it('docs/install.md installs the version of package.json', () => {
	const versions = [...read('docs/install.md').matchAll(/n8n-nodes-comfy(?:-|@|","version":")(\d+\.\d+\.\d+)/g)].map(
		([, version]) => version,
	);
	expect(versions.length).toBeGreaterThan(5);
	expect(new Set(versions)).toEqual(new Set([manifest.version]));
});

it.each(['docs/glossary.md', 'docs/development/terms.md'])('%s defines each term once, in alphabetical order', (file) => {
	const [, ...terms] = [...read(file).matchAll(/^\| ([^|]+?) \|/gm)].map(([, term]) => String(term).toLowerCase());
	expect(terms.length).toBeGreaterThan(30);
	expect(terms).toEqual([...new Set(terms)].sort());
});

it('docs/development gives the reason for each dependency', () => {
	const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
	const text = read('docs/development/dependencies.md');
	const named = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@types/'));
	expect(named.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
