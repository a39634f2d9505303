import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

/** A line in a stack trace names its function, and is short enough to be read. */
const LINE_LENGTH = 180;

const withoutExtension = (path: string): string => path.replace(/\.js$/, '');

/** Everything that `files` export, in one file: n8n reads a single file faster than hundreds. Names stay as they are written. */
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

/** n8n loads each node and credential by a file of its name, which is the name of its class. */
function writeDoor(root: string, file: string, bundle: string): void {
	const [name] = basename(file).split('.');
	const path = join(root, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, `exports.${name} = require('${withoutExtension(relative(dirname(file), bundle))}').${name};\n`);
}

/** Builds the files that n8n loads (`dist/nodes/…`, `dist/credentials/…`): doors to one bundle of all. */
export function buildBundle(root: string, files: readonly string[]): void {
	const bundle = 'dist/comfy.js';
	writeBundle(root, files, bundle);
	for (const file of files) writeDoor(root, file, bundle);
}
