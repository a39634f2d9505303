import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findChromium } from './support/findChromium';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'comfy-chromium-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(path: string, mode = 0o755): string {
	const full = join(folder, path);
	mkdirSync(join(full, '..'), { recursive: true });
	writeFileSync(full, '');
	chmodSync(full, mode);
	return full;
}
const pathOf = (...names: string[]): string => names.map((name) => join(folder, name)).join(delimiter);

describe('the browser of the editor tests', () => {
	it('is the one that CHROMIUM_PATH names, whatever is on PATH', () => {
		program('bin/chromium');
		const chosen = program('own/my-browser');
		expect(findChromium({ PATH: pathOf('bin'), CHROMIUM_PATH: chosen })).toBe(chosen);
	});

	it.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'])('is found on PATH as %s', (name) => {
		const found = program(`second/${name}`);
		expect(findChromium({ PATH: pathOf('first', 'second') })).toBe(found);
	});

	it('is Chromium rather than Chrome where both are installed', () => {
		program('first/google-chrome');
		const chromium = program('second/chromium');
		expect(findChromium({ PATH: pathOf('first', 'second') })).toBe(chromium);
	});

	it('is never a program that does not start', () => {
		program('bin/chromium', 0o644);
		mkdirSync(join(folder, 'bin/chromium-browser'));
		expect(() => findChromium({ PATH: pathOf('bin') })).toThrow(/apt-get install chromium/);
	});

	it('is requested in one line if there is none', () => {
		for (const env of [{ PATH: pathOf('bin') }, { PATH: '' }, {}])
			expect(() => findChromium(env)).toThrow(/^No Chromium was found: install it .*CHROMIUM_PATH.*$/);
	});

	it('is no other browser than the one in CHROMIUM_PATH', () => {
		program('bin/chromium');
		const wrong = join(folder, 'nothing-here');
		expect(() => findChromium({ PATH: pathOf('bin'), CHROMIUM_PATH: wrong })).toThrow(
			`CHROMIUM_PATH names no program that can be started: ${wrong}`,
		);
	});
});
