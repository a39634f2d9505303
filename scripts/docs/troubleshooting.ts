import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../n8nHost/environment';
import { readDocument, replaceAfter, writeDocument } from './document';

/** An entry of the catalogue of messages. */
interface Entry {
	code: string;
	/** One text for each variant of the message. */
	texts: string[];
	/** One text for each variant. Empty if there is none, or if it is known only at run time. */
	advice: string[];
	hasAdvice: boolean;
}

interface Topic {
	name: string;
	description: string;
	entries: Entry[];
}

const FILLED_IN = '…';
const TOPICS = 'nodes/shared/messages/topics';
const SHARED_TEXTS = ['nodes/shared/messages/words.ts'];

const parseSource = (file: string): ts.SourceFile => ts.createSourceFile(file, readDocument(file), ts.ScriptTarget.ES2022, true);

/** Returns the catalogue as its source describes it. */
export function readTopics(): Topic[] {
	const files = readdirSync(join(projectRoot, TOPICS))
		.sort()
		.map((file) => parseSource(join(TOPICS, file)));
	const shared = [...SHARED_TEXTS.map(parseSource), ...files].flatMap(constantsIn);
	return files.flatMap((file) => topicsIn(file, new Map([...shared, ...constantsIn(file)])));
}

/** Each topic is a constant with the value `defineMessages({ … })`. */
function topicsIn(file: ts.SourceFile, constants: Constants): Topic[] {
	return constantsIn(file).flatMap(([name, value]): Topic[] => {
		if (!ts.isCallExpression(value) || value.expression.getText() !== 'defineMessages') return [];
		const [texts] = value.arguments;
		if (texts === undefined || !ts.isObjectLiteralExpression(texts)) throw new Error(`${file.fileName}: ${name} is no object`);
		const [comment] = ts.getJSDocCommentsAndTags(value.parent.parent.parent);
		const description = ts.getTextOfJSDocComment(comment?.comment) ?? '';
		return [{ name, description, entries: texts.properties.map((property) => toEntry(property, constants)) }];
	});
}

function toEntry(property: ts.ObjectLiteralElementLike, constants: Constants): Entry {
	const text = ts.isPropertyAssignment(property) && ts.isArrowFunction(property.initializer) ? property.initializer.body : undefined;
	if (text === undefined || !ts.isArrayLiteralExpression(text)) throw new Error(`${property.getText()} returns no list of texts`);
	const [message, ...advice] = text.elements;
	const lines = advice.filter((one) => !ts.isSpreadElement(one)).map((one) => textsOf(one, constants).filter(isKnown));
	return {
		code: property.name?.getText() ?? '',
		texts: textsOf(message, constants).map(tidy),
		advice: (lines.length === 1 ? lines.flat() : [joinLines(lines.flatMap(([first = '']) => first))]).map(toAdvice).filter(isKnown),
		hasAdvice: advice.length > 0,
	};
}

const isKnown = (text: string): boolean => text.replaceAll(FILLED_IN, '').trim() !== '';

const joinLines = (lines: string[]): string => lines.map((one) => one.replace(/(?<![.!?:…])$/, '.')).join(' ');

const toAdvice = (text: string): string => withoutUnknownStart(tidy(joinLines([text])));

type Constants = Map<string, ts.Expression>;

const constantsIn = (file: ts.SourceFile): Array<[string, ts.Expression]> =>
	file.statements
		.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) =>
			declarationList.declarations.flatMap(({ name, initializer }): Array<[string, ts.Expression]> =>
				ts.isIdentifier(name) && initializer !== undefined ? [[name.text, initializer]] : [],
			),
		);

/** Removes a beginning that is known only at run time, if a sentence follows. */
const withoutUnknownStart = (advice: string): string => advice.replace(/^…\.? ?(?=\p{Lu})/u, '');

const tidy = (text: string): string => text.replaceAll(/…+/g, FILLED_IN).replaceAll(/\s+/g, ' ').trim();

/** The texts of an expression, one for each of its branches. Values that are known only at run time become `…`. */
function textsOf(node: ts.Expression | undefined, constants: Constants): string[] {
	if (node === undefined) return [];
	if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textsOf(node.expression, constants);
	if (ts.isStringLiteralLike(node)) return [node.text];
	if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue, constants), ...textsOf(node.whenFalse, constants)];
	if (ts.isTemplateExpression(node)) return [node.head.text + node.templateSpans.map((span) => spanText(span, constants)).join('')];
	if (ts.isIdentifier(node) && constants.has(node.text)) return textsOf(constants.get(node.text), constants);
	if (ts.isPropertyAccessExpression(node)) return memberTexts(node.expression, constants, node.name.text);
	if (ts.isElementAccessExpression(node)) return memberTexts(node.expression, constants);
	if (ts.isBinaryExpression(node)) return textsOf(node.right, constants);
	if (ts.isCallExpression(node)) return answerTexts(node, constants);
	return [FILLED_IN];
}

/** The texts of a constant object, or of one of its members. */
function memberTexts(expression: ts.Expression, constants: Constants, name?: string): string[] {
	const object = constants.get(expression.getText());
	if (object === undefined || !ts.isObjectLiteralExpression(object)) return [FILLED_IN];
	const members = object.properties.filter(ts.isPropertyAssignment).filter((one) => name === undefined || one.name.getText() === name);
	return [...new Set(members.flatMap((member) => textsOf(member.initializer, constants)))];
}

/** The texts of a function that consists of one expression. */
function answerTexts({ expression }: ts.CallExpression, constants: Constants): string[] {
	const called = constants.get(expression.getText());
	return called !== undefined && ts.isArrowFunction(called) && !ts.isBlock(called.body) ? textsOf(called.body, constants) : [FILLED_IN];
}

