/** `npm run --silent convert`, as a process of its own. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scripts } from '../../package.json';
import { differences } from '../client/graph/convert/support/compare';
import { definitions, graphText, type Recording, recordingOf, wholeDefinitions } from '../client/graph/convert/support/recordings';

const ROOT = join(__dirname, '../..');
const GRAPHS = join(ROOT, 'test/client/graph/convert/graphs');
const PLAIN = 'plain/text-to-image';

let folder: string;
let known: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'comfy-convert-'));
	known = join(folder, 'object_info.json');
	writeFileSync(known, JSON.stringify(wholeDefinitions()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function convert(...args: string[]) {
	const [command = '', ...own] = scripts.convert.split(' ');
	const { status, stdout, stderr } = spawnSync(command, [...own, ...args], { cwd: ROOT, encoding: 'utf8' });
	return { status, stdout, lines: stderr.trim().split('\n') };
}

const differencesOf = (text: string): string[] =>
	differences(JSON.parse(text) as Recording['output'], recordingOf(PLAIN)?.output ?? {}, definitions);

it('prints only the API format of one file, with every digit of a long seed', () => {
	const file = join(folder, 'long.json');
	writeFileSync(file, graphText(PLAIN).replace('884412217365', '18446744073709551557'));
	const { status, stdout, lines } = convert(file, '--definitions', known);
	expect({ status, lines }).toEqual({ status: 0, lines: [''] });
	expect(stdout).toContain('"seed": 18446744073709551557');
	expect(differencesOf(stdout.replace('18446744073709551557', '884412217365'))).toEqual([]);
});

it('writes a folder into a folder under the same names, notes what is uncertain, and refuses some files without the others', () => {
	const [from, to] = [join(folder, 'from'), join(folder, 'to')];
	mkdirSync(join(from, 'below'), { recursive: true });
	copyFileSync(join(GRAPHS, 'classes/image.json'), join(from, 'image.json'));
	copyFileSync(join(GRAPHS, `${PLAIN}.json`), join(from, 'below', 'plain.json'));
	writeFileSync(join(from, 'broken.json'), '{"nodes": [');
	writeFileSync(join(from, 'picture.png'), 'no workflow');
	writeFileSync(join(from, 'notes.txt'), 'no workflow');
	const { status, stdout, lines } = convert(from, '--definitions', known, '--out', to);
	expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
	expect(readdirSync(to, { recursive: true }).sort()).toEqual(['below', join('below', 'plain.json'), 'image.json']);
	expect(differencesOf(readFileSync(join(to, 'below/plain.json'), 'utf8'))).toEqual([]);
	expect(lines).toEqual([
		expect.stringMatching(/^broken\.json: refused: /),
		expect.stringMatching(/^image\.json: Node 69 .*: seed is 0\. This value was found by its name/),
		'picture.png: refused: No workflow of ComfyUI is in it.',
		'2 of 4 files converted',
	]);
});

it.each([
	['Say which file or folder to convert', []],
	['--out is missing', [GRAPHS, '--definitions', 'x']],
	['holds no node definitions', [join(ROOT, 'package.json'), '--definitions', join(ROOT, 'package.json')]],
])('ends with 2 and the usage for a command line where "%s"', (words, args) => {
	const { status, stdout, lines } = convert(...args);
	expect({ status, stdout, first: lines[0] }).toEqual({ status: 2, stdout: '', first: expect.stringContaining(words) });
	expect(lines.join('\n')).toContain('Usage: npm run --silent convert');
});
