import { defineMessages, EXACT_UP_TO, fieldOf, joinNames, lostDigits, MOST_CHOICES, NOTHING_SENT } from '../words';
import { TO_EXPRESSION } from './workflow';

const CHOOSE_AGAIN =
	'The workflow changed after you chose the input, or the name is misspelled. Choose the input again, or remove the row.';

const DIGITS_EXAMPLE = 'Enter it as text, for example {{ "18446744073709551615" }}.';

export const nameOfAppField = (label: string): string => `${label} of App Inputs`;
const listOrNothing = (names: string[]): string => (names.length === 0 ? 'nothing' : joinNames(names));

const TURN_OFF = 'turn off Send Key To Partner Nodes.';

/** What is wrong with a value that contains an expression. */
export const containsExpression = (text: string): string => `contains the expression ${text} as plain text`;

/** What is wrong with a value that contains a placeholder. */
export const containsPlaceholder = (text: string): string => `contains the placeholder ${text}, which nothing replaces`;

/** Values for inputs of a workflow: rows of *Inputs*, *Input Values*, *App Inputs*, seeds, and keys of partner nodes. */
export const inputs = defineMessages({
	VALUES_NODE_UNKNOWN: (node: string, known: string[]) => [
		`The workflow has no node with the ID or title "${node}"`,
		`${NOTHING_SENT} Correct the name in Input Values. The workflow has these nodes: ${joinNames(known, MOST_CHOICES)}.`,
	],
	VALUES_TITLE_SHARED: (node: string, ids: string[]) => [
		`Several nodes of the workflow have the title "${node}"`,
		`${NOTHING_SENT} In Input Values, use the ID of the node: ${joinNames(ids, MOST_CHOICES)}.`,
	],
	VALUES_INPUT_UNKNOWN: (node: string, input: string, known: string[]) => [
		`Node "${node}" has no input "${input}"`,
		`${NOTHING_SENT} Correct the name in Input Values. The node has these inputs: ${joinNames(known, MOST_CHOICES)}.`,
	],
	VALUES_LOST_DIGITS: (input: string, id: string, name: string, left: string) => [
		`Input "${input}" of node ${id} (${name}) has lost digits: the object contains ${left}`,
		`${NOTHING_SENT} Numbers in an object are exact up to ${Number.MAX_SAFE_INTEGER}. Pass the workflow as text or as a file (see Output As in Comfy Get Workflow). Or enter the value as text in Input Values, for example {"${id}": {"${input}": "18446744073709551615"}}.`,
	],
	VALUES_NOT_VALID: (detail: string) => [
		`Input Values is not valid: ${detail}`,
		`${NOTHING_SENT} For each node, enter its ID or title, and the names and new values of its inputs, for example {"6": {"text": "a red fox"}}.`,
	],
	VALUES_NOT_JSON: (detail: string, advice: string) => [`Input Values is not valid: ${detail}`, `${NOTHING_SENT} ${advice}`],
	/** @param row the name of the row of *Inputs* with a colon. Empty for other fields. @param existing inputs of the workflow. */
	INPUT_UNKNOWN: (row: string, name: string, existing: string) => [
		`${row}the workflow has no input "${name}"`,
		`${NOTHING_SENT} ${row === '' ? '' : `${CHOOSE_AGAIN} `}${existing}`,
	],
	INPUT_NAME_SHARED: (row: string, name: string, ids: string[]) => [
		`${row}several inputs of the workflow have the name "${name}"`,
		`${NOTHING_SENT} Choose the input from the list, or use the ID of its node: ${joinNames(ids, MOST_CHOICES)}.`,
	],
	INPUT_MOVED: (row: string, name: string, label: string, chosenAs: string, now: string) => [
		`${row}${name} is "${label}" in this workflow`,
		`${NOTHING_SENT} The workflow changed after you chose the input: "${chosenAs}" is now ${now}. Choose the input again.`,
	],
	INPUT_LINKED: (row: string, name: string, node: string, others: string[]) => [
		`${row}"${name}" gets its value from ${node}`,
		`${NOTHING_SENT} A value for this input would remove that link. ${others.length > 0 ? `Choose an input of that node: ${joinNames(others, MOST_CHOICES)}.` : 'Choose an input of a node before it.'}`,
	],
	INPUT_WRONG_TYPE: (subject: string, needs: string, given: string, advice: string) => [
		`${subject} needs ${needs}, not ${given}`,
		`${NOTHING_SENT} ${advice}`,
	],
	INPUT_OUT_OF_RANGE: (subject: string, value: string, limits: string) => [
		`${subject} is out of range: ${value}`,
		`${NOTHING_SENT} The value must be ${limits}.`,
	],
	INPUT_NOT_OFFERED: (subject: string, value: string, offered: string) => [
		`${subject} does not offer the value ${value}`,
		`${NOTHING_SENT} ${offered} If the server accepts a value that it does not offer, set it with Input Values under Options.`,
	],
	INPUT_IS_PLACEHOLDER: (subject: string, placeholder: string) => [
		`${subject} ${containsPlaceholder(placeholder)}`,
		`${NOTHING_SENT} Enter the value, or an expression, for example {{ $json.prompt }}.`,
	],
	INPUT_IS_EXPRESSION: (subject: string, expression: string) => [
		`${subject} ${containsExpression(expression)}`,
		`${NOTHING_SENT} To send its result, ${TO_EXPRESSION}. If the text came from an earlier node, do this there.`,
	],
	INPUT_LOST_DIGITS: (subject: string, left: string) => [lostDigits(subject, left), `${NOTHING_SENT} ${EXACT_UP_TO} ${DIGITS_EXAMPLE}`],
	INPUT_NOT_CHOSEN: (row: number) => [
		`Input ${row} is not chosen`,
		`${NOTHING_SENT} Choose the input in this row of Inputs, or remove the row.`,
	],
	INPUT_SET_TWICE: (first: number | undefined, second: number | undefined, label: string, name: string) => [
		`Input ${first} and Input ${second} set the same input: ${label} (${name})`,
		`${NOTHING_SENT} Remove one of the two rows.`,
	],
	INPUT_CHOICE_EMPTY: (row: number, label: string) => [
		`Choice of Input ${row} (${label}) is empty`,
		`${NOTHING_SENT} Choose a value from the list, or set Value From to Text or Expression.`,
	],
	INPUT_VALUE_EMPTY: (row: number, label: string) => [
		`Value of Input ${row} (${label}) is empty`,
		`${NOTHING_SENT} Enter a value, check that its expression finds one in the input item, or remove the row.`,
	],
	/** The input is no longer in the app. */
	APP_INPUT_REMOVED: (label: string, field: string, offered: string[]) => [
		`${nameOfAppField(label)} is no longer an input of the app`,
		`${NOTHING_SENT} The app changed in ComfyUI after you filled in the field. Its inputs are now: ${listOrNothing(offered)}. Open the node, move the value to the correct field, and remove the field ${field}.`,
	],
	APP_REMOVED: (fields: string[]) => [
		`App Inputs contains ${listOrNothing(fields)}, but the workflow is not an app`,
		`${NOTHING_SENT} Choose the app again, or enter the values in rows of Inputs and remove the fields.`,
	],
	APP_INPUT_EMPTY: (label: string) => [
		`${nameOfAppField(label)} is empty`,
		`${NOTHING_SENT} Check that its expression finds a value in the input item, or remove the expression to send the value that is saved in ComfyUI.`,
	],
	/** The input item has files. @param last what else the value may be. */
	APP_FILE_NOT_AMONG: (label: string, value: string, last: string, fields: string[]) => [
		`${nameOfAppField(label)}: ${value} is not a binary field of the input item, a URL or ${last}`,
		`${NOTHING_SENT} Enter a binary field of the item (${listOrNothing(fields)}), a URL that begins with https://, or the name of a file in the folder input of ComfyUI, for example photo.png.`,
	],
	/** The input item has no files. @param last what else the value may be. */
	APP_FILE_UNKNOWN: (label: string, value: string, last: string) => [
		`${nameOfAppField(label)}: ${value} is not a URL or ${last}, and the input item has no files`,
		`${NOTHING_SENT} Enter a URL that begins with https://, or the name of a file in the folder input of ComfyUI, for example photo.png.`,
	],
	/** A hint. */
	ROW_REPLACES_APP_INPUT: (row: string, label: string) => [
		`${row} and ${nameOfAppField(label)} set the same input of the workflow`,
		'The value of the row was sent. Remove one of the two.',
	],
	/** A hint. @param missing what the app shows and does not have. */
	APP_INCOMPLETE: (missing: string) => [missing, 'To correct this, open the app in the app builder of ComfyUI.'],
	FIRST_SEED_NOT_VALID: () => [
		'First Seed is not a whole number from 0 to 18446744073709551615',
		`${NOTHING_SENT} Correct First Seed, or leave it empty to start with the seed of the workflow.`,
	],
	/** A hint. */
	WORKFLOW_WITHOUT_SEED: () => [
		'The option Seeds changes nothing, because the workflow has no seed',
		'Set it to As In The Workflow. Or, in ComfyUI, set the control of the number to randomize and save the workflow.',
	],
	EXTRA_DATA_NOT_AN_OBJECT: () => ['Extra Data is not a JSON object', `${NOTHING_SENT} Enter an object such as {}, or remove the option.`],
	PARTNER_KEY_EMPTY: (credential: string) => [
		'Partner API Key is empty',
		`${NOTHING_SENT} Enter ${fieldOf('Partner API Key', credential)}, or Partner Auth Token below it, or ${TURN_OFF}`,
	],
	PARTNER_TOKEN_NOT_ACCEPTED: (credential: string) => [
		'The API proxy does not accept a Partner Auth Token',
		`${NOTHING_SENT} Set Interface to Engine, enter ${fieldOf('Partner API Key', credential)}, or ${TURN_OFF}`,
	],
});

