import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../n8nHost/environment';

interface Message {
	/** The source file, from the root of the project. */
	file: string;
	text: string;
	advice: string;
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
		for (const { text, advice } of pairsIn(file).flatMap((pair) => toMessages(pair, constants))) {
			const earlier = seen.get(text);
			if (isMessage(text, advice) && (earlier === undefined || earlier.advice === ''))
				seen.set(text, { file: file.fileName, text, advice });
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

type Pair = readonly [ts.Expression | undefined, readonly ts.Expression[]];

function pairsIn(file: ts.SourceFile): Pair[] {
	const pairs: Pair[] = [];
	const visit = (node: ts.Node): void => {
		if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && MESSAGE_FUNCTIONS.includes(node.expression.getText())) {
			const given = (node.arguments ?? []).filter((one) => !ts.isSpreadElement(one));
			const [message, ...advice] = node.expression.getText() === 'NodeOperationError' ? given.slice(1) : given;
			pairs.push([message, advice]);
		} else if (file.fileName.startsWith(TABLES)) {
			const pair = pairOfTable(node);
			if (pair !== undefined) pairs.push(pair);
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return pairs;
}

/** A message beside its advice. */
const pairOfTable = (node: ts.Node): Pair | undefined =>
	ts.isArrayLiteralExpression(node) && node.elements.length > 1 ? [node.elements[0], node.elements.slice(1)] : undefined;

type Constants = Map<string, ts.Expression>;

const constantsIn = (file: ts.SourceFile): Array<[string, ts.Expression]> =>
	file.statements
		.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) =>
			declarationList.declarations.flatMap(({ name, initializer }): Array<[string, ts.Expression]> =>
				ts.isIdentifier(name) && initializer !== undefined ? [[name.text, initializer]] : [],
			),
		);

function toMessages([message, advice]: Pair, constants: Constants): Array<{ text: string; advice: string }> {
	const told = advice.map((one) => textsOf(one, constants)[0] ?? '').filter((text) => text.replaceAll(FILLED_IN, '').trim() !== '');
	return textsOf(message, constants).map((text) => ({ text: tidy(text), advice: tidy(told.join(' ')) }));
}

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
const BEGIN = '<!-- From here to the end: every message, read from the code. `npm run docs` writes it. -->';

/** Headings, with the places of the code whose messages stand below them. The first that fits counts. */
const GROUPS: ReadonlyArray<readonly [heading: string, places: readonly string[]]> = [
	[
		'Address, credential and connection',
		['shared/messages/connection', 'shared/messages/otherServer', 'shared/connect/', 'shared/workflows/inEditor'],
	],
	['The model router', ['ComfyRunRouterModel/', 'shared/messages/tables/router']],
	[
		'Paying once, and answers that were lost',
		['shared/messages/unknownOutcome', 'shared/submission/', 'shared/messages/jobList', 'ComfyManageJobs/job/'],
	],
	['Stopping', ['shared/messages/stopping']],
	['Files', ['shared/files/', 'shared/inputFiles/', 'shared/messages/webFile', 'ComfyUploadAsset/', 'shared/app/values']],
	[
		'The workflow and its inputs',
		[
			'shared/messages/',
			'shared/workflows/',
			'shared/inputs/',
			'shared/app/',
			'ComfyRunWorkflow/',
			'ComfySubmitWorkflow/',
			'ComfyGetWorkflow/',
		],
	],
	['Jobs', ['shared/jobs/', 'ComfyManageJobs/', 'ComfyWaitForJob/', 'ComfyDownloadOutputs/']],
	['Other fields', ['']],
];

/** Messages of the service are in the tables of refusals. */
const REFUSALS = ['shared/messages/tables/'];

const placeOf = ({ file }: Message): string => file.replace(/^nodes\//, '');

const headingOf = (message: Message): string => {
	const place = placeOf(message);
	const isRefusal = REFUSALS.some((folder) => place.startsWith(folder)) && !place.includes('/router');
	if (isRefusal) return 'What the service answers';
	return GROUPS.find(([, places]) => places.some((one) => place.startsWith(one)))?.[0] ?? '';
};

const row = ({ text, advice }: Message): string =>
	`| ${[text, advice].map((one) => one.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;

/** By its first word that is not filled in. */
const sortKey = ({ text }: Message): string => text.replace(/^[^\p{L}]+/u, '').toLowerCase();

function section(heading: string, messages: Message[]): string {
	const sorted = [...messages].sort((one, other) => sortKey(one).localeCompare(sortKey(other), 'en'));
	return [`### ${heading}`, '', '| You read | What to do |', '|---|---|', ...sorted.map(row)].join('\n');
}

/** The page as it should be: what people wrote, then what the code says. */
export function renderTroubleshooting(page: string): string {
	const [own = ''] = page.split(BEGIN);
	const messages = allMessages();
	const headings = ['What the service answers', ...GROUPS.map(([heading]) => heading)];
	const sections = headings.flatMap((heading) => {
		const ofIt = messages.filter((message) => headingOf(message) === heading);
		return ofIt.length > 0 ? [section(heading, ofIt)] : [];
	});
	return `${own.trimEnd()}\n\n${BEGIN}\n\n## Every message\n\n\`…\` stands for what is filled in: a name, an address, the service’s own words.\n\n${sections.join('\n\n')}\n`;
}

export const readTroubleshooting = (): string => readFileSync(join(projectRoot, TROUBLESHOOTING), 'utf8');

export function updateTroubleshooting(): void {
	writeFileSync(join(projectRoot, TROUBLESHOOTING), renderTroubleshooting(readTroubleshooting()));
}
