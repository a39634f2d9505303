/** n8n's scanner asks what n8n Cloud asks. docs/development/scanner.md lists its findings, each with the reason why it stays. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

interface Linted {
	messages: Array<{ ruleId: string | null; message: string }>;
}

/** `rule: what it is about`, for all that is scanned: sources, and what is built of them. */
function findings(): string[] {
	const eslint = join(root, 'node_modules/eslint/bin/eslint.js');
	const config = join(__dirname, 'support/scanner.config.mjs');
	const { stdout } = spawnSync(
		process.execPath,
		[eslint, '--config', config, '--no-inline-config', '--no-ignore', '--format', 'json', 'package.json', 'nodes', 'credentials', 'dist'],
		// In tests its rules look for other file names.
		{ cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, env: { ...process.env, NODE_ENV: undefined } },
	);
	const messages = (JSON.parse(stdout) as Linted[]).flatMap((file) => file.messages);
	const nameOf = (ruleId: string | null): string => String(ruleId).replace('@n8n/community-nodes/', '');
	const subjectOf = (message: string): string => /['"]([^'"]+)['"]/.exec(message)?.[1] ?? message;
	return [...new Set(messages.map(({ ruleId, message }) => `${nameOf(ruleId)}: ${subjectOf(message)}`))].sort();
}

/** The rows of the table: rule, what it is about, why it stays. */
function listed(): string[] {
	const [, section = ''] = readFileSync(join(root, 'docs/development/scanner.md'), 'utf8').split('| Rule |');
	const rows = [...section.matchAll(/^\| `([\w-]+)` \| (.+?) \| (.+?) \|$/gm)];
	return rows
		.flatMap(([, rule, subjects]) => [...String(subjects).matchAll(/`([^`]+)`/g)].map(([, subject]) => `${rule}: ${subject}`))
		.sort();
}

it('finds what is listed, and nothing else', () => expect(findings()).toEqual(listed()));
