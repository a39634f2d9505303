import type { GraphInputFault } from '../../../client';
import { shortened } from './shown';
import { type Words, words } from './words';

const MOST_NAMES = 20;
const LONGEST_VALUE = 80;

const listed = (names: string[]): string => names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? `, … (${names.length} in all)` : '');
const shown = (value: string): string => shortened(value.replace(/\s+/g, ' '), LONGEST_VALUE);

const CORRECT = 'Correct Value, or check that its expression finds the right field of the input item.';

const EXPECTED: Record<Extract<GraphInputFault, { fault: 'wrong_value' }>['expected'], [takes: string, advice: string]> = {
	text: ['a text', 'Name one field of it, e.g. {{ $json.prompt }}; if its JSON is meant, write {{ JSON.stringify($json.prompt) }}.'],
	integer: ['a whole number', CORRECT],
	number: ['a number', `${CORRECT} Write 1.5 with a point, not with a comma.`],
	boolean: ['true or false', CORRECT],
	json: ['a list or an object as JSON', CORRECT],
	file: ['a file', 'Give the reference that Comfy Upload Asset outputs, e.g. {{ $json.reference }}, or the name of a file that the service has.'],
};

function rangeOf({ min, max }: { min?: string; max?: string }): string {
	if (min === undefined) return `at most ${max}`;
	return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

const offers = ({ near, offered }: { near: string[]; offered: string[] }): string =>
	near.length > 0 ? `Nearest to it: ${listed(near)}.` : `It offers: ${listed(offered)}.`;

/** The row that sets an input, as people count: from 1. */
export interface InputRow {
	number: number;
	/** As it was called when it was chosen. */
	label: string;
}

/** An input that was to be changed cannot be; nothing was sent. */
export function graphInputWords(facts: GraphInputFault, row?: InputRow): Words {
	const told = (message: string, ...advice: string[]): Words => words(message, ['Nothing was sent.', ...advice].join(' '));
	const before = row === undefined ? '' : `Input ${row.number} (${shown(row.label)}): `;
	const subject = 'label' in facts ? (row === undefined ? facts.label : `Input ${row.number} (${facts.label})`) : '';
	switch (facts.fault) {
		case 'no_such_input':
			return told(
				`${before}the workflow has no input "${shown(facts.name)}"`,
				row === undefined ? '' : 'The workflow has changed since the input was chosen, or its name is misspelt. Choose the input again, or remove the row.',
				facts.near.length > 0 ? `Nearest to it: ${listed(facts.near)}.` : facts.known.length > 0 ? `The workflow has: ${listed(facts.known)}.` : 'Nothing in this workflow can be changed.',
			);
		case 'ambiguous_input':
			return told(`${before}several inputs of the workflow are called "${shown(facts.name)}"`, `Choose one from the list, or use its node id: ${listed(facts.inputs)}.`);
		case 'moved_input':
			return told(
				`${before}${facts.name} is "${shown(facts.label)}" in this workflow`,
				`The workflow has changed since the input was chosen, and "${shown(facts.chosenAs)}" is ${facts.now} now. Choose the input again.`,
			);
		case 'linked_input': {
			const node = facts.title === undefined ? `node ${facts.from}` : `node ${facts.from} (${shown(facts.title)})`;
			return told(
				`${before}"${shown(facts.name)}" takes its value from ${node}`,
				'A value of its own would cut that link.',
				facts.inputs.length > 0 ? `Choose an input of that node: ${listed(facts.inputs)}.` : 'Choose an input of a node before it.',
			);
		}
		case 'wrong_value': {
			const [takes, advice] = EXPECTED[facts.expected];
			return told(`${subject} takes ${takes}, not ${shown(facts.given)}`, advice);
		}
		case 'value_out_of_range':
			return told(`${subject} is out of range: ${shown(facts.value)}`, `It takes ${rangeOf(facts)}.`);
		case 'value_not_offered':
			return told(`${subject} does not offer ${shown(facts.value)}`, offers(facts), 'What the service takes without offering it can be set in Input Values, under Options.');
		case 'value_lost_digits':
			return told(
				`${subject} has lost digits: ${facts.left} is what n8n has kept of it`,
				`n8n keeps numbers exactly up to ${Number.MAX_SAFE_INTEGER}. Give it as text, e.g. {{ "18446744073709551615" }}.`,
			);
	}
}
