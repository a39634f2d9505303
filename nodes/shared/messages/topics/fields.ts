import { defineMessages } from '../words';

/** Ends the advice for an item whose earlier node failed and continued. */
export const PASSED_ON = 'The cause is in an earlier node, which continued after this error.';

/** Fields of any node, and errors that no other message describes. */
export const fields = defineMessages({
	FIELD_EMPTY: (label: string) => [`${label} is empty`, `Enter ${label}, or check that its expression finds a value in the input item.`],
	FIELD_NOT_A_NUMBER: (label: string, least: number) => [
		`${label} is not a number of at least ${least}`,
		`Correct ${label}, or check that its expression finds a value.`,
	],
	FIELD_NOT_IN_RANGE: (label: string, least: number, most: number) => [
		`${label} is not a whole number from ${least} to ${most}`,
		`Correct ${label}, or check that its expression finds a value.`,
	],
	FIELD_NOT_A_DATE: (label: string) => [`${label} is not a date`, `Choose a date under ${label}, or check that its expression finds one.`],
	/** @param place where the field is, for example ` in Options`. */
	FIELD_NOT_A_CHOICE: (label: string, value: string, place: string, choices: string) => [
		`${label} "${value}" does not exist`,
		`Choose one of these values under ${label}${place}: ${choices}.`,
	],
	OPERATION_UNKNOWN: (name: string) => [`Operation "${name}" does not exist`, 'Choose an operation under Operation.'],
	MILESTONES_NOT_VALID: () => [
		'Milestones (Percent) is not valid',
		'Enter numbers from 1 to 99, separated by commas, for example 25, 50, 75. The trigger always reports the end of a job.',
	],
	/** The code is the one of the earlier node, if that node passes one on. */
	EARLIER_NODE_FAILED: (message: string, advice: string) => [message, advice],
	/** An error that another program describes, for example n8n. */
	OTHER_ERROR: (message: string, advice: string) => [message, advice],
	UNEXPECTED_ERROR: (value: string) => ['Something unexpected happened', value],
});
