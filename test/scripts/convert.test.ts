/** `npm run --silent convert`, as a process of its own. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { scripts } from '../../package.json';
import { readCommandLine } from '../../scripts/convert/options';
import { differences } from '../client/graph/convert/support/compare';
import { definitions, graphText, type Recording, recordingOf, wholeDefinitions } from '../client/graph/convert/support/recordings';

const ROOT = join(__dirname, '../..');
const GRAPHS = join(ROOT, 'test/client/graph/convert/graphs');

let folder: string;
let known: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'comfy-convert-'));
	known = join(folder, 'object_info.json');
	writeFileSync(known, JSON.stringify(wholeDefinitions()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
	exitCode: number | null;
	out: string;
	told: string;
}

async function convert(...args: string[]): Promise<Ended> {
	const [command = '', ...own] = scripts.convert.split(' ');
	const child = spawn(command, [...own, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
	const [out, told]: [Buffer[], Buffer[]] = [[], []];
	child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
	child.stderr.on('data', (chunk: Buffer) => told.push(chunk));
	const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
	return { exitCode, out: Buffer.concat(out).toString(), told: Buffer.concat(told).toString() };
}

const graphFile = (name: string): string => join(GRAPHS, `${name}.json`);
const differencesOf = (text: string, name: string): string[] =>
	differences(JSON.parse(text) as Recording['output'], recordingOf(name)?.output ?? {}, definitions);

describe('npm run convert', () => {
	it('prints only the API format of one file, with every digit of a long seed', async () => {
		const file = join(folder, 'long.json');
		writeFileSync(file, graphText('plain/text-to-image').replace('884412217365', '18446744073709551557'));
		const { exitCode, out, told } = await convert(file, '--definitions', known);
		expect({ exitCode, told }).toEqual({ exitCode: 0, told: '' });
		expect(out).toContain('"seed": 18446744073709551557');
		expect(differencesOf(out.replace('18446744073709551557', '884412217365'), 'plain/text-to-image')).toEqual([]);
	});

	it('writes a folder into a folder under the same names, notes what is uncertain, and refuses one file without the others', async () => {
		const [from, to] = [join(folder, 'from'), join(folder, 'to')];
		mkdirSync(join(from, 'below'), { recursive: true });
		copyFileSync(graphFile('classes/image'), join(from, 'image.json'));
		copyFileSync(graphFile('refused/load-3d'), join(from, 'load-3d.json'));
		copyFileSync(graphFile('plain/text-to-image'), join(from, 'below', 'plain.json'));
		writeFileSync(join(from, 'broken.json'), '{"nodes": [');
		writeFileSync(join(from, 'picture.png'), 'no workflow');
		writeFileSync(join(from, 'notes.txt'), 'no workflow');
		const { exitCode, out, told } = await convert(from, '--definitions', known, '--out', to);
		expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
		expect(readdirSync(to, { recursive: true }).sort()).toEqual(['below', join('below', 'plain.json'), 'image.json']);
		expect(differencesOf(readFileSync(join(to, 'below/plain.json'), 'utf8'), 'plain/text-to-image')).toEqual([]);
		expect(told.trim().split('\n')).toEqual([
			expect.stringMatching(/^broken\.json: refused: /),
			expect.stringMatching(
				/^image\.json: Node 69 "Shuffle Pairs of Image-Text" \(ShuffleImageTextDataset\): seed is 0\. This value was found by its name/,
			),
			expect.stringMatching(/^load-3d\.json: refused: .*node 1 .*\(Load3D\)/),
			'picture.png: refused: No workflow of ComfyUI is in it.',
			'2 of 5 files converted',
		]);
	});

	it('converts the graph that a picture contains', async () => {
		const name = 'plain/text-to-image';
		const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
			.png()
			.toBuffer();
		const file = join(folder, 'picture.png');
		writeFileSync(file, withText(png, 'workflow', graphText(name)));
		const { exitCode, out } = await convert(file, '--definitions', known);
		expect(exitCode).toBe(0);
		expect(differencesOf(out, name)).toEqual([]);
	});

	it('chooses one text of a dynamic prompt', async () => {
		const { out } = await convert(graphFile('workflows/two-model-refiner-2023'), '--definitions', known);
		expect(out).toMatch(/"text_g": "a heron, (misty|clear) morning"/);
	});

	it.each([
		['nothing to convert', [], 'Say which file or folder to convert'],
		['no definitions', [ROOT], '--definitions is missing'],
		['a folder without --out', [GRAPHS, '--definitions', 'x'], '--out is missing'],
		['a file that does not exist', ['nowhere.json', '--definitions', 'x'], 'There is no file or folder nowhere.json'],
		['an unknown option', ['--fast'], "'--fast'"],
	])('refuses a command line with %s', (_, args, words) => {
		expect(() => readCommandLine(args)).toThrow(words);
	});

	it('prints the usage and exits with 2 if the definitions are invalid', async () => {
		const { exitCode, out, told } = await convert(join(ROOT, 'package.json'), '--definitions', join(ROOT, 'package.json'));
		expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
		expect(told.split('\n')[0]).toContain('holds no node definitions');
		expect(told).toContain('Usage: npm run --silent convert');
	});
});

/** A PNG with one more text chunk, which begins after the header's 33 bytes. Its check sum is not read. */
function withText(png: Buffer, name: string, text: string): Buffer {
	const data = Buffer.from(`${name}\0${text}`, 'latin1');
	const length = Buffer.alloc(4);
	length.writeUInt32BE(data.length);
	return Buffer.concat([png.subarray(0, 33), length, Buffer.from('tEXt'), data, Buffer.alloc(4), png.subarray(33)]);
}
