import type { DanglingLink, GraphFault, GraphInputFault } from '../../../client';
import { capital, EXPORT_STEPS, inputName, notConvertibleWords } from './conversion';
import { joinNames, limitsInWords, shorten, type Words, words } from './words';

/** Why an expression inside a JSON text may break it, and what to write instead. */
const QUOTES =
	'If a text in it comes from an expression, that text holds quotes or line breaks, which end the JSON too early. Write {{ JSON.stringify($json.prompt) }} in its place, without quotes of your own around it: {"6": {"text": {{ JSON.stringify($json.prompt) }} } }.';

const MOST_LINKS = 20;
const LONGEST_VALUE = 80;

const shortenLine = (value: string): string => shorten(value.replace(/\s+/g, ' '), LONGEST_VALUE);

const list = (names: string[]): string => names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');

/** Returns the words for inputs whose links lead to missing nodes. */
export function danglingLinkWords(links: DanglingLink[]): Words {
	const lineOf = ({ from, ...place }: DanglingLink): string =>
		`${capital(inputName(place))}: it is linked to node ${shortenLine(from)}, which the workflow does not have`;
	const [first = '', ...more] = links.slice(0, MOST_LINKS).map(lineOf);
	return words(
		first,
		'Link the input to a node of the workflow, or export the complete workflow again from ComfyUI.',
		...more,
		links.length > MOST_LINKS ? `And ${links.length - MOST_LINKS} more` : undefined,
	);
}

/** Returns the words for a workflow or input values that cannot be used. */
export function graphWords(facts: GraphFault, isOwnServer: boolean): Words {
	switch (facts.fault) {
		case 'not_json':
			return words(`Workflow is not readable JSON: ${facts.detail}`, `Nothing was sent. ${EXPORT_STEPS}`, QUOTES);
		case 'ui_format':
			return words('Workflow is in the editor’s own format, which the service cannot run', `Nothing was sent. ${EXPORT_STEPS}`);
		case 'not_convertible':
			return notConvertibleWords(facts.refusals, isOwnServer);
		case 'not_a_graph':
			return words(`Workflow is not in API format: ${facts.detail}`, `Nothing was sent. ${EXPORT_STEPS}`);
		case 'unknown_node':
			return words(
				`The workflow has no node with the id or title "${facts.node}"`,
				`Nothing was sent. Correct the name in Input Values. The workflow has: ${list(facts.known)}.`,
			);
		case 'ambiguous_title':
			return words(
				`Several nodes of the workflow are titled "${facts.node}"`,
				`Nothing was sent. Use the node id in Input Values: ${list(facts.ids)}.`,
			);
		case 'unknown_input':
			return words(
				`Node "${facts.node}" has no input "${facts.input}"`,
				`Nothing was sent. Correct the name in Input Values. The node has: ${list(facts.known)}.`,
			);
		case 'dangling_links': {
			const { message, advice } = danglingLinkWords(facts.links);
			return words(message, `Nothing was sent. ${advice}`);
		}
		case 'lost_digits':
			return words(
				`Input "${facts.input}" of node ${facts.id} (${facts.name}) has lost digits: ${facts.left} is what an object has kept of it`,
				`Nothing was sent. Numbers in an object are exact up to ${Number.MAX_SAFE_INTEGER}. Give the workflow as text or as a file (Comfy Get Workflow has both under Output As), or the value as text in Input Values, e.g. {"${facts.id}": {"${facts.input}": "18446744073709551615"}}.`,
			);
		case 'bad_values':
			return words(
				`Input Values cannot be used: ${facts.detail}`,
				`Nothing was sent. ${facts.isUnreadable ? QUOTES : 'Enter the id or title of each node, and in it the names of its inputs with their new values, e.g. {"6": {"text": "a red fox"}}.'}`,
			);
		default:
			return graphInputWords(facts);
	}
}

const CORRECT = 'Correct Value, or check that its expression finds the right field of the input item.';

