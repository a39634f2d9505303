import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as ts from 'typescript';

const ROOT = join(__dirname, '../..');

export interface Pattern {
	file: string;
	/** As it stands in the source. */
	text: string;
	regExp: RegExp;
}

const compiled = (text: string): RegExp => {
	const end = text.lastIndexOf('/');
	return new RegExp(text.slice(1, end), text.slice(end + 1).replace(/[gy]/g, ''));
};

/** Every pattern in these folders that repeats something. */
export function patternsOf(...folders: string[]): Pattern[] {
	const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	return files
		.split('\n')
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => patternsIn(file));
}

function patternsIn(file: string): Pattern[] {
	const found: Pattern[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isRegularExpressionLiteral(node) && /[+*{]/.test(node.text)) found.push({ file, text: node.text, regExp: compiled(node.text) });
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest));
	return found;
}
