import type { DanglingLink, GraphFault, GraphInputFault, UnresolvedPlaceholder } from '../../../client';
import { capital, EXPORT_STEPS, inputName, notConvertibleWords } from './conversion';
import {
	EXACT_UP_TO,
	joinNames,
	limitLines,
	limitsInWords,
	lostDigits,
	MOST_CHOICES,
	NOTHING_SENT,
	shorten,
	type Words,
	words,
} from './words';

/** Why an expression inside a JSON text may break it, and what to write instead. */
const QUOTES =
	'If an expression inserts a text, quotes or line breaks in that text can break the JSON. Use JSON.stringify without quotes around it: {"6": {"text": {{ JSON.stringify($json.prompt) }} } }.';

const MOST_LINKS = 20;
const MOST_PLACES = 20;
const LONGEST_VALUE = 80;

const shortenLine = (value: string): string => shorten(value.replace(/\s+/g, ' '), LONGEST_VALUE);

/** Returns the words for inputs whose links lead to missing nodes. */
export function danglingLinkWords(links: DanglingLink[]): Words {
	const lineOf = ({ from, ...place }: DanglingLink): string =>
		`${capital(inputName(place))}: it is linked to node ${shortenLine(from)}, which is not in the workflow`;
	const [first = '', ...more] = limitLines(links.map(lineOf), MOST_LINKS);
	return words(first, 'Link the input to a node of the workflow, or export the complete workflow again from ComfyUI.', ...more);
}

const isExpression = (placeholder: string): boolean => placeholder.startsWith('{{');

/** Returns what is wrong with a value that holds a placeholder. */
const placeholderFact = (placeholder: string): string =>
	isExpression(placeholder)
		? `contains the expression ${shortenLine(placeholder)} as plain text`
		: `contains the placeholder ${shortenLine(placeholder)}, which nothing replaces`;

export const placeholderLine = ({ placeholder, ...place }: UnresolvedPlaceholder): string =>
	`${inputName(place)}: the value ${placeholderFact(placeholder)}`;

const TO_EXPRESSION = 'select Expression instead of Fixed above the field';

function placeholderWords(places: UnresolvedPlaceholder[]): Words {
	const [first = '', ...more] = limitLines(places.map(placeholderLine).map(capital), MOST_PLACES);
	const row = 'Add a row to Inputs for this input, and enter the value or an expression, for example {{ $json.prompt }}.';
	const hasExpression = places.some(({ placeholder }) => isExpression(placeholder));
	return words(first, `${NOTHING_SENT} ${row}${hasExpression ? ` Or, to have n8n evaluate the workflow, ${TO_EXPRESSION}.` : ''}`, ...more);
}

/** The parser says "Bad escaped character", which does not name the character. */
const BAD_ESCAPE = /^Bad (escaped character|Unicode escape)/;

/** Returns what to do about a JSON text that cannot be parsed. */
function unreadableAdvice({ detail, expression }: { detail: string; expression?: string }, otherwise: string): string {
	if (expression !== undefined)
		return `It contains the expression ${shortenLine(expression)} as plain text. To have n8n evaluate it, ${TO_EXPRESSION}.`;
	return BAD_ESCAPE.test(detail)
		? 'At this position is a backslash (\\). In JSON, write each backslash of a text twice, for example "models\\\\fox.safetensors".'
		: otherwise;
}

/** Returns the words for a workflow or input values that cannot be used. */
export function graphWords(facts: GraphFault, isOwnServer: boolean): Words {
	switch (facts.fault) {
		case 'not_json':
			return words(`Workflow is not valid JSON: ${facts.detail}`, `${NOTHING_SENT} ${unreadableAdvice(facts, EXPORT_STEPS)}`, QUOTES);
		case 'ui_format':
			return words('Workflow is in the editor format, which the service cannot run', `${NOTHING_SENT} ${EXPORT_STEPS}`);
		case 'not_convertible':
			return notConvertibleWords(facts.refusals, isOwnServer);
		case 'not_a_graph':
			return words(`Workflow is not in API format: ${facts.detail}`, `${NOTHING_SENT} ${EXPORT_STEPS}`);
		case 'unknown_node':
			return words(
				`The workflow has no node with the ID or title "${facts.node}"`,
				`${NOTHING_SENT} Correct the name in Input Values. The workflow has these nodes: ${joinNames(facts.known, MOST_CHOICES)}.`,
			);
		case 'ambiguous_title':
			return words(
				`Several nodes of the workflow have the title "${facts.node}"`,
				`${NOTHING_SENT} In Input Values, use the ID of the node: ${joinNames(facts.ids, MOST_CHOICES)}.`,
			);
		case 'unknown_input':
			return words(
				`Node "${facts.node}" has no input "${facts.input}"`,
				`${NOTHING_SENT} Correct the name in Input Values. The node has these inputs: ${joinNames(facts.known, MOST_CHOICES)}.`,
			);
		case 'dangling_links': {
			const { message, advice } = danglingLinkWords(facts.links);
			return words(message, `${NOTHING_SENT} ${advice}`);
		}
		case 'placeholders':
			return placeholderWords(facts.places);
		case 'lost_digits':
			return words(
				`Input "${facts.input}" of node ${facts.id} (${facts.name}) has lost digits: the object contains ${facts.left}`,
				`${NOTHING_SENT} Numbers in an object are exact up to ${Number.MAX_SAFE_INTEGER}. Pass the workflow as text or as a file (see Output As in Comfy Get Workflow). Or enter the value as text in Input Values, for example {"${facts.id}": {"${facts.input}": "18446744073709551615"}}.`,
			);
		case 'bad_values':
			return words(
				`Input Values is not valid: ${facts.detail}`,
				`${NOTHING_SENT} ${facts.isUnreadable ? unreadableAdvice(facts, QUOTES) : 'For each node, enter its ID or title, and the names and new values of its inputs, for example {"6": {"text": "a red fox"}}.'}`,
			);
		default:
			return graphInputWords(facts);
	}
}

