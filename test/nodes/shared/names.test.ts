import { derivedKey } from '../../../nodes/shared/derivedKey';
import { safeFileName } from '../../../nodes/shared/fileNames';

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
		expect(new Set([key, derivedKey(['workflow', 'execution', 'node', 1, 0]), derivedKey(['workflow', 'execution', 'node', 0, '1'])]).size).toBe(3);
	});
});
