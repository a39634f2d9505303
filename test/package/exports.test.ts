import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const PRODUCT = /^(client|nodes|credentials|sandbox)\//;
/** n8n finds these by the paths that package.json lists. */
const FOUND_BY_N8N = /\.(node|credentials)\.ts$/;

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root, encoding: 'utf8' })
	.trim()
	.split('\n')
	.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const filesWith = new Map<string, Set<string>>();
for (const { file, text } of files)
	for (const [word] of text.matchAll(/[\w$]+/g)) filesWith.set(word, (filesWith.get(word) ?? new Set()).add(file));

/** A type may have to be exported for a declaration that uses it. A value is exported only if another file imports it. */
const valuesOf = (text: string): string[] =>
	[...text.matchAll(/^export (?:async )?(?:abstract )?(?:const|function\*?|class) ([\w$]+)/gm)].map(([, name]) => String(name));

it('another file uses every value that a file exports', () => {
	const exported = files
		.filter(({ file }) => PRODUCT.test(file) && !FOUND_BY_N8N.test(file))
		.flatMap(({ file, text }) => valuesOf(text).map((name) => ({ file, name })));
	expect(exported.length).toBeGreaterThan(1_000);
	expect(exported.filter(({ name }) => (filesWith.get(name)?.size ?? 0) < 2)).toEqual([]);
});
