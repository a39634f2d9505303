import { ComfyError } from '../../errors';

export type InputFault =
	| { fault: 'empty'; field: string }
	/** `expected`: what the field takes, e.g. `a whole number`. */
	| { fault: 'wrong_type'; field: string; expected: string }
	| { fault: 'not_a_choice'; field: string; choices: string[] }
	/** `allowed`: e.g. `1 to 50`. */
	| { fault: 'out_of_range'; field: string; allowed: string }
	/** `left`: what a number field, or an object, has kept of the number. */
	| { fault: 'lost_digits'; field: string; left: string }
	| { fault: 'unknown_field'; field: string; known: string[] };

/** What was entered cannot be sent to the model; nothing was sent. `field` is the label on screen. */
export class InputError extends ComfyError {
	constructor(readonly facts: InputFault) {
		super(`Unusable input: ${facts.fault} (${facts.field})`);
	}
}
