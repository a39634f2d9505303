/**
 * `npm run owner -- <owner>/<repository> <e-mail> ["<author>"]`: what package.json names as the repository, the author and where
 * to write to is named so in every file.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { author, homepage } from '../package.json';
import { projectRoot } from './n8nHost/environment';

const place = homepage.replace('#readme', '');

function main([repository = '', email = '', name = author.name]: string[]): void {
	if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || !email.includes('@'))
		throw new Error('npm run owner -- <owner>/<repository> <e-mail> ["<author>"]');
	const { origin } = new URL(place);
	const changes = [
		[place, `${origin}/${repository}`],
		[author.email, email],
		[author.name, name],
	] as const;
	const named = execFileSync('git', ['grep', '-lIF', ...changes.flatMap(([old]) => ['-e', old])], { cwd: projectRoot, encoding: 'utf8' });
	for (const file of named.trim().split('\n')) {
		const path = join(projectRoot, file);
		const text = readFileSync(path, 'utf8');
		writeFileSync(
			path,
			changes.reduce((changed, [old, now]) => changed.replaceAll(old, now), text),
		);
		console.log(file);
	}
}

main(process.argv.slice(2));
