/**
 * `npm run owner -- <owner>/<repository> <e-mail> ["<author>"]`: names the owner in every file before the first release, and
 * removes what is true only until then. A second run changes the names again.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { author, homepage } from '../package.json';
import { projectRoot } from './n8nHost/environment';

const USAGE = 'npm run owner -- <owner>/<repository> <e-mail> ["<author>"]';
const UNTIL_PUBLISHED = '<!-- until published';
const RAW = 'https://raw.githubusercontent.com/';

/** Who publishes the package, and where. */
interface Owner {
	/** The address of the repository. */
	place: string;
	/** Where the repository's files can be read as they are. */
	raw: string;
	email: string;
	name: string;
}

const at = (origin: string, repository: string, email: string, name: string): Owner => ({
	place: `${origin}/${repository}`,
	raw: `${RAW}${repository}/main`,
	email,
	name,
});

/** @throws Error that names the argument to change. */
function readArguments(origin: string, [repository = '', email = '', name = author.name]: string[]): Owner {
	if (!/^[\w-]+\/[\w.-]+$/.test(repository)) throw new Error(`"${repository}" is no <owner>/<repository>. Run ${USAGE}`);
	if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) throw new Error(`"${email}" is no e-mail address. Run ${USAGE}`);
	if (email.endsWith('.example')) throw new Error(`"${email}" receives no mail, because .example is reserved. Enter an address that does.`);
	return at(origin, repository, email, name);
}

/** An address with more letters after the repository belongs to another repository. */
const replaceAddress = (text: string, old: string, now: string): string =>
	text
		.split(old)
		.map((part, index) => (index === 0 ? part : (/^[\w-]/.test(part) ? old : now) + part))
		.join('');

/** Removes each marked paragraph. A mark with a text (`<!-- until published: text -->`) leaves this text instead. */
const withoutMarked = (text: string): string =>
	text.replace(/^<!-- until published(?:: (.*))? -->\n(?:.+\n)+\n?/gm, (_, instead?: string) =>
		instead === undefined ? '' : `${instead}\n\n`,
	);

/** The registry's page shows README alone: there, a relative link leads nowhere. */
const withAbsoluteLinks = (text: string, { place, raw }: Owner): string =>
	text.replace(/(\]\(|\b(?:src|srcset|href)=")(?![a-z]+:|#)([^)"\s]+)/g, (_, before: string, path: string) => {
		const folder = /\.(png|webp|gif|jpe?g|svg)$/.test(path) ? raw : `${place}/blob/main`;
		return `${before}${folder}/${path}`;
	});

/** Returns the content of a file with the new owner. */
function rewrite(file: string, text: string, old: Owner, now: Owner): string {
	const marked = file.endsWith('.md') ? withoutMarked(text) : text;
	const addressed = replaceAddress(replaceAddress(marked, old.place, now.place), old.raw, now.raw);
	if (file === 'README.md') return withAbsoluteLinks(addressed, now);
	if (file === 'SECURITY.md') return addressed.replaceAll(old.email, () => now.email);
	if (file === 'LICENSE') return addressed.replace(old.name, () => now.name);
	if (file !== 'package.json') return addressed;
	const manifest = { ...(JSON.parse(addressed) as object), author: { name: now.name, email: now.email } };
	return `${JSON.stringify(manifest, null, '\t')}\n`;
}

function main(args: string[]): void {
	const { origin, pathname } = new URL(homepage);
	const old = at(origin, pathname.slice(1), author.email, author.name);
	const now = readArguments(origin, args);
	const wanted = [old.place, old.raw, UNTIL_PUBLISHED].flatMap((text) => ['-e', text]);
	const found = execFileSync('git', ['grep', '-lIF', ...wanted], { cwd: projectRoot, encoding: 'utf8' });
	for (const file of new Set([...found.trim().split('\n'), 'README.md', 'SECURITY.md', 'LICENSE'])) {
		const path = join(projectRoot, file);
		const text = readFileSync(path, 'utf8');
		const rewritten = rewrite(file, text, old, now);
		if (rewritten === text) continue;
		writeFileSync(path, rewritten);
		console.log(file);
	}
}

try {
	main(process.argv.slice(2));
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
