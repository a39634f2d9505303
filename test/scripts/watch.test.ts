import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { watchAssets, watchSources } from '../../scripts/dev/watch';
import { until } from '../support/until';

let root: string;
let end: () => void = () => undefined;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'dev-'));
});
afterEach(() => {
	end();
	rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), text);
}
const built = (path: string): string => {
	try {
		return readFileSync(join(root, 'out', path), 'utf8');
	} catch {
		return '';
	}
};

it('builds sources, and again what a change touches, type errors or not', async () => {
	write(
		'tsconfig.json',
		JSON.stringify({ compilerOptions: { rootDir: '.', lib: ['es5'], types: [], target: 'es2022', strict: true }, include: ['nodes'] }),
	);
	write('nodes/one.ts', 'export const one: number = 1;');
	write('nodes/other.ts', 'export const other = 2;');
	const builds: number[] = [];
	const problems: string[] = [];
	end = watchSources({
		config: join(root, 'tsconfig.json'),
		outFolder: join(root, 'out'),
		onBuilt: (errors) => builds.push(errors),
		onProblem: (text) => problems.push(text),
	});
	expect(builds).toEqual([0]);
	expect(built('nodes/one.js')).toContain('one = 1');
	rmSync(join(root, 'out/nodes/other.js'));

	write('nodes/one.ts', "export const one: number = 'changed';");
	await until(() => builds.length === 2);
	expect(builds).toEqual([0, 1]);
	expect(problems).toEqual([expect.stringContaining("nodes/one.ts(1,14): error TS2322: Type 'string' is not assignable")]);
	expect(built('nodes/one.js')).toContain("one = 'changed'");
	expect(built('nodes/other.js')).toBe('');
});

it('copies icons and codex files, and again when one changes', async () => {
	write('nodes/ComfyOne/ComfyOne.node.json', '{"one":1}');
	write('nodes/ComfyOne/ComfyOne.node.ts', 'no asset');
	write('icons/comfy.svg', '<svg/>');
	end = watchAssets(root, join(root, 'out'));
	expect([built('nodes/ComfyOne/ComfyOne.node.json'), built('nodes/ComfyOne/ComfyOne.node.ts')]).toEqual(['{"one":1}', '']);
	write('icons/comfy.svg', '<svg>new</svg>');
	await until(() => built('icons/comfy.svg') === '<svg>new</svg>');
});
