import { messages } from './messages/catalogue';
import type { Words } from './messages/words';

/** The code of a file that the server no longer has: a retry does not find it either. */
export const FILE_GONE = 'file_missing';

/** The code of a job that did not finish within *Max Wait*. */
export const STILL_RUNNING = 'still_running';

interface FaultFacts {
	/** The index of the item that caused it, if that is not the current item. */
	itemIndex?: number;
	/** What happened, for programs. */
	code?: string;
}

/** An error that the user can fix. It is found before a request, or outside of the service. */
export class ItemFault extends Error {
	constructor(
		readonly words: Words,
		readonly facts: FaultFacts = {},
	) {
		super(words.message);
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
	throw new ItemFault(messages.FIELD_NOT_A_CHOICE(label, String(value), place, choices.join(', ')));
}
