/** Checks texts for people with textlint. */
import { join } from 'node:path';

import { TextlintKernel, type TextlintKernelRule, type TextlintMessage } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import maxWordCount from 'textlint-rule-en-max-word-count';
import prh from 'textlint-rule-prh';
import writeGood from 'textlint-rule-write-good';

import { EXCEPTIONS } from './exceptions';
import { readComments, readStrings, readWorkflow, type Text } from './texts';

export interface Finding {
	file: string;
	/** From 1. */
	line: number;
	/** The name of the rule: `terms`, `length` or `passive`. */
	rule: string;
	message: string;
	/** The sentence, or its beginning. */
	text: string;
	isWarning: boolean;
}

const MOST_WORDS = 30;
const WARNING = 1;
const kernel = new TextlintKernel();
const passiveOnly = {
	weasel: false,
	illusion: false,
	so: false,
	thereIs: false,
	adverb: false,
	tooWordy: false,
	cliches: false,
	eprime: false,
};
const rules: TextlintKernelRule[] = [
	{ ruleId: 'terms', rule: prh, options: { rulePaths: [join(__dirname, 'terms.yml')] } },
	{ ruleId: 'length', rule: maxWordCount, options: { max: MOST_WORDS } },
	{ ruleId: 'passive', rule: writeGood, options: { ...passiveOnly, passive: true, severity: 'warning' } },
];

/** What is read of a file, by its path. */
const readTexts = (file: string, source: string): Text[] => {
	if (file.endsWith('.json')) return readWorkflow(source);
	return /^(nodes|credentials|client)\//.test(file) ? [...readComments(source), ...readStrings(source)] : readComments(source);
};

/** Returns what the rules report about a file, without the exceptions. @param file path from the root of the project */
export async function lintProse(file: string, source: string): Promise<Finding[]> {
	if (file.endsWith('.md')) return await lintMarkdown(file, source, (line) => line);
	const texts = readTexts(file, source);
	// Each text is a paragraph of its own, so that all texts of a file are checked at once.
	const paragraphs = texts.map(({ text }) => text.replaceAll(/\s*\n\s*/g, ' '));
	return await lintMarkdown(file, paragraphs.join('\n\n'), (line) => texts[(line - 1) / 2]?.line ?? 1);
}

async function lintMarkdown(file: string, text: string, lineOf: (line: number) => number): Promise<Finding[]> {
	const lines = text.split('\n');
	const { messages } = await kernel.lintText(text, { ext: '.md', plugins: [{ pluginId: 'markdown', plugin: markdown }], rules });
	return messages.map((message) => toFinding(file, message, lineOf, lines)).filter((finding) => !isExcepted(finding));
}

const toFinding = (
	file: string,
	{ ruleId, message, severity, loc }: TextlintMessage,
	lineOf: (line: number) => number,
	lines: string[],
): Finding => ({
	file,
	line: lineOf(loc.start.line),
	rule: ruleId,
	message: message.split('\n')[0] ?? '',
	text: (lines[loc.start.line - 1] ?? '').slice(Math.max(0, loc.start.column - 60), loc.start.column + 80).trim(),
	isWarning: severity === WARNING,
});

const isExcepted = ({ file, text }: Finding): boolean =>
	EXCEPTIONS.some((one) => file.startsWith(one.file) && (typeof one.text === 'string' ? text.includes(one.text) : one.text.test(text)));
