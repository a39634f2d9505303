/** Which n8n it runs on is said in test/e2e/engines.json; what is installed and told follows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { FRONTEND_VERSIONS } from '../client/graph/convert/support/recordings';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const json = <T>(file: string): T => JSON.parse(read(file)) as T;

type Engine = Record<'n8n' | 'n8n-core' | 'n8n-workflow', string>;

const { oldest, newest } = json<Record<'oldest' | 'newest', Engine>>('test/e2e/engines.json');
const parts = ({ 'n8n-core': core, 'n8n-workflow': workflow }: Engine) => ({ 'n8n-core': core, 'n8n-workflow': workflow });

it('npm test runs the nodes on the newest', () => {
	const { packages } = json<{ packages: Record<string, { version: string }> }>('package-lock.json');
	const locked = (name: string) => packages[`node_modules/${name}`]?.version;
	expect({ 'n8n-core': locked('n8n-core'), 'n8n-workflow': locked('n8n-workflow') }).toEqual(parts(newest));
});

it('npm run test:e2e runs them on the oldest, whose types hold as well', () => {
	expect(json<{ dependencies: object }>('test/e2e/engine-1x/package.json').dependencies).toEqual(parts(oldest));
	const { devDependencies } = json<{ devDependencies: Record<string, string> }>('package.json');
	expect(devDependencies['n8n-workflow-1x']).toBe(`npm:n8n-workflow@${oldest['n8n-workflow']}`);
});

it('npm run test:e2e lists only suites that exist for the oldest', () => {
	expect(jest.requireActual<{ testMatch: string[] }>('../e2e/engine1x.jest.config.js').testMatch.length).toBeGreaterThan(0);
});

it('a real n8n between the two versions runs the packed package', () => {
	const { n8n = '' } = json<{ dependencies: Record<string, string> }>('test/e2e/host/package.json').dependencies;
	const order = [oldest.n8n, n8n, newest.n8n].map((version) => version.split('.').map(Number));
	expect(order.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)).toEqual(order);
});

it('README names both versions', () => expect(read('README.md')).toContain(`${oldest.n8n} to ${newest.n8n}`));

describe('docs/development/tested-versions.md', () => {
	const rows = new Map(
		[...read('docs/development/tested-versions.md').matchAll(/^\| ([\w-]+) \| ([\d., ]+) \|/gm)].map(([, software = '', versions = '']) => [
			software,
			versions.split(', '),
		]),
	);

	it('has the versions that the tests are pinned to', () => {
		const { n8n } = json<{ dependencies: Record<string, string> }>('test/e2e/host/package.json').dependencies;
		expect(Object.fromEntries(rows)).toMatchObject({
			n8n: [n8n],
			'n8n-core': [oldest['n8n-core'], newest['n8n-core']],
			'comfyui-frontend-package': [...FRONTEND_VERSIONS],
		});
	});

	it('has the versions of n8n and ComfyUI that the README and docs/interfaces.md name', () => {
		const [, readme = ''] = read('README.md').split('## Tested with');
		const [, interfaces = ''] = read('docs/interfaces.md').split('## Tested versions');
		const comfyui = rows.get('ComfyUI') ?? [];
		expect(comfyui).toHaveLength(2);
		for (const version of [...(rows.get('n8n') ?? []), ...comfyui]) expect(readme).toContain(version);
		for (const version of comfyui) expect(interfaces).toContain(version);
	});
});
