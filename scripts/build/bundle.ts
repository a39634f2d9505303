import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

/** Short enough for stack traces. Shorter lines would make the package larger. */
const LINE_LENGTH = 180;

const withoutExtension = (path: string): string => path.replace(/\.js$/, '');

/** Bundles the exports of all `files` into one file, which n8n loads faster than hundreds. Names are not minified. */
function writeBundle(root: string, files: readonly string[], bundle: string): void {
	const sources = files.map((file) => `./${withoutExtension(relative('dist', file))}.ts`);
	buildSync({
		stdin: { contents: sources.map((source) => `export * from '${source}';`).join('\n'), resolveDir: root },
		tsconfig: join(root, 'tsconfig.json'),
		outfile: join(root, bundle),
		bundle: true,
		packages: 'external',
		platform: 'node',
		target: 'node20.19',
		charset: 'utf8',
		legalComments: 'none',
		minifyWhitespace: true,
		minifySyntax: true,
		lineLimit: LINE_LENGTH,
	});
}

/** n8n loads each node and credential from a file with the name of its class. */
function writeEntryFile(root: string, file: string, bundle: string): void {
	const [name] = basename(file).split('.');
	const path = join(root, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, `exports.${name} = require('${withoutExtension(relative(dirname(file), bundle))}').${name};\n`);
}

/** Builds the files that n8n loads (`dist/nodes/…`, `dist/credentials/…`). Each exports one class of the bundle. */
export function buildBundle(root: string, files: readonly string[]): void {
	const bundle = 'dist/comfy.js';
	writeBundle(root, files, bundle);
	for (const file of files) writeEntryFile(root, file, bundle);
}
