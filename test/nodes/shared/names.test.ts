import { safeFileName } from '../../../nodes/shared/files/safeFileName';

it.each<readonly [name: string, expected: string]>([
	['../../etc/passwd', 'passwd'],
	['..\\..\\boot.ini', 'boot.ini'],
	['/abs/olute.png', 'olute.png'],
	['a:b*c?.png', 'a_b_c_.png'],
	['nul\u0000l\n.png', 'nul_l_.png'],
	['..', 'fallback'],
	['', 'fallback'],
	['.hidden.png', 'hidden.png'],
	['CON', '_CON'],
	['nul.png', '_nul.png'],
	['com1.tar.gz', '_com1.tar.gz'],
	['LPT\u00b9', '_LPT\u00b9'],
	['end. .', 'end'],
	['cat\u202egnp.exe', 'cat_gnp.exe'],
	['a\u2066b\u2069\u200f.png', 'a_b__.png'],
	['\ufeffa\u00ad\u2028b.png', '_a__b.png'],
	['half \ud83d.png', 'half _.png'],
	...['console.png', 'com10.png', 'نمی\u200cخواهم.png', '👩\u200d🎨.png'].map((name) => [name, name] as const),
	[`${'a'.repeat(500)}.png`, `${'a'.repeat(196)}.png`],
	[`${'猫'.repeat(300)}.png`, `${'猫'.repeat(65)}.png`],
	['😺'.repeat(300), '😺'.repeat(50)],
])('the name %j becomes %j, which is safe on every disk', (name, expected) => {
	expect(safeFileName(name, 'fallback')).toBe(expected);
});

it.each([
	['', 'output-57:3', 'image/png', 'output-57_3.png'],
	['clip', 'f', 'video/mp4', 'clip.mp4'],
	['clip.mov', 'f', 'video/mp4', 'clip.mov'],
	['thing', 'f', 'application/x-new', 'thing'],
])('the name %j, else %j, of a file of the type %s becomes %s', (name, fallback, mimeType, expected) => {
	expect(safeFileName(name, fallback, mimeType)).toBe(expected);
});
