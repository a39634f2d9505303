import { derivedKey } from '../../../nodes/shared/submission/derivedKey';
import { safeFileName } from '../../../nodes/shared/files/safeFileName';

describe('safeFileName', () => {
	it.each([
		['../../etc/passwd', 'passwd'],
		['..\\..\\boot.ini', 'boot.ini'],
		['/abs/olute.png', 'olute.png'],
		['a:b*c?.png', 'a_b_c_.png'],
		['nul\u0000l\n.png', 'nul_l_.png'],
		['..', 'fallback'],
		['', 'fallback'],
		['.hidden.png', 'hidden.png'],
	])('makes %j safe', (name, expected) => {
		expect(safeFileName(name, 'fallback')).toBe(expected);
	});

	it.each([
		['CON', '_CON'],
		['nul.png', '_nul.png'],
		['com1.tar.gz', '_com1.tar.gz'],
		['LPT\u00b9', '_LPT\u00b9'],
		['end. .', 'end'],
		['cat\u202egnp.exe', 'cat_gnp.exe'],
		['a\u2066b\u2069\u200f.png', 'a_b__.png'],
		['\ufeffa\u00ad\u2028b.png', '_a__b.png'],
		['half \ud83d.png', 'half _.png'],
	])('makes %j safe on every disk', (name, expected) => {
		expect(safeFileName(name, 'fallback')).toBe(expected);
	});

	it('keeps what only looks like a device, and the joiners of scripts', () => {
		for (const name of ['console.png', 'com10.png', 'نمی\u200cخواهم.png', '👩\u200d🎨.png'])
			expect(safeFileName(name, 'fallback')).toBe(name);
	});

	it('a name that is made from a node’s id is safe as well', () => {
		expect(safeFileName('', 'output-57:3', 'image/png')).toBe('output-57_3.png');
	});

	it('bounds a name by its bytes, and cuts no character in two', () => {
		const name = safeFileName(`${'猫'.repeat(300)}.png`, 'f');
		expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
		expect(name).toMatch(/^猫+\.png$/);
		expect(safeFileName('😺'.repeat(300), 'f')).toMatch(/^(😺)+$/u);
	});

	it('adds the usual extension only where a name has none', () => {
		expect(safeFileName('clip', 'f', 'video/mp4')).toBe('clip.mp4');
		expect(safeFileName('clip.mov', 'f', 'video/mp4')).toBe('clip.mov');
		expect(safeFileName('thing', 'f', 'application/x-new')).toBe('thing');
	});

	it('keeps the end of an endless name, where its extension is', () => {
		expect(safeFileName(`${'a'.repeat(500)}.png`, 'f')).toHaveLength(200);
		expect(safeFileName(`${'a'.repeat(500)}.png`, 'f')).toMatch(/\.png$/);
	});
});

describe('derivedKey', () => {
	it('is a version 5 UUID, the same for the same parts and different for others', () => {
		const key = derivedKey(['workflow', 'execution', 'node', 0, 1]);
		expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(derivedKey(['workflow', 'execution', 'node', 0, 1])).toBe(key);
		expect(
			new Set([key, derivedKey(['workflow', 'execution', 'node', 1, 0]), derivedKey(['workflow', 'execution', 'node', 0, '1'])]).size,
		).toBe(3);
	});
});