const CORRECT = 'Correct Value, or check that its expression reads the correct field of the input item.';

const EXPECTED: Record<Extract<GraphInputFault, { fault: 'wrong_value' }>['expected'], [needs: string, advice: string]> = {
	text: ['a text', 'Select one field of it, for example {{ $json.prompt }}. To send it as JSON, write {{ JSON.stringify($json.prompt) }}.'],
	integer: ['a whole number', CORRECT],
	number: ['a number', `${CORRECT} Use a point in decimal numbers, for example 1.5.`],
	boolean: ['true or false', CORRECT],
	json: ['a list or an object as JSON', CORRECT],
	file: [
		'a file',
		'Enter the reference that Comfy Upload Asset outputs, for example {{ $json.reference }}, or the name of a file in the service.',
	],
};

const offers = ({ near, offered }: { near: string[]; offered: string[] }): string =>
	near.length > 0 ? `Similar values: ${joinNames(near)}.` : `It offers: ${joinNames(offered, MOST_CHOICES)}.`;

/** A row that sets an input. */
export interface NumberedRow {
	/** The number of the row, from 1. */
	number: number;
	/** The label of the input when it was chosen. */
	label: string;
}

/** Returns the inputs that the user may have meant. */
function existingInputs({ near, known }: { near: string[]; known: string[] }): string {
	if (near.length > 0) return `Similar inputs: ${joinNames(near)}.`;
	return known.length > 0
		? `The workflow has these inputs: ${joinNames(known, MOST_CHOICES)}.`
		: 'This workflow has no inputs that you can set.';
}

/** Returns the words for an input that cannot be set. */
export function graphInputWords(facts: GraphInputFault, row?: NumberedRow): Words {
	const notSent = (message: string, ...advice: string[]): Words => words(message, [NOTHING_SENT, ...advice].filter(Boolean).join(' '));
	const before = row === undefined ? '' : `Input ${row.number} (${shortenLine(row.label)}): `;
	const label = 'label' in facts ? facts.label : '';
	const subject = row === undefined ? label : `Input ${row.number} (${label})`;
	switch (facts.fault) {
		case 'no_such_input':
			return notSent(
				`${before}the workflow has no input "${shortenLine(facts.name)}"`,
				row === undefined
					? ''
					: 'The workflow changed after you chose the input, or the name is misspelled. Choose the input again, or remove the row.',
				existingInputs(facts),
			);
		case 'ambiguous_input':
			return notSent(
				`${before}several inputs of the workflow have the name "${shortenLine(facts.name)}"`,
				`Choose the input from the list, or use the ID of its node: ${joinNames(facts.inputs, MOST_CHOICES)}.`,
			);
		case 'moved_input':
			return notSent(
				`${before}${facts.name} is "${shortenLine(facts.label)}" in this workflow`,
				`The workflow changed after you chose the input: "${shortenLine(facts.chosenAs)}" is now ${facts.now}. Choose the input again.`,
			);
		case 'linked_input': {
			const node = facts.title === undefined ? `node ${facts.from}` : `node ${facts.from} (${shortenLine(facts.title)})`;
			return notSent(
				`${before}"${shortenLine(facts.name)}" gets its value from ${node}`,
				'A value for this input would remove that link.',
				facts.inputs.length > 0
					? `Choose an input of that node: ${joinNames(facts.inputs, MOST_CHOICES)}.`
					: 'Choose an input of a node before it.',
			);
		}
		case 'wrong_value': {
			const [needs, advice] = EXPECTED[facts.expected];
			return notSent(`${subject} needs ${needs}, not ${shortenLine(facts.given)}`, advice);
		}
		case 'value_out_of_range':
			return notSent(`${subject} is out of range: ${shortenLine(facts.value)}`, `The value must be ${limitsInWords(facts)}.`);
		case 'value_not_offered':
			return notSent(
				`${subject} does not offer the value ${shortenLine(facts.value)}`,
				offers(facts),
				'If the service accepts a value that it does not offer, set it with Input Values under Options.',
			);
		case 'value_is_placeholder':
			return notSent(
				`${subject} ${placeholderFact(facts.placeholder)}`,
				isExpression(facts.placeholder)
					? `To send its result, ${TO_EXPRESSION}. If the text came from an earlier node, do this there.`
					: 'Enter the value, or an expression, for example {{ $json.prompt }}.',
			);
		case 'value_lost_digits':
			return notSent(lostDigits(subject, facts.left), `${EXACT_UP_TO} Enter it as text, for example {{ "18446744073709551615" }}.`);
	}
}
