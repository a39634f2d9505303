import type { DisplayCondition, INodeProperties, INodePropertyCollection, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { readDocument, replaceAfter, writeDocument } from './document';

const BEGIN = '<!-- `npm run docs` generates the rest of this page from the node. Do not edit it here. -->';

/** The page that explains an option of all nodes. Its choices have no explanation in the tables. */
const EXPLAINED_IN: Record<string, string> = { interface: '[Interfaces](../interfaces.md) compares the choices.' };

/** What applies without the option, if it is not the value that the option has after it is added. */
const WITHOUT_OPTION: Record<string, string> = {
	limitRuns: 'no limit',
	maxCostUsd: 'no limit',
	maxExecutionCostUsd: 'no limit',
};

const OPTIONS_PAGE = 'docs/nodes/options.md';
const OPTIONS = 'Options > ';

/** `comfyRunWorkflow` → `docs/nodes/comfy-run-workflow.md`. */
const pageOf = (nodeName: string): string => `docs/nodes/${nodeName.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

/** Returns the page with its hand-written part and new tables of the fields, without the options of several nodes. */
export const renderPage = (page: string, description: INodeTypeDescription, all: readonly INodeTypeDescription[]): string =>
	replaceAfter(BEGIN, page, `## Fields\n\n${fieldTables(description, new Set(sharedOptions(all)))}`);

export const renderOptions = (page: string, all: readonly INodeTypeDescription[]): string =>
	replaceAfter(BEGIN, page, table(sharedOptions(all)));

/** Returns the rows of the options that several nodes have with the same text. */
function sharedOptions(all: readonly INodeTypeDescription[]): string[] {
	const rows = all.flatMap(({ properties }) => [...new Set(partsOf(properties).flatMap((part) => rowsFor(properties, part)))]);
	const options = rows.filter((row, index) => row.startsWith(`| **${OPTIONS}`) && rows.indexOf(row) !== index);
	return [...new Set(options)].toSorted((one, other) => one.localeCompare(other, 'en'));
}

export const readPage = (nodeName: string): string => readDocument(pageOf(nodeName));

export const readOptions = (): string => readDocument(OPTIONS_PAGE);

export function updatePages(all: readonly INodeTypeDescription[]): void {
	for (const description of all) writeDocument(pageOf(description.name), renderPage(readPage(description.name), description, all));
	writeDocument(OPTIONS_PAGE, renderOptions(readOptions(), all));
}

/** The headings name these choices. */
const CHOOSERS = ['resource', 'operation'];

/** n8n shows it as the type of the credential. */
const SHOWN_AS_CREDENTIAL = 'authentication';

/** One operation of a node. */
interface Part {
	resource?: INodePropertyOptions;
	operation?: INodePropertyOptions;
}

/** Returns one table for each operation and one for their common fields, or a single table for a node with one operation. */
function fieldTables({ properties }: INodeTypeDescription, elsewhere: ReadonlySet<string>): string {
	const parts = partsOf(properties).map((part) => ({ part, rows: rowsFor(properties, part) }));
	const shared = parts.length > 1 ? (parts[0]?.rows ?? []).filter((row) => parts.every(({ rows }) => rows.includes(row))) : [];
	const own = parts.map(({ part, rows }) => [
		headingOf(part),
		sentence(part.operation?.description ?? ''),
		tableOf(
			rows.filter((row) => !shared.includes(row)),
			elsewhere,
		),
	]);
	const ofAll = shared.length > 0 ? [['### Fields of all operations', tableOf(shared, elsewhere)]] : [];
	return [...own, ...ofAll].map((texts) => texts.filter(Boolean).join('\n\n')).join('\n\n');
}

const choicesOf = (properties: INodeProperties[], name: string, isShown: (one: INodeProperties) => boolean): INodePropertyOptions[] =>
	properties.filter((one) => one.name === name && isShown(one)).flatMap(({ options }) => (options ?? []) as INodePropertyOptions[]);

/** Returns the operations of a node, or one part for a node without operations. */
export function partsOf(properties: INodeProperties[]): Part[] {
	const resources = choicesOf(properties, 'resource', () => true);
	const operationsOf = (resource?: INodePropertyOptions): Part[] =>
		choicesOf(properties, 'operation', (one) => fits(one, { resource })).map((operation) => ({ resource, operation }));
	const parts = resources.length > 0 ? resources.flatMap(operationsOf) : operationsOf();
	return parts.length > 0 ? parts : [{}];
}

const headingOf = ({ resource, operation }: Part): string => {
	const names = [resource?.name, operation?.name].filter(Boolean);
	return names.length > 0 ? `### ${names.join(': ')}` : '';
};

const isAmong = (wanted: unknown[] | undefined, chosen: INodePropertyOptions | undefined): boolean =>
	wanted === undefined || chosen === undefined || wanted.includes(chosen.value);

function fits({ displayOptions: { show = {} } = {} }: INodeProperties, { resource, operation }: Part): boolean {
	return isAmong(show.resource, resource) && isAmong(show.operation, operation) && show['@tool']?.includes(true) !== true;
}

function rowsFor(properties: INodeProperties[], part: Part): string[] {
	const fields = properties.filter(
		(one) => ![...CHOOSERS, SHOWN_AS_CREDENTIAL].includes(one.name) && one.type !== 'notice' && one.type !== 'hidden' && fits(one, part),
	);
	return [...new Set(fields.flatMap((field) => rowsOf(field, properties)))];
}

const table = (rows: string[]): string =>
	rows.length === 0
		? 'This operation has no fields of its own.'
		: ['| Field | Default | Description |', '|---|---|---|', ...rows].join('\n');

/** Returns a table. Its last row names the options that are described elsewhere. */
function tableOf(rows: string[], elsewhere: ReadonlySet<string>): string {
	const names = rows.filter((row) => elsewhere.has(row)).map((row) => `*${row.slice(`| **${OPTIONS}`.length).split('**')[0]}*`);
	const others = names.length === 0 ? [] : [`| [Options of several nodes](options.md) | | ${names.join(', ')} |`];
	return table([...rows.filter((row) => !elsewhere.has(row)), ...others]);
}

/** Returns the row of a field, and a row for each field inside it. */
function rowsOf(field: INodeProperties, all: INodeProperties[], within = ''): string[] {
	const { displayName, type, options = [] } = field;
	const name = `${within}${displayName}`;
	if (type === 'collection') {
		return (options as INodeProperties[]).filter((one) => fits(one, {})).flatMap((one) => rowsOf(one, all, `${name} > `));
	}
	const own = `| **${name}** | ${defaultOf(field)} | ${describeField(field, all)} |`;
	if (type !== 'fixedCollection') return [own];
	return [
		own,
		...(options as INodePropertyCollection[]).flatMap(({ values }) => values.flatMap((one) => rowsOf(one, values, `${name} > `))),
	];
}

function describeField(field: INodeProperties, all: INodeProperties[]): string {
	const { name, description = '', hint = '', required } = field;
	const sentences = [
		describeConditions(field, all),
		required === true ? 'Required.' : '',
		sentence(description),
		sentence(hint),
		EXPLAINED_IN[name] ?? '',
	];
	return [cell(sentences.filter(Boolean).join(' ')), ...choicesIn(field)].filter(Boolean).join('<br>');
}

function choicesIn({ name, type, options = [] }: INodeProperties): string[] {
	if (type !== 'options' && type !== 'multiOptions') return [];
	const choices = options as INodePropertyOptions[];
	if (name in EXPLAINED_IN || choices.every((one) => one.description === undefined))
		return [cell(choices.map((one) => `**${one.name}**`).join(', '))];
	return choices.map((one) => cell(sentence([`**${one.name}**`, one.description].filter(Boolean).join(': '))));
}

/** Returns when n8n shows the field, with the labels of the fields that it depends on. */
function describeConditions({ displayOptions: { show = {} } = {} }: INodeProperties, all: INodeProperties[]): string {
	const conditions = Object.entries(show).flatMap(([name, wanted]) => {
		const values = (wanted ?? []).filter((value) => !isCondition(value));
		const source = all.find((one) => one.name === name);
		if (CHOOSERS.includes(name) || source === undefined || values.length === 0 || values.includes('')) return [];
		const labels = values.map((value) => labelOf(source, value));
		return [`*${source.displayName}* is ${labels.join(' or ')}`];
	});
	return conditions.length === 0 ? '' : `Shown if ${conditions.join(' and ')}.`;
}

const isCondition = (value: unknown): value is DisplayCondition => typeof value === 'object' && value !== null;

function labelOf({ options = [] }: INodeProperties, value: unknown): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	return `*${(options as INodePropertyOptions[]).find((one) => one.value === value)?.name ?? String(value)}*`;
}

function defaultOf({ name, type, default: value, options = [] }: INodeProperties): string {
	if (name in WITHOUT_OPTION) return WITHOUT_OPTION[name] ?? '';
	if (type === 'options') return cell((options as INodePropertyOptions[]).find((one) => one.value === value)?.name ?? '');
	if (type === 'boolean') return value === true ? 'on' : 'off';
	if (type === 'resourceLocator') return code((value as { value?: unknown } | undefined)?.value);
	return typeof value === 'object' ? '' : code(value);
}

const code = (value: unknown): string => {
	const text = String(value ?? '').replace(/^=/, '');
	return text === '' ? '' : `\`${cell(text)}\``;
};

const sentence = (text: string): string => (text === '' || /[.!?…]$/.test(text) ? text : `${text}.`);

const cell = (text: string): string =>
	text
		.replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g, '[$2]($1)')
		.replaceAll(/<\/?b>/g, '**')
		.replaceAll('<br>', ' ')
		.replaceAll('|', '\\|')
		.replaceAll(/\s+/g, ' ')
		.trim();
