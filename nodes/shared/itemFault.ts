/** An error that the user can fix. Its message says what happened. It is found before a request, or outside of the service. */
export class ItemFault extends Error {
	constructor(
		message: string,
		/** What to do. */
		readonly advice: string,
		/** The index of the item that caused it, if that is not the current item. */
		readonly itemIndex?: number,
	) {
		super(message);
	}
}

/** A field without a value, for example because its expression found nothing in the item. */
export class EmptyField extends ItemFault {}
