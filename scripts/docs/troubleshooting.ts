import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../n8nHost/environment';

interface Message {
	/** The source file. */
	file: string;
	text: string;
	/** Empty if there is none, or if it is known only at run time. */
	advice: string;
	hasAdvice: boolean;
}

const FILLED_IN = '…';
const TABLES = 'nodes/shared/messages/';
/** Log lines are not messages. */
const LOG_FILES = ['nodes/shared/messages/logLines.ts'];
const MESSAGE_FUNCTIONS = ['words', 'ItemFault', 'EmptyField', 'NodeOperationError'];

const sources = (): string[] =>
	readdirSync(join(projectRoot, 'nodes'), { recursive: true, encoding: 'utf8' })
		.map((path) => join('nodes', path))
		.filter((path) => path.endsWith('.ts') && !LOG_FILES.includes(path))
		.sort();

export function allMessages(): Message[] {
	const files = sources().map((file) => parseSource(file));
	const constants = new Map(files.flatMap(constantsIn));
	const seen = new Map<string, Message>();
	for (const file of files) {
		for (const message of pairsIn(file).flatMap((pair) => toMessages(pair, constants))) {
			const { text, advice } = message;
			const earlier = seen.get(text);
			if (isMessage(text, advice) && (earlier === undefined || earlier.advice === '')) seen.set(text, message);
		}
	}
	return [...seen.values()];
}

const parseSource = (file: string): ts.SourceFile =>
	ts.createSourceFile(file, readFileSync(join(projectRoot, file), 'utf8'), ts.ScriptTarget.ES2022, true);

/** Whether a text is a message: more than one word, and not only the name of a value. */
const isMessage = (text: string, advice: string): boolean =>
	/\p{L}{2,} \p{L}/u.test(text) &&
	!/^an? [^,]*$|^true or false$/.test(text) &&
	!text.endsWith('.') &&
	(advice !== '' || !/^Check /.test(text));

interface Pair {
	file: string;
	message: ts.Expression | undefined;
	advice: readonly ts.Expression[];
}

function pairsIn(file: ts.SourceFile): Pair[] {
	const pairs: Pair[] = [];
	const visit = (node: ts.Node): void => {
		if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && MESSAGE_FUNCTIONS.includes(node.expression.getText())) {
			const given = (node.arguments ?? []).filter((one) => !ts.isSpreadElement(one));
			const [message, ...advice] = node.expression.getText() === 'NodeOperationError' ? given.slice(1) : given;
			pairs.push({ file: file.fileName, message, advice });
		} else if (file.fileName.startsWith(TABLES)) {
			if (ts.isArrayLiteralExpression(node) && node.elements.length > 1) {
				// A message next to its advice.
				pairs.push({ file: file.fileName, message: node.elements[0], advice: node.elements.slice(1) });
			}
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return pairs;
}

type Constants = Map<string, ts.Expression>;

const constantsIn = (file: ts.SourceFile): Array<[string, ts.Expression]> =>
	file.statements
		.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) =>
			declarationList.declarations.flatMap(({ name, initializer }): Array<[string, ts.Expression]> =>
				ts.isIdentifier(name) && initializer !== undefined ? [[name.text, initializer]] : [],
			),
		);

function toMessages({ file, message, advice }: Pair, constants: Constants): Message[] {
	const advices = advice.map((one) => textsOf(one, constants)[0] ?? '').filter((text) => text.replaceAll(FILLED_IN, '').trim() !== '');
	return textsOf(message, constants).map((text) => ({
		file,
		text: tidy(text),
		advice: withoutUnknownStart(tidy(advices.join(' '))),
		hasAdvice: advice.length > 0,
	}));
}

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
	if (ts.isCallExpression(node)) return answerTexts(node, constants);
	return [FILLED_IN];
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
	const texts = ts.isIdentifier(node) ? textsOf(node, constants) : [];
	return texts.length === 1 ? (texts[0] ?? FILLED_IN) : FILLED_IN;
}

const TROUBLESHOOTING = 'docs/troubleshooting.md';
const BEGIN = '<!-- `npm run docs` writes the rest of this page from the messages in the code. -->';
const INTRODUCTION = 'In this list, `…` represents a value, for example a name, an address, or a text of the service.';

/** What to do for messages whose advice depends on the situation, by the text of the message. */
export const SITUATION_ADVICE: Readonly<Record<string, string>> = {
	'… of … servers cannot be used': 'For each server, the message names the problem and the next step.',
	'…, which does not run workflows':
		'The address belongs to the router, which runs partner models. Use Comfy Run Router Model, or enter the address of a server that runs workflows.',
	'… does not have … nodes that the workflow uses: …':
		'On your own ComfyUI, update ComfyUI, or install the custom nodes that the message names. On a service, replace the nodes in the workflow.',
	'… does not have the node "…" that the workflow uses…':
		'On your own ComfyUI, update ComfyUI, or install the custom node that the message names. On a service, replace the node in the workflow.',
	'… returned …, but this input needs …':
		'Open the address in a private browser window to see what the server returns. Convert HEIC and SVG to PNG. For a video, choose an input of a node that loads a video.',
	'… returned HTTP … instead of the file':
		'Open the address in a private browser window. With 401 or 403, download the file with the HTTP Request node, and set From to Binary Field. With 404, check URL. With 429, 500 or higher, run the item again later.',
	'the file… is …, but this input needs …':
		'Choose a different field or a different input. Convert HEIC and SVG to PNG. If the file was downloaded, it may be a message of the server.',
	'the file at … cannot be downloaded. …':
		'Check URL. If n8n runs in Docker, 127.0.0.1 and localhost mean the container of n8n. The message names other causes, for example a certificate or a limit of n8n.',
	'The service has no … with this ID':
		'Check the ID. The entry may belong to another account or server, or its retention time may be over.',
	'Something unexpected happened': 'The message contains the error. Turn on debug logs, run the item again, and open an issue with both.',
};

/** @throws Error if the page has no advice for a message that has some. */
function adviceOf({ file, text, advice, hasAdvice }: Message): string {
	if (advice !== '') return advice;
	const general = SITUATION_ADVICE[text];
	if (general === undefined && hasAdvice) throw new Error(`SITUATION_ADVICE has no advice for "${text}" (${file})`);
	return general ?? '–';
}

const row = (message: Message): string =>
	`| ${[message.text, adviceOf(message)].map((one) => one.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;

/** By its first word that is not filled in. */
const sortKey = ({ text }: Message): string => text.replace(/^[^\p{L}]+/u, '').toLowerCase();

/** Returns the page as it should be: its own text, then the messages of the code. */
export function renderTroubleshooting(page: string): string {
	const [own = ''] = page.split(BEGIN);
	const sorted = allMessages().sort((one, other) => sortKey(one).localeCompare(sortKey(other), 'en'));
	const table = ['| Message | What to do |', '|---|---|', ...sorted.map(row)].join('\n');
	return `${[own.trimEnd(), BEGIN, '## All messages', INTRODUCTION, table].join('\n\n')}\n`;
}

export const readTroubleshooting = (): string => readFileSync(join(projectRoot, TROUBLESHOOTING), 'utf8');

export function updateTroubleshooting(): void {
	writeFileSync(join(projectRoot, TROUBLESHOOTING), renderTroubleshooting(readTroubleshooting()));
}
