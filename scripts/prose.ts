/**
 * `npm run prose`: checks the language of documents, comments, descriptions, messages and log lines. Exits with 1 if a rule
 * reports an error. `npm run prose -- FILE…` checks only these files; `--passive` also prints sentences in the passive voice.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { type Finding, lintProse } from './prose/lint';

const root = join(__dirname, '..');
const CHECKED = ['*.md', 'docs', 'client', 'nodes', 'credentials', 'sandbox', 'scripts', 'examples'];
const EXTENSIONS = /\.(md|ts|json)$/;
/** Generated code and copies of other texts. */
const LEFT_OUT = /^(client\/generated\/|.*\.node\.json$)/;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({ options: { passive: { type: 'boolean' } }, allowPositionals: true });
	const files = positionals.length > 0 ? positionals.map((file) => relative(root, join(process.cwd(), file))) : listFiles();
	const findings: Finding[] = [];
	for (const file of files) findings.push(...(await lintProse(file, readFileSync(join(root, file), 'utf8'))));
	const errors = findings.filter(({ isWarning }) => !isWarning);
	for (const finding of values.passive ? findings : errors) console.log(render(finding));
	console.log(`${files.length} files: ${errors.length} errors, ${findings.length - errors.length} sentences in the passive voice`);
	process.exitCode = errors.length > 0 ? 1 : 0;
}

function listFiles(): string[] {
	const listed = execFileSync('git', ['ls-files', '--', ...CHECKED], { cwd: root, encoding: 'utf8' }).split('\n');
	return listed.filter((file) => EXTENSIONS.test(file) && !LEFT_OUT.test(file));
}

const render = ({ file, line, rule, message, text }: Finding): string => `${file}:${line} ${rule}: ${message}\n    ${text}`;

void main();
