/** A node's own failure, with the exception name that a graph's author would see. */
export class NodeFailure extends Error {
	constructor(
		readonly exceptionType: string,
		message: string,
	) {
		super(message);
	}
}
