import type { InputFault } from '../../../client';
import { type Words, words } from './words';

const MOST_NAMES = 20;

const listed = (names: string[]): string => (names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')}, …` : names.join(', '));

/** A field of the form cannot be sent; nothing was sent. */
export function inputWords(facts: InputFault): Words {
	const { field } = facts;
	switch (facts.fault) {
		case 'empty':
			return words(
				`${field} is empty`,
				`Nothing was sent. The model needs it: fill in ${field} under Values to Send, or check that its expression finds a value in the input item.`,
			);
		case 'wrong_type':
			return words(`${field} is not ${facts.expected}`, `Nothing was sent. Correct ${field} under Values to Send.`);
		case 'not_a_choice':
			return words(`${field} is none of the values that the model takes`, `Nothing was sent. Choose one of: ${listed(facts.choices)}.`);
		case 'out_of_range':
			return words(`${field} is out of range`, `Nothing was sent. The model takes ${facts.allowed}.`);
		case 'lost_digits':
			return words(
				`${field} has lost digits: ${facts.left} is what n8n has kept of it`,
				`Nothing was sent. n8n keeps numbers exactly up to ${Number.MAX_SAFE_INTEGER}. Enter it as text, by an expression such as {{ "18446744073709551615" }}, or set Input Mode to JSON and enter the JSON as text.`,
			);
		case 'unknown_field':
			return words(
				`The model has no input "${field}"`,
				`Nothing was sent. Refresh the fields under Values to Send: the model, or its inputs, have changed. It takes: ${listed(facts.known)}.`,
			);
	}
}
