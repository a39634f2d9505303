/** Finds the texts for people in a file: Markdown, comments, and the texts of descriptions, messages and log lines. */
import ts from 'typescript';

export interface Text {
	text: string;
	/** The first line of the text in its file, from 1. */
	line: number;
}

/** A value that is known only at run time. */
const FILLED_IN = '…';

/** Returns the comments of a TypeScript file. Line comments that follow each other are one text. */
export function readComments(source: string): Text[] {
	const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.ES2022, true);
	const ranges = new Map<number, ts.CommentRange>();
	const collect = (node: ts.Node): void => {
		for (const read of [ts.getLeadingCommentRanges(source, node.pos), ts.getTrailingCommentRanges(source, node.end)]) {
			for (const range of read ?? []) ranges.set(range.pos, range);
		}
		for (const child of node.getChildren(file)) collect(child);
	};
	collect(file);
	const texts: Text[] = [];
	let lastLine = -1;
	for (const { pos, end, kind } of [...ranges.values()].sort((one, other) => one.pos - other.pos)) {
		const line = file.getLineAndCharacterOfPosition(pos).line + 1;
		const text = commentText(source.slice(pos, end));
		const last = texts.at(-1);
		if (kind === ts.SyntaxKind.SingleLineCommentTrivia && last !== undefined && lastLine === line - 1) last.text += ` ${text}`;
		else texts.push({ text, line });
		lastLine = kind === ts.SyntaxKind.SingleLineCommentTrivia ? line : -1;
	}
	return texts.flatMap(splitParagraphs);
}

const commentText = (comment: string): string =>
	comment
		.replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
		.replaceAll(/^[\t ]*\* ?/gm, '')
		.trim();

/** A tag such as `@returns` and an empty line begin a paragraph. */
const splitParagraphs = ({ text, line }: Text): Text[] =>
	text
		.split(/\n[\t ]*\n|(?=^@(?:param|returns?|throws)\b)|(?=\s@(?:param|returns?|throws)\b)/m)
		.map((paragraph) => ({ text: paragraph.replace(/^\s*@(param \S+|returns?|throws)\s*/, '').replaceAll(/\s+/g, ' '), line }))
		.filter((paragraph) => paragraph.text.trim() !== '');

/** Returns the string literals of a TypeScript file that are sentences or names for people, with `…` for each inserted value. */
export function readStrings(source: string): Text[] {
	const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.ES2022, true);
	const texts: Text[] = [];
	const add = (node: ts.Node, text: string): void => {
		if (isProse(text))
			texts.push({ text: text.replaceAll(/\s+/g, ' ').trim(), line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1 });
	};
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
		if (ts.isStringLiteralLike(node)) add(node, node.text);
		else if (ts.isTemplateExpression(node)) {
			add(node, node.head.text + node.templateSpans.map(({ literal }) => FILLED_IN + literal.text).join(''));
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return texts;
}

/** Two words or more, the first of which begins with a letter or an inserted value. Code, paths and headers are not prose. */
const isProse = (text: string): boolean => /^[\s"“(]*(…|\p{L})/u.test(text) && /\p{Ll}{2,}[,:]? \p{L}/u.test(text);

/** Returns the texts of a workflow to import: its name, the names of its nodes, its notes, and the labels of its form fields. */
export function readWorkflow(source: string): Text[] {
	const names = new Set([
		'name',
		'content',
		'notes',
		'fieldLabel',
		'formTitle',
		'formDescription',
		'text',
		'systemMessage',
		'toolDescription',
	]);
	const texts: Text[] = [];
	const visit = (value: unknown): void => {
		if (typeof value !== 'object' || value === null) return;
		for (const [key, inner] of Object.entries(value)) {
			if (typeof inner === 'string' && names.has(key) && inner.includes(' ')) {
				const line = source.slice(0, source.indexOf(JSON.stringify(inner))).split('\n').length;
				texts.push({ text: inner, line });
			} else visit(inner);
		}
	};
	visit(JSON.parse(source));
	return texts;
}
