/** Something the user can mend, found before or beside the service: already in words. */
export class ItemFault extends Error {
	constructor(
		message: string,
		/** How to go on. */
		readonly advice: string,
		/** The item it belongs to, where it is not the one at hand. */
		readonly itemIndex?: number,
	) {
		super(message);
	}
}

/** A field without a value: an expression found nothing in the item. */
export class EmptyField extends ItemFault {}
