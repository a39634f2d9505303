/** `npm run owner`, in a copy of the repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { author, homepage, scripts } from '../../package.json';

const ROOT = join(__dirname, '../..');
const PLACE = homepage.replace('#readme', '');
/** A name that is also a word of the documents. */
const FIRST = { repository: 'ann/comfy', email: 'ann@example.org', name: 'Nodes' };
const SECOND = { repository: 'bob-b/comfy.nodes', email: 'bob@example.net', name: 'Bob "$&" B' };
/** Addresses of another repository, and a link that only a later README has. */
const OTHERS = 'https://github.com/ann/comfy-tools, https://github.com/bob-b/comfy';
const AS_HTML = '<img src="docs/nodes.png"><a href="docs/README.md">Documents</a> [Top](#install) ![Nodes](docs/nodes.png)';

let copy: string;
beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'comfy-owner-'));
	const files = execFileSync('git', ['ls-files', '-zco', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
	for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name))))
		cpSync(join(ROOT, file), join(copy, file));
	symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
	appendFileSync(join(copy, 'docs/README.md'), `\n${OTHERS}\n`);
	appendFileSync(join(copy, 'README.md'), `\n${AS_HTML}\n`);
	execFileSync('git', ['init', '--quiet'], { cwd: copy });
	execFileSync('git', ['add', '--all'], { cwd: copy });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const read = (file: string): string => readFileSync(join(copy, file), 'utf8');

function nameOwner(...args: string[]) {
	const [command = '', ...own] = scripts.owner.split(' ');
	return spawnSync(command, [...own, ...args], { cwd: copy, encoding: 'utf8' });
}

/** The files that contain one of these texts, without this one. */
const filesWith = (...texts: string[]): string[] => {
	const { stdout } = spawnSync('git', ['grep', '-lIF', ...texts.flatMap((text) => ['-e', text])], { cwd: copy, encoding: 'utf8' });
	return stdout.split('\n').filter((file) => file !== '' && file !== 'test/scripts/owner.test.ts');
};

/** Runs the suite that compares all documents. */
function checkDocuments() {
	const { status, stderr } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', 'test/package/documents'], {
		cwd: copy,
		encoding: 'utf8',
	});
	expect({ status, failed: stderr.match(/^ +● .*$/gm) }).toEqual({ status: 0, failed: null });
}

it.each([
	[['comfy', FIRST.email], '"comfy" is no <owner>/<repository>'],
	[[FIRST.repository, 'ann'], '"ann" is no e-mail address'],
	[[FIRST.repository, 'ann@comfy.example'], '"ann@comfy.example" receives no mail'],
])('rejects the arguments %j and changes nothing', (args, message) => {
	const { status, stderr, stdout } = nameOwner(...args);
	expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, stdout: '', lines: 1 });
	expect(stderr).toContain(message);
	expect(execFileSync('git', ['diff', '--name-only'], { cwd: copy, encoding: 'utf8' })).toBe('');
});

it.each([
	['the first run names the owner', FIRST, { place: PLACE, email: author.email, inLicense: author.name }],
	[
		'the second run changes the names again',
		SECOND,
		{ place: 'https://github.com/ann/comfy', email: FIRST.email, inLicense: '2026 Nodes' },
	],
])('%s in every file, and the documents still agree', (_, { repository, email, name }, old) => {
	const { status, stderr } = nameOwner(repository, email, name);
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

	const place = `https://github.com/${repository}`;
	expect(JSON.parse(read('package.json'))).toMatchObject({
		homepage: `${place}#readme`,
		author: { name, email },
		bugs: { url: `${place}/issues` },
		repository: { url: `git+${place}.git` },
	});
	expect(read('LICENSE')).toContain(`2026 ${name}`);
	expect(read('LICENSE')).not.toContain(old.inLicense);
	expect(read('SECURITY.md')).toContain(`\nWrite to ${email}.\n`);
	expect(filesWith(old.email, `${old.place}/`, `${old.place}#`, `${old.place}.git`)).toEqual([]);
	for (const kept of [OTHERS, '- Nodes:']) expect(read('docs/README.md')).toContain(kept);
	checkDocuments();
});

it('removes what is true only until the package is published', () => {
	expect(filesWith('<!-- until published').filter((file) => file.endsWith('.md') && !file.endsWith('release.md'))).toEqual([]);
	expect(filesWith('not published yet').filter((file) => file.endsWith('.md') && !file.endsWith('release.md'))).toEqual([]);
	expect(read('SECURITY.md')).toMatch(/## Report a vulnerability\n\nWrite to .*\n\nDo not open/);
});

it('makes each link of README absolute: files to their page, pictures to their bytes', () => {
	const links = [...read('README.md').matchAll(/(?:\]\(|(?:src|href)=")([^)"]+)/g)].map(([, link = '']) => link);
	expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
	const page = `https://github.com/${SECOND.repository}/blob/main/`;
	const raw = `https://raw.githubusercontent.com/${SECOND.repository}/main/`;
	const own = links.filter((link) => link.startsWith(page) || link.startsWith(raw));
	expect(own.length).toBeGreaterThan(30);
	for (const link of own) {
		expect(link.startsWith(raw)).toBe(/\.(png|webp)$/.test(link));
		expect([link, existsSync(join(copy, link.replace(page, '').replace(raw, '').split('#')[0] ?? ''))]).toEqual([link, true]);
	}
	expect(read('README.md')).toContain(
		`<img src="${raw}docs/nodes.png"><a href="${page}docs/README.md">Documents</a> [Top](#install) ![Nodes](${raw}docs/nodes.png)`,
	);
});

it('keeps package.json as it is formatted', () => {
	const { status } = spawnSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--check', 'package.json'], { cwd: copy });
	expect(status).toBe(0);
});