const EXPECTED: Record<Extract<GraphInputFault, { fault: 'wrong_value' }>['expected'], [takes: string, advice: string]> = {
	text: ['a text', 'Name one field of it, e.g. {{ $json.prompt }}; if its JSON is meant, write {{ JSON.stringify($json.prompt) }}.'],
	integer: ['a whole number', CORRECT],
	number: ['a number', `${CORRECT} Write 1.5 with a point, not with a comma.`],
	boolean: ['true or false', CORRECT],
	json: ['a list or an object as JSON', CORRECT],
	file: [
		'a file',
		'Give the reference that Comfy Upload Asset outputs, e.g. {{ $json.reference }}, or the name of a file that the service has.',
	],
};

const offers = ({ near, offered }: { near: string[]; offered: string[] }): string =>
	near.length > 0 ? `Nearest to it: ${joinNames(near)}.` : `It offers: ${joinNames(offered)}.`;

/** A row that sets an input. */
export interface NumberedRow {
	/** The number of the row, from 1. */
	number: number;
	/** The label of the input when it was chosen. */
	label: string;
}

/** Returns the words for an input that cannot be set. */
export function graphInputWords(facts: GraphInputFault, row?: NumberedRow): Words {
	const notSent = (message: string, ...advice: string[]): Words => words(message, ['Nothing was sent.', ...advice].join(' '));
	const before = row === undefined ? '' : `Input ${row.number} (${shortenLine(row.label)}): `;
	const subject = 'label' in facts ? (row === undefined ? facts.label : `Input ${row.number} (${facts.label})`) : '';
	switch (facts.fault) {
		case 'no_such_input':
			return notSent(
				`${before}the workflow has no input "${shortenLine(facts.name)}"`,
				row === undefined
					? ''
					: 'The workflow has changed since the input was chosen, or its name is misspelt. Choose the input again, or remove the row.',
				facts.near.length > 0
					? `Nearest to it: ${joinNames(facts.near)}.`
					: facts.known.length > 0
						? `The workflow has: ${joinNames(facts.known)}.`
						: 'Nothing in this workflow can be changed.',
			);
		case 'ambiguous_input':
			return notSent(
				`${before}several inputs of the workflow are called "${shortenLine(facts.name)}"`,
				`Choose one from the list, or use its node id: ${joinNames(facts.inputs)}.`,
			);
		case 'moved_input':
			return notSent(
				`${before}${facts.name} is "${shortenLine(facts.label)}" in this workflow`,
				`The workflow has changed since the input was chosen, and "${shortenLine(facts.chosenAs)}" is ${facts.now} now. Choose the input again.`,
			);
		case 'linked_input': {
			const node = facts.title === undefined ? `node ${facts.from}` : `node ${facts.from} (${shortenLine(facts.title)})`;
			return notSent(
				`${before}"${shortenLine(facts.name)}" takes its value from ${node}`,
				'A value of its own would cut that link.',
				facts.inputs.length > 0 ? `Choose an input of that node: ${joinNames(facts.inputs)}.` : 'Choose an input of a node before it.',
			);
		}
		case 'wrong_value': {
			const [takes, advice] = EXPECTED[facts.expected];
			return notSent(`${subject} takes ${takes}, not ${shortenLine(facts.given)}`, advice);
		}
		case 'value_out_of_range':
			return notSent(`${subject} is out of range: ${shortenLine(facts.value)}`, `It takes ${limitsInWords(facts)}.`);
		case 'value_not_offered':
			return notSent(
				`${subject} does not offer ${shortenLine(facts.value)}`,
				offers(facts),
				'What the service takes without offering it can be set in Input Values, under Options.',
			);
		case 'value_lost_digits':
			return notSent(
				`${subject} has lost digits: ${facts.left} is what n8n has kept of it`,
				`n8n keeps numbers exactly up to ${Number.MAX_SAFE_INTEGER}. Give it as text, e.g. {{ "18446744073709551615" }}.`,
			);
	}
}
