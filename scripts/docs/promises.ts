import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';
import { MUTATIONS } from '../red/mutations';
import type { Mutation } from '../red/mutations/mutation';

const PROMISES = 'docs/promises.md';
const BEGIN = '<!-- From here to the end: read from scripts/red/mutations. `npm run docs` writes it. -->';
const HEAD = [
	'## What turns each test red',
	'',
	'`npm run red` makes each of these changes in the code, one at a time, and shows that the test fails.',
	'',
	'| Rule | Change that breaks it | Test that fails |',
	'|---|---|---|',
];

type Promised = Mutation & { promise: string };

export const PROMISED = MUTATIONS.filter((mutation): mutation is Promised => mutation.promise !== undefined);

/** Where a promise's rows begin. */
export const anchorOf = (promise: string): string => `red-${promise}`;

/** As one line of code in a cell of a table. */
function code(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
	return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

const link = (file: string): string => `[${basename(file)}](../${file})`;

const change = ({ file, from, to }: Mutation): string =>
	`${link(file)}: ${code(from)} ${to.trim() === '' ? 'goes' : `becomes ${code(to)}`}`;

function row(mutation: Promised, isFirst: boolean): string {
	const { rule, promise, suite, test } = mutation;
	const anchor = isFirst ? `<a id="${anchorOf(promise)}"></a>` : '';
	return `| ${anchor}${rule} | ${change(mutation)} | ${link(suite)}: “${test}” |`;
}

/** In the order in which the page leads to them. */
function inOrder(own: string): Promised[] {
	const place = ({ promise }: Promised): number => own.indexOf(`(#${anchorOf(promise)})`);
	return [...PROMISED].sort((one, other) => place(one) - place(other));
}

/** The page as it should be: what people wrote, then what `npm run red` does. */
export function writtenPromises(page: string): string {
	const [own = ''] = page.split(BEGIN);
	const met = new Set<string>();
	const rows = inOrder(own).map((mutation) => {
		const isFirst = !met.has(mutation.promise);
		met.add(mutation.promise);
		return row(mutation, isFirst);
	});
	return `${[own.trimEnd(), '', BEGIN, '', ...HEAD, ...rows].join('\n')}\n`;
}

export const readPromises = (): string => readFileSync(join(projectRoot, PROMISES), 'utf8');

export function updatePromises(): void {
	writeFileSync(join(projectRoot, PROMISES), writtenPromises(readPromises()));
}
