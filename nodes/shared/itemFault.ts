/** The code of a file that the server no longer has: a retry does not find it either. */
export const FILE_GONE = 'file_missing';

interface FaultFacts {
	/** The index of the item that caused it, if that is not the current item. */
	itemIndex?: number;
	/** What happened, for programs. */
	code?: string;
}

/** An error that the user can fix. Its message says what happened. It is found before a request, or outside of the service. */
export class ItemFault extends Error {
	constructor(
		message: string,
		/** What to do. */
		readonly advice: string,
		readonly facts: FaultFacts = {},
	) {
		super(message);
	}
}

/** A field without a value, for example because its expression found nothing in the item. */
export class EmptyField extends ItemFault {}

/**
 * Returns the value as one of the choices.
 * @param place where the field is, for example ` in Options`.
 * @throws ItemFault for any other value, which an expression may return.
 */
export function requireChoice<Choice extends string>(value: unknown, choices: readonly Choice[], label: string, place = ''): Choice {
	const choice = choices.find((candidate) => candidate === value);
	if (choice !== undefined) return choice;
	throw new ItemFault(
		`${label} "${String(value)}" does not exist`,
		`Choose one of these values under ${label}${place}: ${choices.join(', ')}.`,
	);
}