const spanText = ({ expression, literal }: ts.TemplateSpan, constants: Constants): string => fillIn(expression, constants) + literal.text;

/** A field by its label; a text that never changes as it is. */
function fillIn(node: ts.Expression, constants: Constants): string {
	const [label] = ts.isCallExpression(node) && node.expression.getText() === 'fieldOf' ? node.arguments : [];
	if (label !== undefined && ts.isStringLiteralLike(label)) return label.text;
	const texts = ts.isIdentifier(node) || ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? textsOf(node, constants) : [];
	return texts.length === 1 ? (texts[0] ?? FILLED_IN) : FILLED_IN;
}

const TROUBLESHOOTING = 'docs/troubleshooting.md';
const MESSAGES = 'docs/development/messages.md';
const BEGIN = '<!-- `npm run docs` writes the rest of this page from the messages in the code. -->';

/** By code, what the source shows only at run time: the message, or what to do about it. */
export const RUN_TIME_TEXTS: Readonly<Record<string, { message?: string; advice?: string }>> = {
	APP_INCOMPLETE: { message: 'The app shows inputs that cannot be set: …' },
	EARLIER_NODE_FAILED: {
		message: '(the message of the earlier node)',
		advice: 'Follow the message. Its cause is in an earlier node, which continued after an error.',
	},
	FILE_OF_WRONG_KIND: {
		advice:
			'Choose a different field or a different input. Convert HEIC and SVG to PNG. If the file was downloaded, it may be a message of the server.',
	},
	JOB_DELIVERED_LESS: { advice: 'The field not_delivered of the item names each node, the reason and the next step.' },
	JOB_FAILED: { advice: 'Correct the workflow or its inputs, then submit it again. For known causes, the message names the next step.' },
	JOB_FAILED_AT_NODE: {
		advice: 'Correct this node in the workflow or its inputs, then submit it again. For known causes, the message names the next step.',
	},
	JOB_FAILED_WITHOUT_REASON: { advice: 'Correct the workflow or its inputs, then submit it again.' },
	JOB_RUNS_AFTER_MAX_WAIT: { advice: 'The message says why the job could not be canceled or read.' },
	MEMORY_NOT_FREED: { advice: 'The message contains the error of the server and the next step.' },
	NODE_MISSING: {
		advice:
			'On your own ComfyUI, update ComfyUI, or install the custom node that the message names. On a service, replace the node in the workflow.',
	},
	NODES_MISSING: {
		advice:
			'On your own ComfyUI, update ComfyUI, or install the custom nodes that the message names. On a service, replace the nodes in the workflow.',
	},
	OTHER_ERROR: { message: '(the message of n8n or of another program)', advice: 'Follow the message. It is not from this package.' },
	POOL_SERVERS_FAILED: { advice: 'For each server, the message names the problem and the next step.' },
	RESULT_FILES_NOT_SAVED: { advice: 'The message says why the first file was not saved. For other files, see the fields not_saved.' },
	RESULTS_WITHOUT_SERVER: { advice: 'The message contains the error of the server and the next step.' },
	SERVER_LEFT_OUT: { advice: 'The message contains the error of the server and the next step.' },
	UNEXPECTED_ERROR: { advice: 'The message contains the error. Turn on debug logs, run the item again, and open an issue with both.' },
};

/** @throws Error if the page has no advice for an entry that has some. */
function adviceOf({ code, advice, hasAdvice }: Entry): string[] {
	const shown = [RUN_TIME_TEXTS[code]?.advice ?? advice].flat();
	if (shown.length === 0 && hasAdvice) throw new Error(`RUN_TIME_TEXTS has no advice for ${code}`);
	return shown.length > 1 ? [shown.map((text) => `- ${text}`).join('\n')] : shown;
}

const messagesOf = ({ code, texts }: Entry): string[] => [RUN_TIME_TEXTS[code]?.message ?? texts].flat();

const section = (entry: Entry): string =>
	[`### ${entry.code}`, ...messagesOf(entry).map((text) => `> ${text}`), ...adviceOf(entry)].join('\n\n').replaceAll('<', '&lt;');

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const byCode = (entries: Entry[]): Entry[] => entries.toSorted((one, other) => one.code.localeCompare(other.code, 'en'));

/** Returns the page of all messages as it should be: its own text, then each message of the code. */
export const renderMessages = (page: string): string =>
	replaceAfter(
		BEGIN,
		page,
		readTopics()
			.flatMap(({ name, description, entries }) => [`## ${capital(name)}`, description, ...byCode(entries).map(section)])
			.join('\n\n'),
	);

/** A place to link to, and a link to the whole message. */
const toCode = ({ code }: Entry): string => `<a id="${code.toLowerCase()}"></a>[${code}](development/messages.md#${code.toLowerCase()})`;

/** Returns the page for users as it should be: its own text, then a table of the codes by topic. */
export function renderTroubleshooting(page: string): string {
	const rows = readTopics().map(
		(topic) => `| ${capital(topic.name)} | ${topic.description} | ${byCode(topic.entries).map(toCode).join(', ')} |`,
	);
	return replaceAfter(BEGIN, page, ['## Codes\n', '| Topic | Messages about | Codes |', '|---|---|---|', ...rows].join('\n'));
}

export const readMessages = (): string => readDocument(MESSAGES);

export const readTroubleshooting = (): string => readDocument(TROUBLESHOOTING);

export function updateTroubleshooting(): void {
	writeDocument(TROUBLESHOOTING, renderTroubleshooting(readTroubleshooting()));
	writeDocument(MESSAGES, renderMessages(readMessages()));
}
