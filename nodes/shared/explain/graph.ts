import type { DanglingLink, GraphFault, GraphInputFault, UnresolvedPlaceholder } from '../../../client';
import { messages } from '../messages/catalogue';
import { containsExpression, containsPlaceholder, existing, expectedAdvice, rowPrefix } from '../messages/topics/inputs';
import { EXPORT_STEPS, jsonAdvice, linkToMissing, orEvaluate, placeholderIn, QUOTES } from '../messages/topics/workflow';
import { byKind, limitLines, limitsInWords, NOTHING_SENT, shorten, type Words } from '../messages/words';
import { capital, EXPECTED_VALUE, inputName, notConvertibleWords } from './conversion';

const MOST_LINKS = 20;
const MOST_PLACES = 20;
const LONGEST_VALUE = 80;

const shortenLine = (value: string): string => shorten(value.replace(/\s+/g, ' '), LONGEST_VALUE);

/** Returns the words for inputs whose links lead to missing nodes. @param outcome whether something was sent. */
export function danglingLinkWords(links: DanglingLink[], outcome: string): Words {
	const facts = links.map(({ from, ...place }) => [capital(inputName(place)), shortenLine(from)] as const);
	const [first = ['', ''] as const, ...more] = facts;
	const others = more.map(([input, from]) => linkToMissing(input, from));
	return messages.LINK_TO_MISSING_NODE(...first, outcome, limitLines(others, MOST_LINKS - 1));
}

const isExpression = (placeholder: string): boolean => placeholder.startsWith('{{');

/** Returns what is wrong with a value that holds a placeholder. */
const describePlaceholder = (placeholder: string): string =>
	(isExpression(placeholder) ? containsExpression : containsPlaceholder)(shortenLine(placeholder));

export const placeholderLine = ({ placeholder, ...place }: UnresolvedPlaceholder): string =>
	placeholderIn(inputName(place), describePlaceholder(placeholder));

function placeholderWords(places: UnresolvedPlaceholder[]): Words {
	const [first, ...more] = places as [UnresolvedPlaceholder, ...UnresolvedPlaceholder[]];
	const hasExpression = places.some(({ placeholder }) => isExpression(placeholder));
	return messages.PLACEHOLDER_NOT_REPLACED(
		capital(inputName(first)),
		describePlaceholder(first.placeholder),
		hasExpression ? orEvaluate : '',
		limitLines(more.map(placeholderLine).map(capital), MOST_PLACES - 1),
	);
}

/** The parser says "Bad escaped character", which does not name the character. */
const BAD_ESCAPE = /^Bad (escaped character|Unicode escape)/;

/** Returns what to do about a JSON text that cannot be parsed. */
function unreadableAdvice({ detail, expression }: { detail: string; expression?: string }, otherwise: string): string {
	if (expression !== undefined) return jsonAdvice.expression(shortenLine(expression));
	return BAD_ESCAPE.test(detail) ? jsonAdvice.backslash : otherwise;
}

/** Returns the words for a workflow or input values that cannot be used. */
export function graphWords(facts: GraphFault, isOwnServer: boolean): Words {
	return byKind<GraphFault, 'fault', Words>('fault', {
		not_json: (fact) => messages.WORKFLOW_NOT_JSON(fact.detail, unreadableAdvice(fact, EXPORT_STEPS)),
		ui_format: () => messages.WORKFLOW_IN_EDITOR_FORMAT(NOTHING_SENT),
		not_convertible: ({ refusals }) => notConvertibleWords(refusals, isOwnServer),
		not_a_graph: ({ detail }) => messages.WORKFLOW_NOT_IN_API_FORMAT(detail),
		not_a_blueprint: ({ name, detail }) => messages.BLUEPRINT_NOT_VALID(shortenLine(name), detail),
		unknown_node: ({ node, known }) => messages.VALUES_NODE_UNKNOWN(node, known),
		ambiguous_title: ({ node, ids }) => messages.VALUES_TITLE_SHARED(node, ids),
		unknown_input: ({ node, input, known }) => messages.VALUES_INPUT_UNKNOWN(node, input, known),
		dangling_links: ({ links }) => danglingLinkWords(links, NOTHING_SENT),
		placeholders: ({ places }) => placeholderWords(places),
		lost_digits: ({ input, id, name, left }) => messages.VALUES_LOST_DIGITS(input, id, name, left),
		bad_values: (fact) =>
			fact.isUnreadable ? messages.VALUES_NOT_JSON(fact.detail, unreadableAdvice(fact, QUOTES)) : messages.VALUES_NOT_VALID(fact.detail),
		...inputWords(),
	})(facts);
}