/** What the app shows and does not have. */
export const missingInApp = {
	inputs: (labels: string[]): string => `The app shows inputs that cannot be set: ${joinNames(labels)}`,
	outputs: (labels: string[]): string => `The app shows outputs that are not in the workflow: ${joinNames(labels)}`,
};

/** What the value of a file input may be. */
export const lastKindOfFile = { inComfyUi: 'a file in ComfyUI', name: 'a file name' };

const CORRECT = 'Correct Value, or check that its expression reads the correct field of the input item.';

/** What to do about a value of another type than its input needs. */
export const expectedAdvice = {
	text: 'Select one field of it, for example {{ $json.prompt }}. To send it as JSON, write {{ JSON.stringify($json.prompt) }}.',
	integer: CORRECT,
	number: `${CORRECT} Use a point in decimal numbers, for example 1.5.`,
	boolean: CORRECT,
	json: CORRECT,
	file: 'Enter the reference that Comfy Upload Asset outputs, for example {{ $json.reference }}, or the name of a file on the server.',
};

/** The name of a row of *Inputs*. */
export const rowPrefix = {
	chosen: (row: number, label: string): string => `Input ${row} (${label}): `,
	input: (row: number, label: string): string => `Input ${row} (${label})`,
};

/** Which inputs or values there are. */
export const existing = {
	similarInputs: (near: string[]): string => `Similar inputs: ${joinNames(near)}.`,
	inputs: (known: string[]): string => `The workflow has these inputs: ${joinNames(known, MOST_CHOICES)}.`,
	noInputs: 'This workflow has no inputs that you can set.',
	similarValues: (near: string[]): string => `Similar values: ${joinNames(near)}.`,
	values: (offered: string[]): string => `It offers: ${joinNames(offered, MOST_CHOICES)}.`,
};
