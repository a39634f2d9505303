/** `npm run versions`: the table of tested versions, and its comparison with the newest versions. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	compareVersions,
	compareWithNewest,
	describeComparisons,
	exitCodeOf,
	findNewest,
	readTestedVersions,
	type Tested,
} from '../../scripts/versions/compare';
import { newestComfyUi } from '../../scripts/versions/newest';
import { FRONTEND_VERSIONS } from '../client/graph/convert/support/recordings';
import { newest, oldest } from '../e2e/engines.json';
import { dependencies } from '../e2e/host/package.json';

const read = (file: string): string => readFileSync(join(__dirname, '../..', file), 'utf8');
const tested = (...versions: string[]): Tested => ({ software: 'n8n', versions, date: '2026-11-25', how: 'npm test' });

describe('the table of tested versions', () => {
	const rows = readTestedVersions(read('docs/development/tested-versions.md'));
	const versionsOf = (name: string) => rows.find(({ software }) => software === name)?.versions;

	it('has the versions that the tests are pinned to', () => {
		expect(versionsOf('n8n')).toEqual([dependencies.n8n]);
		expect(versionsOf('n8n-core')).toEqual([oldest['n8n-core'], newest['n8n-core']]);
		expect(versionsOf('comfyui-frontend-package')).toEqual([...FRONTEND_VERSIONS]);
	});

	it('has the versions of n8n and ComfyUI that the README and docs/interfaces.md name', () => {
		const [, readme = ''] = read('README.md').split('## Tested with');
		const [, interfaces = ''] = read('docs/interfaces.md').split('## Tested versions');
		for (const version of [...(versionsOf('n8n') ?? []), ...(versionsOf('ComfyUI') ?? [])]) expect(readme).toContain(version);
		for (const version of versionsOf('ComfyUI') ?? []) expect(interfaces).toContain(version);
	});

	it('has only commands that package.json has', () => {
		const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
		const named = rows.flatMap(({ how }) => [...how.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => String(name)));
		expect(named.length).toBeGreaterThanOrEqual(rows.length);
		expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
	});

	it.each(['| n8n | newest | 2026-11-25 | run |', '| n8n | 2.40.7 | yesterday | run |', '| n8n | 2.40.7 | 2026-11-25 |', '# No rows'])(
		'is rejected if it contains only "%s"',
		(line) => {
			expect(() => readTestedVersions(line)).toThrow(/tested versions/);
		},
	);
});

it.each([
	['2.9', '2.10', -1],
	['0.3.75', '0.33.0', -1],
	['1.0.0', '0.99.99', 1],
	['2.1', '2.1.0', 0],
])('compares %s with %s by numbers', (one, other, sign) => {
	expect([Math.sign(compareVersions(one, other)), Math.sign(compareVersions(other, one))]).toEqual([sign, 0 - sign]);
});

it('finds the newest of tags, and ignores previews and other tags', () => {
	expect(findNewest(['v0.9.0', 'v0.33.0', 'v0.3.75', 'v1.0.0-rc1', 'latest'])).toBe('0.33.0');
	expect(findNewest(['latest'])).toBeUndefined();
});

it('calls a version old only if all tested versions are older than the newest version', () => {
	const verdictOf = (versions: string[], version: string) => compareWithNewest(tested(...versions), { version }, 'run').verdict;
	expect(verdictOf(['2.40.7'], '2.41.3')).toBe('old');
	expect(verdictOf(['2.41.3', '2.40.7'], '2.41.3')).toBe('current');
	expect(verdictOf(['2.41.10'], '2.41.3')).toBe('current');
});

describe('the report', () => {
	const old = compareWithNewest(tested('2.40.7'), { version: '2.41.3' }, 'npm run test:e2e');
	const current = compareWithNewest(tested('1.2', '1.10'), { version: '1.10' }, 'npm run oracle');
	const missing = compareWithNewest({ ...tested('0.1.6'), software: 'proxy' }, { problem: 'the registry did not answer' }, '');

	it('prints the command only for an old version, and why a version could not be found', () => {
		const lines = describeComparisons([old, current, missing]).split('\n');
		expect(lines.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
			['n8n', '2.40.7', '2.41.3', 'old', 'npm run test:e2e'],
			['n8n', '1.2, 1.10', '1.10', 'current'],
			['proxy', '0.1.6', '?', 'could not be found'],
			['The newest version of proxy could not be found: the registry did not answer'],
		]);
	});

	it('fails only with --strict, and only for an old version', () => {
		expect([exitCodeOf([old], true), exitCodeOf([old], false), exitCodeOf([current, missing], true)]).toEqual([1, 0, 0]);
	});
});

describe('the newest version of ComfyUI', () => {
	let folder = '';
	const git = (...args: string[]) =>
		execFileSync('git', ['-C', folder, '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { stdio: 'ignore' });
	const sources = () => join(folder, 'sources');
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'comfy-versions-'));
		mkdirSync(sources());
		writeFileSync(join(sources(), 'comfyui_version.py'), '# Generated\n__version__ = "0.33.0"\n');
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it('is the version of the sources in a folder', async () => {
		await expect(newestComfyUi(sources())).resolves.toEqual({ version: '0.33.0' });
	});

	it('is the newest tag of the origin of a clone, and the version of its sources if the origin does not answer', async () => {
		git('init', 'origin');
		git('-C', 'origin', 'commit', '--allow-empty', '-m', 'x');
		for (const tag of ['v0.9.0', 'v0.34.1', 'nightly']) git('-C', 'origin', 'tag', tag);
		git('init', 'sources');
		await expect(newestComfyUi(sources())).resolves.toEqual({ version: '0.33.0' });
		git('-C', 'sources', 'remote', 'add', 'origin', join(folder, 'origin'));
		await expect(newestComfyUi(sources())).resolves.toEqual({ version: '0.34.1' });
	});

	it('is the version that a running server reports', async () => {
		const server = createServer((request, response) =>
			response.end(request.url === '/system_stats' ? '{"system":{"comfyui_version":"0.34.0"}}' : '{}'),
		);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			await expect(newestComfyUi(`${url}/`)).resolves.toEqual({ version: '0.34.0' });
			await expect(newestComfyUi(`${url}/other`)).resolves.toEqual({ problem: `${url}/other reported no version` });
		} finally {
			server.close();
		}
	});

	it('could not be found without a folder or an address, and the problem names the option', async () => {
		await expect(newestComfyUi(undefined)).resolves.toEqual({ problem: expect.stringContaining('--comfyui') as string });
		await expect(newestComfyUi(folder)).resolves.toEqual({ problem: expect.stringContaining('comfyui_version.py') as string });
	});
});
