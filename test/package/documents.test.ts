import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

it.each(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md'])('%s links only to files that are there', (file) => {
	const links = [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => String(link));
	expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([]);
});

/** The ids that README has: of its headings as GitHub writes them, and its own. */
const anchors = (): string[] => {
	const text = read('README.md');
	const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => String(heading).toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));
	return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => String(id))];
};

const FIRST_SCREEN_WORDS = 500;

it(`README’s first screen says in at most ${FIRST_SCREEN_WORDS} words: install, paste, choose, run, see`, () => {
	const firstScreen = read('README.md').split('## What you can count on')[0] ?? '';
	expect(firstScreen.split(/\s+/).length).toBeLessThanOrEqual(FIRST_SCREEN_WORDS);
	for (const said of ['Community nodes', 'Comfy Run Workflow', 'Export (API)', '*Inputs*', 'Execute step', 'View']) expect(firstScreen).toContain(said);
});

it.each(['README.md', 'examples/README.md'])('%s leads to places that README has', (file) => {
	const links = [...read(file).matchAll(/\]\((?:\.\.\/README\.md)?#([\w-]+)\)/g)].map(([, anchor]) => String(anchor));
	expect(links.filter((anchor) => !anchors().includes(anchor))).toEqual([]);
});

it('every example is told of', () => {
	const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.json'));
	expect(examples.filter((name) => !read('examples/README.md').includes(`(${name})`))).toEqual([]);
});

it('E10: each node and credential has help of its own in README', () => {
	const ours = (file: string): string[] => [...read(file).matchAll(/https:\/\/github\.com\/n8n-nodes-comfy\/n8n-nodes-comfy#([\w-]+)/g)].map(([, anchor]) => String(anchor));
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { nodes: string[]; credentials: string[] } };
	const ofNodes = n8n.nodes.map((file) => ours(file.replace('dist/', '').replace('.js', '.json'))[0]);
	const ofCredentials = n8n.credentials.map((file) => ours(file.replace('dist/', '').replace('.js', '.ts'))[0]);
	for (const own of [ofNodes, ofCredentials]) expect(new Set(own).size).toBe(own.length);
	for (const anchor of [...ofNodes, ...ofCredentials]) expect(anchors()).toContain(anchor);
});

it('S5: README says how n8n’s limits on addresses bear on these nodes', () => {
	for (const variable of ['N8N_SSRF_PROTECTION_ENABLED', 'N8N_SSRF_ALLOWED_IP_RANGES', 'N8N_SSRF_ALLOWED_HOSTNAMES']) expect(read('README.md')).toContain(variable);
});

it('P4: README does not advise the mode in which n8n takes each file whole into memory', () => {
	expect(read('README.md')).toMatch(/`database` is no way to stream/);
});

it('P3: what stands in for an owner’s addresses is listed, and stands nowhere under another name', () => {
	const { homepage, repository, author } = JSON.parse(read('package.json')) as { homepage: string; repository: { url: string }; author: { email: string } };
	const place = homepage.replace('#readme', '');
	expect(repository.url).toBe(`git+${place}.git`);
	for (const placeholder of [place, author.email]) expect(read('CONTRIBUTING.md')).toContain(placeholder);
	const sources = execFileSync('git', ['ls-files', 'nodes', 'credentials', 'client', 'package.json'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
	const ours = sources.flatMap((file) => [...read(file).matchAll(/https:\/\/github\.com\/[\w.-]+\/[\w-]+/g)].map(([address]) => address));
	expect(new Set(ours)).toEqual(new Set([place]));
});

it('CONTRIBUTING says why each dependency is there', () => {
	const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
	const text = read('CONTRIBUTING.md');
	const named = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@types/'));
	expect(named.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('lockfiles name no download address', () => {
	for (const file of ['package-lock.json', 'test/e2e/engine-1x/package-lock.json', 'test/e2e/host/pnpm-lock.yaml']) {
		expect(read(file)).not.toMatch(/"resolved": *"http|tarball: *http/);
	}
});

it('the packed tarball holds what n8n loads, and no sources, tests or sandbox', () => {
	const report = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
	const [{ files }] = JSON.parse(report) as [{ files: Array<{ path: string }> }];
	const paths = files.map(({ path }) => path);
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { nodes: string[]; credentials: string[] } };
	for (const file of [...n8n.nodes, ...n8n.credentials, 'index.js', 'README.md', 'LICENSE', 'dist/icons/comfy.svg', 'dist/icons/comfy.dark.svg']) {
		expect(paths).toContain(file);
	}
	for (const node of n8n.nodes) expect(paths).toContain(node.replace('.node.js', '.node.json'));
	expect(paths.filter((path) => /^(test|sandbox|scripts|client|nodes|contract)\//.test(path))).toEqual([]);
});