/** A row that sets an input. */
export interface NumberedRow {
	/** The number of the row, from 1. */
	number: number;
	/** The label of the input when it was chosen. */
	label: string;
}

/** Returns the inputs that the user may have meant. */
function existingInputs({ near, known }: { near: string[]; known: string[] }): string {
	if (near.length > 0) return existing.similarInputs(near);
	return known.length > 0 ? existing.inputs(known) : existing.noInputs;
}

const offers = ({ near, offered }: { near: string[]; offered: string[] }): string =>
	near.length > 0 ? existing.similarValues(near) : existing.values(offered);

const EXPECTED = { ...EXPECTED_VALUE, json: 'a list or an object as JSON', file: 'a file' };

/** Words by the fault of an input. @param row whose name the words contain. */
function inputWords(row?: NumberedRow) {
	const before = row === undefined ? '' : rowPrefix.chosen(row.number, shortenLine(row.label));
	const subject = (label: string): string => (row === undefined ? label : rowPrefix.input(row.number, label));
	return {
		no_such_input: (fact: FaultOf<'no_such_input'>) => messages.INPUT_UNKNOWN(before, shortenLine(fact.name), existingInputs(fact)),
		ambiguous_input: ({ name, inputs }: FaultOf<'ambiguous_input'>) => messages.INPUT_NAME_SHARED(before, shortenLine(name), inputs),
		moved_input: ({ name, label, chosenAs, now }: FaultOf<'moved_input'>) =>
			messages.INPUT_MOVED(before, name, shortenLine(label), shortenLine(chosenAs), now),
		linked_input: ({ name, from, title, inputs }: FaultOf<'linked_input'>) =>
			messages.INPUT_LINKED(before, shortenLine(name), `node ${from}${title === undefined ? '' : ` (${shortenLine(title)})`}`, inputs),
		wrong_value: ({ label, expected, given }: FaultOf<'wrong_value'>) =>
			messages.INPUT_WRONG_TYPE(subject(label), EXPECTED[expected], shortenLine(given), expectedAdvice[expected]),
		value_out_of_range: (fact: FaultOf<'value_out_of_range'>) =>
			messages.INPUT_OUT_OF_RANGE(subject(fact.label), shortenLine(fact.value), limitsInWords(fact)),
		value_not_offered: (fact: FaultOf<'value_not_offered'>) =>
			messages.INPUT_NOT_OFFERED(subject(fact.label), shortenLine(fact.value), offers(fact)),
		value_is_placeholder: ({ label, placeholder }: FaultOf<'value_is_placeholder'>) =>
			(isExpression(placeholder) ? messages.INPUT_IS_EXPRESSION : messages.INPUT_IS_PLACEHOLDER)(subject(label), shortenLine(placeholder)),
		value_lost_digits: ({ label, left }: FaultOf<'value_lost_digits'>) => messages.INPUT_LOST_DIGITS(subject(label), left),
	};
}

type FaultOf<Kind extends GraphInputFault['fault']> = Extract<GraphInputFault, { fault: Kind }>;

/** Returns the words for an input that cannot be set. */
export const graphInputWords = (facts: GraphInputFault, row?: NumberedRow): Words =>
	byKind<GraphInputFault, 'fault', Words>('fault', inputWords(row))(facts);
